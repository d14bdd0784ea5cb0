"""Runs that end early: a server is away, a cost is reached, a signal comes, a call hangs."""

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
from mabench.check import check_agent
from mabench.errors import UsageError
from mabench.models import ModelSpec, ModelUnavailableError, RetryPolicy, outages
from mabench.remote import keeper
from mabench.results import Run, judge
from mabench.runs import RunStoppedError, engine
from mabench.specs import AgentSpec, JudgeSpec, Limits
from mabench.tasks import outages as telling
from mabench.tasks import signals as handlers
from mabench.tasks import stopping, watchdog
from mabench.tasks.interrupt import RunInterrupt
from tests.command_line import mabench as command
from tests.command_line import start, until
from tests.models.server import Fault, Served, serving
from tests.progress import RecordedProgress
from tests.remote.mcp_serving import free_port
from tests.rows import dataset, write_rows
from tests.runs.agents import Oslo, Shelf, like
from tests.runs.test_runs_with_models import NAME, answer, rows

_QUICK = RetryPolicy(attempts=3, first=0.01, longest=0.05, timeout=0.5, patience=0.6)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, key_and_cache: Path) -> None:
    monkeypatch.setattr("mabench.specs.ModelSpec.retry", _QUICK)
    monkeypatch.setattr(telling, "_BEAT", 0.05)
    monkeypatch.setattr(outages, "_FAILING", 0.1)


def test_a_server_of_no_use_stops_a_run_before_anything_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_HEAD_START", 10)  # Machines are busy.
    told: list[str] = []
    recorder = like(Shelf, add=lambda self, text: told.append(text))
    nobody = f"http://127.0.0.1:{free_port()}/v1"
    with serving(answer) as served:
        served.preflight = lambda _: Fault("404")
        for url in (nobody, served.url):
            with pytest.raises(ModelUnavailableError):
                mabench.run(
                    recorder, rows(), out=tmp_path / "a", model=ModelSpec("m", base_url=url)
                )
    words = f"sweep bm25 --source ruler_qa1 --knob tokens=2k --model m --base-url {nobody}"
    ended = command(*words.split(), cwd=tmp_path)
    refused = f"the model server {nobody} cannot be used for m: the connection is refused; start it"
    assert ended.returncode == 1
    assert f"{refused}, or correct --base-url" in ended.stderr
    assert told == []
    assert not {"a", "runs"} & {file.name for file in tmp_path.iterdir()}


def test_a_run_that_a_server_refuses_late_leaves_nothing(tmp_path: Path) -> None:
    told = threading.Event()
    recorder = like(Shelf, add=lambda self, text: told.set())
    with serving(lambda _: Fault("401")) as served:
        served.preflight = lambda _: Fault("404" if told.wait(10) else "empty")
        spec = ModelSpec("m", base_url=served.url)
        with pytest.raises(ModelUnavailableError, match="there may be no model 'm'"):
            mabench.run(recorder, rows(), out=tmp_path / "run", model=spec)
    assert not (tmp_path / "run").exists()


def test_a_slow_preflight_holds_up_no_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mabench.specs.ModelSpec.retry", RetryPolicy())
    asked = threading.Event()

    def at_once(prompt: str) -> str:
        asked.set()
        return answer(prompt)

    with serving(at_once) as served:
        served.preflight = lambda _: "OK" if asked.wait(9) else Fault("404")
        spec = ModelSpec("m", base_url=served.url)
        done = mabench.run("bm25", rows(), out=tmp_path / "run", model=spec)
    assert (done.summary.sources[NAME].official, done.summary.spent.errors) == (100, 0)


def test_an_outage_is_told_stops_the_run_and_costs_no_answer(tmp_path: Path) -> None:
    def until_it_is_away(prompt: str) -> str | Fault:
        return answer(prompt) if len(served.asked) <= 4 else Fault("500")

    progress = RecordedProgress()
    with serving(until_it_is_away) as served:
        served.preflight = lambda _: "OK" if len(served.asked) <= 4 else Fault("500")
        spec = ModelSpec("m", base_url=served.url)
        one = Limits(questions=1)  # Else some of those under way are asked again.
        with pytest.raises(RunStoppedError, match=r"has answered nothing for 1 s.*resumes it"):
            mabench.run(
                "bm25", rows(), out=tmp_path / "run", model=spec, progress=progress, limits=one
            )
        assert [sample.error for sample in Run(tmp_path / "run").samples()] == [None] * 4
        told = [line for line in progress.events if "the model server has not answered" in line]
        assert told[0].startswith("note questions ")
        assert len(told) <= 5
        served.answer, served.preflight = answer, lambda _: "OK"
        done = mabench.run("bm25", rows(), out=tmp_path / "run", model=spec)
    assert done.summary.sources[NAME].official == 100
    assert done.summary.spent.errors == 0


def test_time_lost_by_outages_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    retry = RetryPolicy(first=0.01, longest=0.05, patience=1.5)
    monkeypatch.setattr("mabench.specs.ModelSpec.retry", retry)
    with serving(lambda _: Fault("500")) as served:
        spec = ModelSpec("m", base_url=served.url)
        served.preflight = lambda _: "OK" if not served.asked else Fault("500")
        limits = Limits(answer_seconds=0.6)
        with pytest.raises(RunStoppedError, match="has answered nothing"):
            mabench.run("bm25", rows(), out=tmp_path / "run", model=spec, limits=limits)
    assert not list(Run(tmp_path / "run").samples())


@pytest.mark.parametrize("executor", ["local", "processes"])
def test_a_refused_key_stops_the_run_and_records_nothing(executor: str, tmp_path: Path) -> None:
    """In other processes it stands for an outage, since their patience cannot be shortened."""
    with serving(lambda _: Fault("401")) as served:
        model = ModelSpec("m", base_url=served.url)
        with pytest.raises(RunStoppedError, match="HTTP 401"):
            mabench.run("bm25", rows(), out=tmp_path / "run", executor=executor, model=model)
    assert not list(Run(tmp_path / "run").samples())


def test_empty_replies_count_and_what_was_spent_is_said(tmp_path: Path, dollars: Path) -> None:
    """Thirty empty replies: each is paid for, and the limit is overshot by what is in flight."""
    data, limits = rows(2, 30), Limits(questions=16)
    with serving(lambda _: Fault("empty")) as served:
        spec = ModelSpec("m", base_url=served.url, prices=dollars, requests_in_flight=2)
        out = tmp_path / "run"
        with pytest.raises(RunStoppedError, match="a higher `max_cost` resumes it") as stopped:
            mabench.run("bm25", data, out=out, model=spec, limits=limits, max_cost=9.5)
        paid = served.calls
        assert 10 <= paid <= 11
        assert f"${paid:.4f} spent of $9.5000" in str(stopped.value)
        assert Run(out).summary.spent.cost == pytest.approx(paid)
        with pytest.raises(RunStoppedError) as stopped:
            mabench.run("bm25", data, out=out, model=spec, limits=limits, max_cost=9.5)
        assert served.calls == paid, "nothing more may be spent"
        served.answer = answer
        more: Any = {"max_cost": 1000, "retry_errors": True, "limits": limits}
        done = mabench.run("bm25", data, out=out, model=spec, **more)
    assert done.summary.sources[NAME].answered == 60
    assert done.summary.spent.cost == pytest.approx(served.calls), "with the preflights"


@pytest.mark.parametrize("in_flight", [1, 3])
def test_a_run_stops_at_its_cost_and_more_of_it_goes_on(
    in_flight: int, tmp_path: Path, dollars: Path
) -> None:
    """A preflight is paid for, three answers, and what else is in flight then."""
    given: Any = {"data": rows(2, 10), "limits": Limits(rows=2, questions=9), "out": tmp_path / "a"}
    with serving(lambda prompt: Fault("late", body=answer(prompt), seconds=0.03)) as served:
        spec = ModelSpec("m", base_url=served.url, prices=dollars, requests_in_flight=in_flight)
        with pytest.raises(RunStoppedError) as stopped:
            mabench.run("bm25", model=spec, max_cost=4, **given)
        assert stopped.value.by_cost
        assert f"${served.calls:.4f} spent of $4.0000" in str(stopped.value)
        assert 4 <= served.calls <= 3 + in_flight
        assert served.paid.total() == len(list(Run(tmp_path / "a").samples())), "all are stored"
        done = mabench.run("bm25", model=spec, max_cost=100, **given)
    assert (max(served.paid.values()), served.paid.total()) == (1, 20)
    assert (done.summary.sources[NAME].official, done.summary.spent.n) == (100, 20)
    assert done.summary.spent.cost == pytest.approx(served.calls)


def test_a_cost_without_a_price_is_refused_before_anything_is_paid(tmp_path: Path) -> None:
    with serving(answer) as served:
        spec = ModelSpec("nobodys", base_url=served.url)
        with pytest.raises(UsageError, match="price of nobodys is unknown"):
            mabench.run("bm25", rows(), out=tmp_path / "run", model=spec, max_cost=1.0)
        assert served.preflights == 0
    assert not (tmp_path / "run").exists()


def _interrupted(served: Served, folder: Path, number: int, *words: str) -> tuple[float, str]:
    """Run a command, send a signal once the server is asked, and return seconds and messages."""
    process = start(*words, cwd=folder)
    until(lambda: served.asked or process.poll() is not None)
    time.sleep(0.3)
    begun, said = time.monotonic(), ""
    process.send_signal(number)
    # The end of an interpreter itself can take long on a busy machine.
    while process.stderr and "To resume" not in said and (line := process.stderr.readline()):
        said += line
    seconds = time.monotonic() - begun
    process.communicate(timeout=60)
    return seconds, said


@pytest.mark.parametrize(
    ("fault", "number"),
    [
        # As a judge is stopped below.
        pytest.param(Fault("hang"), signal.SIGTERM, marks=pytest.mark.slow),
        (Fault("429", {"Retry-After": "600"}), signal.SIGINT),
    ],
)
def test_a_signal_takes_effect_at_once(fault: Fault, number: int, tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", [*rows().rows()])
    with serving(lambda _: fault) as served:
        # An agent that takes no words apart: what does that is imported for a second.
        words = f"run long-context --data rows.jsonl --model m --base-url {served.url}"
        seconds, said = _interrupted(served, tmp_path, number, *words.split())
    assert seconds < 300  # Of the 600 that the server asks for, or of a wait without end.
    assert "Stopped. To resume: mabench run long-context --data rows.jsonl" in said
    (folder,) = (tmp_path / "runs").iterdir()
    assert not list(Run(folder).samples())


def test_a_judge_begins_with_no_server_that_is_away_and_stops_for_a_signal(tmp_path: Path) -> None:
    out = tmp_path / "run"
    run = mabench.run("no-memory", sources=["longmemeval_s*"], limit_questions=6, out=out)
    nobody = ModelSpec("m", base_url=f"http://127.0.0.1:{free_port()}/v1")
    with pytest.raises(ModelUnavailableError, match="connection is refused"):
        judge(run.folder, JudgeSpec(model=nobody))
    assert not (out / "judgments.jsonl").exists()
    with serving(lambda _: Fault("hang")) as hanging:
        words = ("judge", str(out), "--model", "n", "--base-url", hanging.url)
        seconds, said = _interrupted(hanging, tmp_path, signal.SIGTERM, *words)
    assert seconds < 300  # Of the 600 that the server asks for, or of a wait without end.
    assert "To resume: mabench judge" in said


_RELEASED = threading.Event()  # Ends what hangs, once its test is over.
_HANGS = threading.Event()


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the watchdog again, which tests/conftest.py takes away."""
    monkeypatch.setattr(handlers, "watchdog", watchdog.watchdog)


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
            time.sleep(0.3)  # Two that come together are one.
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


@pytest.mark.usefixtures("watched")
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
    place = (
        r"(factconsolidation_sh_6k|ruler_qa1_197K) row 0, for \d+ s( and \d+ more)?; ends in \d+ s"
    )
    first = next(event for event in progress.events if event.startswith("say Stopping"))
    assert re.match(f"say Stopping: waiting for {what}{place}", first)
    again = AgentSpec(agent=agent, same_code=True)
    run = mabench.run(again, dataset(), out=out)  # Nothing hangs any more.
    assert [sample.error for sample in run.samples()] == [None] * 5


@pytest.mark.usefixtures("watched")
def test_a_check_that_hangs_is_ended() -> None:
    progress = RecordedProgress()
    with pytest.raises(RunInterrupt):
        interrupted(lambda: check_agent(AgentSpec(agent=HANGS), progress=progress), 2)
    first = next(event for event in progress.events if event.startswith("say Stopping"))
    assert first.startswith("say Stopping: waiting for the check fresh instance, for ")


def test_what_keeps_python_from_handling_a_signal_is_named(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.write_bytes(b"0.0\nthe answer to question 3\0and what is older")
    words = keeper.__file__, "watch", str(os.getpid()), "To resume: mabench run"
    command = [sys.executable, *words]
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
    words = "run gil:HangGil --data synthetic:small --source factconsolidation_sh_6k --out run"
    words += " --limit-questions 2"
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
    words = "run left:Left --data synthetic:small --source factconsolidation_sh_6k"
    words += " --limit-questions 2 --answer-timeout 1"
    assert start(*words.split(), cwd=tmp_path).wait(60) == 1
