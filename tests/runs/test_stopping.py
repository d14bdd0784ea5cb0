"""A run that hangs is ended by signals: the first says what it waits for, the second ends it."""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.check import CheckInterrupt, check_agent
from mabench.specs import AgentSpec
from mabench.tasks import RunInterrupt, stopping
from tests.command_line import start
from tests.progress import RecordedProgress
from tests.rows import dataset
from tests.runs.agents import Oslo, Shelf, like
from tests.waiting import until

_RELEASED = threading.Event()  # Ends what hangs, once its test is over.
_HANGS = threading.Event()
_WATCHDOG = stopping.Stop._watchdog  # As it is before tests/conftest.py takes it away.


@pytest.fixture(autouse=True)
def _watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping.Stop, "_watchdog", _WATCHDOG)


def hang(*_: object) -> str:
    _HANGS.set()
    _RELEASED.wait()
    return "Oslo"


async def swallow(*_: object) -> str:
    """Do not heed that it is cancelled."""
    _HANGS.set()
    while not _RELEASED.is_set():
        with contextlib.suppress(BaseException):
            await asyncio.sleep(0.05)
    return "Oslo"


async def block(*_: object) -> str:
    return hang()  # It never awaits.


async def hang_in_a_thread(*_: object) -> str:
    return await asyncio.to_thread(hang)


def interrupted(work: Callable[[], Any], signals: int, number: int = signal.SIGINT) -> None:
    """Do work, and send signals to this process once an agent hangs."""

    def send() -> None:
        _HANGS.wait(60)
        for _ in range(signals):
            time.sleep(0.5)  # Two that come together are one.
            os.kill(os.getpid(), number)

    _RELEASED.clear()
    _HANGS.clear()
    thread = threading.Thread(target=send)
    thread.start()
    try:
        work()
    finally:
        _RELEASED.set()
        thread.join()


HANGS = like(Oslo, answer=hang)
HANGING = [
    *((HANGS, signals, "the answer to question 0, ") for signals in (1, 2)),
    (like(Oslo, answer=swallow), 1, "the answer to question 0, "),
    *(
        (like(Oslo, answer=method), 2, "the answer to question 0, ")
        for method in (block, hang_in_a_thread)
    ),
    (like(Oslo, memorize=hang), 2, "memorizing chunk 1 of 1 of "),
    (like(Shelf, search=lambda *_: [hang()]), 2, "the search of question 0, "),
]


@pytest.mark.parametrize(("agent", "signals", "what"), HANGING)
def test_a_run_that_hangs_is_ended_and_resumed(
    tmp_path: Path, agent: Any, signals: int, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopping, "_LAST_SECONDS", 60.0 if signals == 2 else 0.3)
    monkeypatch.setattr(stopping, "_CANCEL_SECONDS", 0.3)
    progress, out = RecordedProgress(), tmp_path / "run"
    number = signal.SIGTERM if signals == 1 else signal.SIGINT
    work = partial(mabench.run, agent, dataset(), out=out, progress=progress)
    with pytest.raises(RunInterrupt, match=r"the same run with `out` .* resumes it") as interrupt:
        interrupted(work, signals, number)
    assert interrupt.value.number == number
    place = r"(factconsolidation_sh_6k|ruler_qa1_197K) row 0, for \d+ s; ends in \d+ s"
    first = next(event for event in progress.events if event.startswith("say Stopping"))
    assert re.match(f"say Stopping: waiting for {what}{place}", first)
    run = mabench.run(agent, dataset(), out=out)  # Nothing hangs any more.
    assert [sample.error for sample in run.samples()] == [None] * 5


def test_a_check_that_hangs_is_ended() -> None:
    progress = RecordedProgress()
    with pytest.raises(CheckInterrupt):
        interrupted(lambda: check_agent(AgentSpec(agent=HANGS), progress=progress), 2)
    first = next(event for event in progress.events if event.startswith("say Stopping"))
    assert first.startswith("say Stopping: waiting for the check fresh instance, for ")


def test_what_keeps_python_from_handling_a_signal_is_named(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.write_bytes(b"0.0\nthe answer to question 3\0and what is older")
    command = [sys.executable, str(stopping._WATCHDOG), str(os.getpid()), "To resume: mabench run"]
    pipes: Any = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with notes.open("r+") as file, subprocess.Popen(command, stdout=file, **pipes) as watchdog:
        assert watchdog.stdin
        assert watchdog.stderr
        watchdog.stdin.write(bytes([signal.SIGTERM]))
        watchdog.stdin.flush()
        assert watchdog.stderr.readline() == b"\n"
        told = watchdog.stderr.readline()
        watchdog.send_signal(signal.SIGTERM)  # As all processes of a service get it.
        with pytest.raises(subprocess.TimeoutExpired):
            watchdog.wait(0.3)
        watchdog.kill()
    assert told.startswith(b"Stopping: waiting for the answer to question 3, which blocks Python")


_HANG_GIL = """
import ctypes
from pathlib import Path
class HangGil:
    def memorize(self, chunk): ...
    def answer(self, query):
        if Path("done").exists():
            return "Oslo"
        Path("hangs").touch()
        ctypes.PyDLL(None).sleep(600)
"""


@pytest.mark.slow
@pytest.mark.parametrize("signals", [1, 2])
def test_code_in_c_that_keeps_pythons_lock_is_ended(tmp_path: Path, signals: int) -> None:
    (tmp_path / "gil.py").write_text(_HANG_GIL, "utf-8")
    words = "run gil:HangGil --source factconsolidation_sh_6k --limit-questions 2 --out run"
    with start(*words.split(), cwd=tmp_path) as running:
        until((tmp_path / "hangs").exists)
        for _ in range(signals):
            time.sleep(1.5)
            running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=60)
    assert running.returncode == -signal.SIGKILL
    assert "waiting for the answer to question 0, factconsolidation_sh_6k row 1" in told
    assert f"To resume: mabench {words}" in told
    (tmp_path / "done").touch()
    assert start(*words.split(), cwd=tmp_path).wait(60) == 0


_LEAVES_THREADS = """
import asyncio, time
class Left:
    def memorize(self, chunk): ...
    async def answer(self, query): await asyncio.to_thread(time.sleep, 600)
"""


@pytest.mark.slow
def test_a_command_ends_although_threads_of_an_agent_do_not(tmp_path: Path) -> None:
    (tmp_path / "left.py").write_text(_LEAVES_THREADS, "utf-8")
    words = "run left:Left --source factconsolidation_sh_6k --limit-questions 2 --answer-timeout 1"
    assert start(*words.split(), cwd=tmp_path).wait(60) == 1
