import io
import json
import signal
import unicodedata
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from mabench import run
from mabench.cli.console import ProgressBars
from mabench.printable import printable, printable_json
from mabench.reports.layout import Report, show_reports
from mabench.reports.tables import Column, tabulate
from tests.cli.commands import COMMANDS
from tests.command_line import mabench, start
from tests.printing import print_on
from tests.rows import dataset
from tests.runs.agents import Oslo
from tests.waiting import until

_EVIL = "\x1b[31m\x1b]0;owned\x07\x9b2J\x08\x7f\r\u202ereversed\u2066\u200f\U000e0041"
_KEPT = "a\tb\nc é 漢 👩\u200d💻 ñ\u0301"


def unfit(text: str) -> list[str]:
    bidi = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return [
        one
        for one in text
        if (unicodedata.category(one) in ("Cc", "Cs") and one not in "\n\t")
        or unicodedata.bidirectional(one) in bidi
    ]


@given(st.text(st.characters(), max_size=50))
def test_no_text_holds_codes(text: str) -> None:
    assert unfit(printable(text)) == []
    assert len(printable(text)) == len(text)
    assert unfit(printable_json(json.dumps(text, ensure_ascii=False))) == []
    assert json.loads(printable_json(json.dumps(text, ensure_ascii=False))) == text


def test_a_report_in_each_form_and_ordinary_text() -> None:
    columns: list[Column[str]] = [Column(_EVIL, lambda text: text), Column("n", lambda _: 1, "")]
    report = Report(_EVIL, [tabulate(columns, [_EVIL])], [_EVIL])
    for layout in ("table", "markdown", "csv", "json"):
        printed = print_on(
            200,
            lambda console: show_reports([report], lambda: {_EVIL: _EVIL}, layout, console),  # noqa: B023
        )
        assert "reversed" in printed
        assert unfit(printed) == []
    assert printable(_KEPT) == _KEPT


def test_what_commands_print(tmp_path: Path) -> None:
    class Evil(Oslo):
        def answer(self, query: object) -> str:
            raise ValueError(_EVIL)

    Evil.__qualname__ = f"Evil{_EVIL}"
    run(Evil, dataset(), out=tmp_path / "run", limit_questions=1)
    row = {"context": _EVIL, "questions": [_EVIL], "answers": [[]], "metadata": {"source": _EVIL}}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (tmp_path / "evil.py").write_text(
        "class Evil:\n    def memorize(self, chunk): pass\n"
        f"    def answer(self, query): raise ValueError({_EVIL!r})\n",
        encoding="utf-8",
    )
    small = ("--data", "synthetic:small", "--source", "ruler_qa1_197K", "--limit-questions", "1")
    for arguments in (
        ("report", "run"),
        ("report", "run", "--format", "markdown"),
        ("report", "run", "--format", "json"),
        ("data", "validate", "rows.jsonl"),
        ("data", "validate", "rows.jsonl", "--format", "json"),
        ("data", "show", "rows.jsonl"),
        ("run", "evil:Evil", *small),
        ("run", f"no{_EVIL}", *small),
        ("report", f"no{_EVIL}"),
    ):
        done = mabench(*arguments, cwd=tmp_path)
        printed = done.stdout + done.stderr
        assert printed
        assert unfit(printed) == [], arguments


def _shown(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream, force_terminal=terminal, width=160, markup=False, highlight=False
    )
    monkeypatch.setattr("mabench.cli.console.messages", lambda: console)
    with ProgressBars() as bars:
        bars.start("questions", 9, done=2)
        for row in range(2):
            bars.start("chunks", 12, title=f"[s], row {row}", note="25 questions")
            bars.advance("chunks")
        bars.advance("questions", "7 tokens, $0.12, 1 errors")
        bars.advance("questions")
        bars.say("[s], row 0, question 3: no idea")
    return stream.getvalue()


def test_a_terminal_shows_a_bar_for_each_kind_of_work_and_else_there_are_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = _shown(monkeypatch, terminal=True)
    last = shown[shown.rindex("questions") :]
    for text in ("4/9", "7 tokens, $0.12, 1 errors", "[s], row 1", "1/12"):
        assert text in last
    assert "[s], row 0, question 3: no idea" in shown
    assert "25 questions" not in shown
    assert _shown(monkeypatch, terminal=False).splitlines() == [
        "[s], row 0: 12 chunks, 25 questions",
        "[s], row 1: 12 chunks, 25 questions",
        "[s], row 0, question 3: no idea",
    ]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_ctrl_c_in_any_command_exits_with_130(name: str, tmp_path: Path) -> None:
    command, words = COMMANDS[name], name.split()
    for param in command.params:
        if param.required:  # An argument, or an option and its value.
            words += [*(word for word in param.opts[:1] if word.startswith("--")), "x"]
    with mock.patch.object(command, "callback", side_effect=KeyboardInterrupt):
        done = mabench(*words, cwd=tmp_path)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_sweep_runs(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\n"
        "class Slow:\n"
        "    def memorize(self, chunk): open('begun', 'w').close()\n"
        "    def answer(self, query): time.sleep(0.2); return ''\n"
    )
    words = "sweep slow:Slow --source factconsolidation_mh --knob tokens=1k"
    running = start(*words.split(), cwd=tmp_path)
    until((tmp_path / "begun").exists)
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert "To resume: mabench sweep slow:Slow" in said
    assert "Traceback" not in said
