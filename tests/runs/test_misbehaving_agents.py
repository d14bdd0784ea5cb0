"""Whatever an agent returns or raises ends as a failed question with a short error, soon."""

import asyncio
import itertools
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.contract import Query
from mabench.results import Sample
from mabench.specs import Limits
from tests.command_line import mabench as command
from tests.progress import RecordedProgress
from tests.rows import dataset, row
from tests.runs.agents import Oslo

HUGE = 100_000_000


class OddError(Exception):
    """Has notes, a text or other parts that are no such things."""


def odd(kind: type = type, **members: Any) -> Any:
    return kind("OddError", (OddError,), members)


def _raises(kind: type[BaseException]) -> Any:
    def get(_: object) -> Any:
        raise kind

    return property(get, lambda _, value: None)


class Nameless(type):
    __name__ = _raises(RuntimeError)


class OddText(str):
    """A string whose methods raise, or return too much."""

    def __str__(self) -> str:
        return "x" * HUGE

    __len__ = __getitem__ = _raises(RuntimeError)


class OddList(list[str]):
    def __len__(self) -> int:
        raise RuntimeError("no length")


class Endless:
    def __repr__(self) -> str:
        return repr(self)


class OddClass:
    text = "Oslo"
    __class__ = _raises(SystemExit)


def nested() -> list[Any]:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    return deep


def endless() -> Iterator[str]:
    while True:
        yield "x"


def recursing(text: str = "") -> str:
    return recursing(text) + text


# What an agent raises, and how the error of its question begins.
RAISED: dict[str, tuple[Callable[[], BaseException], str]] = {
    "huge message": (lambda: OddError("x" * HUGE), "OddError: xxx"),
    "huge message of secrets": (lambda: OddError("token=abcdef " * (HUGE // 13)), "OddError: tok"),
    "huge group": (lambda: ExceptionGroup("x" * HUGE, [OddError()]), "ExceptionGroup: xxx"),
    "bad notes": (odd(__notes__=5), "OddError"),
    "endless notes": (odd(__notes__=itertools.repeat("x" * 1000)), "OddError"),
    "raising notes": (odd(__notes__=_raises(SystemExit)), "OddError"),
    "bad text": (odd(__str__=lambda _: 5), "OddError: (its text raises TypeError)"),
    "bad class": (odd(__class__=_raises(RuntimeError)), "OddError"),
    "bad dict": (odd(__dict__=_raises(RuntimeError)), "OddError"),
    "nameless": (odd(Nameless), "an exception without a name"),
    "endless argument": (lambda: OddError(Endless()), "OddError: (its text raises RecursionError)"),
    "nested argument": (lambda: OddError(nested()), "OddError: (its text raises RecursionError)"),
    "odd argument": (lambda: KeyError(OddText("x")), "KeyError: 'x'"),
}
# What an agent returns, and how the error of its question begins; None where it is an answer.
RETURNED: dict[str, tuple[Callable[[], Any], str | None]] = {
    "huge answer": (lambda: "word " * (HUGE // 5), "AgentError: the answer has 100,000,000 char"),
    "huge prompt": (lambda: {"text": "", "prompt": "x" * HUGE}, "AgentError: prompt has 100,000"),
    "huge passage": (lambda: _found(["x" * HUGE]), "AgentError: a passage has 100,000,000 char"),
    "many passages": (lambda: _found(["x"] * 200_000), "AgentError: there are more than 10,000 pa"),
    "long passages": (lambda: _found(["x" * 9_999] * 9_999), "AgentError: the passages have more"),
    "endless passages": (lambda: _found(endless()), "AgentError: there are more than 10,000 pass"),
    "endless answer": (endless, "AgentError: the answer is generator"),
    "odd text": (lambda: {"text": OddText("Oslo"), "retrieved": [OddText("a")]}, None),
    "odd answer": (lambda: OddText("Oslo"), None),
    "odd list": (lambda: _found(OddList(["a"])), "RuntimeError: no length"),
    "odd class": (OddClass, "SystemExit"),
    "endless text": (Endless, "RecursionError"),
    "nested": (nested, "RecursionError"),
    "recursion": (recursing, "RecursionError"),
    "huge count": (lambda: {"text": "", "input_tokens": 10**100_000}, "ValueError: Exceeds the li"),
}


def _found(passages: Any) -> dict[str, Any]:
    return {"text": "Oslo", "retrieved": passages}


def sample_of(answer: Callable[[], Any], out: Path, is_async: bool = False) -> Sample:
    """Run an agent over a row with one question, and return its sample."""

    class Sync(Oslo):
        def answer(self, query: Query) -> Any:
            return answer()

    class Async(Sync):
        async def answer(self, query: Query) -> Any:
            return answer()

    rows = [row("ruler_qa1_197K", "Bob lives in Oslo.", [("Where does Bob live?", ["Oslo"])])]
    limits, agent = Limits(answer_seconds=60.0), Async if is_async else Sync
    (sample,) = mabench.run(agent, dataset(rows), out=out, limits=limits).samples()
    return sample


def _raise(make: Callable[[], BaseException]) -> Any:
    raise make()


_CASES: dict[str, tuple[Callable[[], Any], str | None]] = {
    **{name: (partial(_raise, make), start) for name, (make, start) in RAISED.items()},
    **RETURNED,
}


@pytest.mark.parametrize("name", _CASES)
def test_what_is_returned_or_raised_is_an_answer_or_short_error(tmp_path: Path, name: str) -> None:
    answer, start = _CASES[name]
    sample = sample_of(answer, tmp_path / "run", is_async=len(name) % 2 == 0)
    if start is None:
        assert (sample.prediction, sample.error) == ("Oslo", None)
        return
    assert sample.prediction is None
    assert (sample.error or "").startswith(start)
    assert len(sample.error or "") <= 2000


def test_what_is_long_but_within_the_limits_is_an_answer(tmp_path: Path) -> None:
    passages = ["x" * (10_000_000 // 10_000)] * 10_000
    answer = {"text": "x" * 1_000_000, "retrieved": passages}
    sample = sample_of(lambda: answer, tmp_path / "run")
    assert (sample.error, len(sample.retrieved)) == (None, 10_000)


def test_an_agent_may_stop_the_threads_of_the_loop(tmp_path: Path) -> None:
    class StopsThreads(Oslo):
        """``asyncio.to_thread`` takes them."""

        async def answer(self, query: Query) -> str:
            await asyncio.get_running_loop().shutdown_default_executor()
            return "Oslo"

    run = mabench.run(StopsThreads, dataset(), out=tmp_path / "run")  # Two rows.
    assert [sample.error for sample in run.samples()] == [None] * 5


_PRINTING = """
import sys
class Prints:
    def memorize(self, chunk): ...
    def answer(self, query):
        print("\\x1b]0;evil\\x07\\x1b[2J progress\\r")
        sys.stderr.write("\\x1b[31mred")
        return "Oslo"
class Closes(Prints):
    def answer(self, query):
        sys.stdout.close()
        sys.stderr.close()
        return super().answer(query)
class Loses(Prints):
    value = None
    def answer(self, query):
        sys.stdout = sys.stderr = self.value
        return "Oslo"
class Replaces(Loses):
    value = 5
"""


@pytest.mark.parametrize("agent", ["Prints", "Closes", "Loses", "Replaces"])
def test_what_an_agent_prints_is_text_and_streams_outlive_it(tmp_path: Path, agent: str) -> None:
    (tmp_path / "printing.py").write_text(_PRINTING, "utf-8")
    words = ("--source", "factconsolidation_sh_6k", "--limit-questions", "2", "--out", "run")
    done = command("run", f"printing:{agent}", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"printing:{agent} on synthetic:small" in done.stdout
    assert "Run folder: run" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    if agent in ("Prints", "Closes"):
        assert "\ufffd]0;evil\ufffd\ufffd[2J progress\n" in done.stdout + done.stderr
        assert "\ufffd[31mred" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which processes there are")
@pytest.mark.parametrize("orphaned", [False, True])
def test_processes_that_an_agent_leaves_behind_are_named(tmp_path: Path, orphaned: bool) -> None:
    started: list[int] = []

    class Leaves(Oslo):
        def answer(self, query: Query) -> str:
            if not started:
                command = "sleep 77 & echo $!" if orphaned else "setsid sleep 77 & echo $!; wait"
                process = subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE)
                assert process.stdout
                started.append(int(process.stdout.readline()))
                if orphaned:
                    process.wait()
            return "Oslo"

    progress = RecordedProgress()
    mabench.run(Leaves, dataset(), out=tmp_path / "run", progress=progress)
    os.kill(started[0], 9)
    (told,) = [line for line in progress.events if "left processes behind" in line]
    assert f"{started[0]} (" in told
    assert "sleep 77" in told


@pytest.mark.slow
def test_no_mixture_of_them_ends_or_hangs_a_run(tmp_path: Path) -> None:
    seed = int(os.environ.get("MABENCH_SEED", random.randrange(10**6)))
    print(f"MABENCH_SEED={seed}")
    chance = random.Random(seed)
    answers = [make for make, _ in RETURNED.values()]

    def misbehave() -> Any:
        if chance.random() < 0.7:
            return chance.choice([*_CASES.values()])[0]()
        return _found([chance.choice(answers)() for _ in range(chance.randrange(4))])

    for number in range(60):
        sample_of(misbehave, tmp_path / str(number), is_async=chance.random() < 0.5)
