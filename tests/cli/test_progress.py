"""What the command line shows of work under way."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from mabench.cli import progress
from mabench.cli.progress import ProgressBars


def _shown(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream, force_terminal=terminal, width=160, markup=False, highlight=False
    )
    monkeypatch.setattr(progress, "messages", lambda: console)
    with ProgressBars() as bars:
        bars.start("questions", 9, done=2)
        for row in range(2):
            bars.start("chunks", 12, title=f"[s], row {row}", note="25 questions")
            bars.advance("chunks")
        bars.advance("questions", "7 tokens, $0.12, 1 errors")
        bars.advance("questions")
        bars.say("[s], row 0, question 3: no idea")
    return stream.getvalue()


def test_a_terminal_shows_a_bar_for_each_kind_of_work(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = _shown(monkeypatch, terminal=True)
    last = shown[shown.rindex("questions") :]
    assert "4/9" in last
    assert "7 tokens, $0.12, 1 errors" in last
    assert "[s], row 1" in last
    assert "1/12" in last
    assert "[s], row 0, question 3: no idea" in shown
    assert "25 questions" not in shown


def test_elsewhere_there_are_lines_and_no_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _shown(monkeypatch, terminal=False).splitlines() == [
        "[s], row 0: 12 chunks, 25 questions",
        "[s], row 1: 12 chunks, 25 questions",
        "[s], row 0, question 3: no idea",
    ]
