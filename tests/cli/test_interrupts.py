"""Ctrl-C ends every command with the exit code that shells expect, and without a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pytest

from tests.cli.commands import COMMANDS, words_of
from tests.command_line import mabench


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_ctrl_c_in_any_command_exits_with_130(name: str, tmp_path: Path) -> None:
    command = COMMANDS[name]
    with mock.patch.object(command, "callback", side_effect=KeyboardInterrupt):
        done = mabench(*words_of(name), cwd=tmp_path)
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
    deadline = time.monotonic() + 60
    while not (tmp_path / "begun").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert "To resume: mabench sweep slow:Slow" in said
    assert "Traceback" not in said
