import io
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from rich.console import Console

from mabench.cli.console import ProgressBars
from tests.cli.commands import COMMANDS
from tests.command_line import mabench
from tests.waiting import until


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
    words = ("sweep", "slow:Slow", "--source", "factconsolidation_mh", "--knob", "tokens=1k")
    running = subprocess.Popen(
        [sys.executable, "-m", "mabench", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    until((tmp_path / "begun").exists, 60)
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert "To resume: mabench sweep slow:Slow" in said
    assert "Traceback" not in said
