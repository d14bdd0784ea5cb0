"""How many questions of a row are asked together where no setting says it."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.contract import Passage, Query
from mabench.data import Dataset
from mabench.models import ModelSpec
from mabench.results import Run
from mabench.results.records.store import RunFolder
from mabench.specs import AgentSpec, DataSpec, Limits
from tests.models.server import Served, serving
from tests.rows import dataset, row
from tests.talks import talk, talks, turns

_QUESTIONS = 6
_SECONDS = 20.0  # Until those that are waited for count as not coming.


class _Meeting:
    """Where calls wait for each other, until as many as are expected have come or time is up."""

    def __init__(self, expected: int) -> None:
        self.most = self._here = 0
        self._expected, self._all = expected, threading.Event()
        self._lock = threading.Lock()
        self.threads: set[int] = set()

    @contextmanager
    def attended(self) -> Iterator[None]:
        with self._lock:
            self._here += 1
            self.most = max(self.most, self._here)
            self.threads.add(threading.get_ident())
            if self._here >= self._expected:
                self._all.set()
        yield
        with self._lock:
            self._here -= 1

    def wait(self) -> None:
        self._all.wait(_SECONDS)


class _Memory:
    """Notes how many searches are under way at a time."""

    searching = _Meeting(1)

    def add(self, text: str) -> None: ...

    def search(self, query: str, k: int) -> Any:
        with self.searching.attended():
            self.searching.wait()
            return [query]


class _Several(_Memory):
    searching = _Meeting(3)
    mabench_capabilities = {"calls_at_once": 3}  # noqa: RUF012


def _rows() -> Dataset:
    asked = [(f"Where is box {i}?", ["Paris"]) for i in range(_QUESTIONS)]
    return dataset([row("ruler_qa1_197K", "Boxes are in Paris.", asked, 0)])


def _run(
    agent: Any, out: Path, data: Any = None, limits: Limits | None = None, **model: Any
) -> Run:
    reading = ModelSpec("m", **model) if model else None
    given = AgentSpec(agent=agent, model=reading)
    return mabench.run(given, DataSpec(data=data or _rows()), limits=limits or Limits(), out=out)


def _predictions(run: Run) -> list[str | None]:
    return [sample.prediction for sample in run.samples()]


@pytest.fixture(autouse=True)
def _environment(key_and_cache: Path) -> None: ...


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


@pytest.mark.parametrize(("memory", "searches"), [(_Memory, 1), (_Several, 3)])
def test_our_reader_reads_for_many_questions_and_a_memory_searches_for_as_many_as_it_declares(
    memory: type[_Memory], searches: int, served: Served, tmp_path: Path
) -> None:
    memory.searching = _Meeting(searches)
    reading = _Meeting(_QUESTIONS)

    def answer(prompt: str) -> str:
        with reading.attended():
            reading.wait()
            return "Paris"

    served.answer = answer
    run = _run(memory, tmp_path / "run", base_url=served.url)
    assert reading.most == _QUESTIONS
    assert memory.searching.most == searches
    assert len(memory.searching.threads) == searches
    assert _predictions(run) == ["Paris"] * _QUESTIONS


def test_long_context_asks_many_questions(served: Served, tmp_path: Path) -> None:
    reading = _Meeting(_QUESTIONS)

    def answer(prompt: str) -> str:
        with reading.attended():
            reading.wait()
            return "Paris"

    served.answer = answer
    _run("long-context", tmp_path / "run", base_url=served.url, window=1000)
    assert reading.most == _QUESTIONS


@pytest.mark.parametrize(("in_flight", "rows", "expected"), [(4, 1, 4), (4, 2, 2)])
def test_requests_in_flight_are_shared_by_the_rows(
    in_flight: int, rows: int, expected: int, served: Served, tmp_path: Path
) -> None:
    reading = _Meeting(expected)

    def answer(prompt: str) -> str:
        with reading.attended():
            reading.wait()
            return "Paris"

    served.answer = answer
    limits = Limits(rows=rows)
    model = {"base_url": served.url, "requests_in_flight": in_flight}
    _run(_Memory, tmp_path / "run", limits=limits, **model)
    assert reading.most == expected


def test_the_preflight_is_one_of_the_requests_in_flight(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}._SECONDS", 0.3)  # Nobody else should come.
    at_server = _Meeting(3)

    def answer(prompt: str) -> str:
        with at_server.attended():
            at_server.wait()
            return "Paris"

    served.answer = served.preflight = answer
    _run(_Memory, tmp_path / "run", base_url=served.url, requests_in_flight=2)
    assert at_server.most == 2


class _Alone:
    """Answers by itself, and notes how many answers are under way."""

    answering = _Meeting(1)

    def memorize(self, chunk: str) -> None: ...

    def answer(self, query: Query) -> Any:
        with self.answering.attended():
            self.answering.wait()
            return "Paris"


class _Declaring(_Alone):
    answering = _Meeting(_QUESTIONS)
    mabench_capabilities = {"calls_at_once": 10**9}  # noqa: RUF012


class _Mistaken(_Alone):
    mabench_capabilities = {"calls_at_once": "many"}  # noqa: RUF012


class _Async(_Alone):
    async def answer(self, query: Query) -> Any:
        with self.answering.attended():
            for _ in range(int(_SECONDS / 0.01)):
                if self.answering.most == _QUESTIONS:
                    break
                await asyncio.sleep(0.01)
            return "Paris"


class _AsyncAlone(_Alone):
    mabench_capabilities = {"calls_at_once": 1}  # noqa: RUF012

    async def answer(self, query: Query) -> Any:
        with self.answering.attended():
            await asyncio.sleep(0.001)
            return "Paris"


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        *((_Alone, 1), (_Mistaken, 1), (_AsyncAlone, 1)),
        *((_Declaring, _QUESTIONS), (_Async, _QUESTIONS)),
    ],
)
def test_an_agent_that_answers_by_itself_is_asked_one_question_unless_it_takes_more(
    agent: type[_Alone], expected: int, tmp_path: Path
) -> None:
    agent.answering = _Meeting(expected)
    run = _run(agent, tmp_path / "run")
    assert agent.answering.most == expected
    assert _predictions(run) == ["Paris"] * _QUESTIONS


def test_a_setting_overrules_what_is_sound(tmp_path: Path) -> None:
    _Alone.answering = _Meeting(2)
    _run(_Alone, tmp_path / "run", limits=Limits(questions=2))
    assert _Alone.answering.most == 2


@pytest.mark.slow
def test_a_wait_for_the_memory_is_no_part_of_a_question_or_of_its_time_limit(
    served: Served, tmp_path: Path
) -> None:
    class Slow(_Memory):
        def search(self, query: str, k: int) -> Any:
            time.sleep(1.0)
            return [query]

    limits = Limits(answer_seconds=4.0)  # All searches together take longer.
    run = _run(Slow, tmp_path / "run", limits=limits, base_url=served.url)
    assert not [sample.error for sample in run.samples() if sample.error]
    assert all(timing.seconds < 4 for timing in RunFolder(run.folder).timings())


def test_questions_of_a_point_are_asked_before_the_history_goes_on(
    served: Served, tmp_path: Path
) -> None:
    class Telling(_Memory):
        def __init__(self) -> None:
            self.texts: list[str] = []

        def add(self, text: str) -> None:
            self.texts.append(text)

        def search(self, query: str, k: int) -> Any:
            return [Passage(f"{len(self.texts)} turns")]

    asked = [("How many?", "1"), ("And how many?", "1"), ("And in the end?", "2")]
    data = talks(talk(turns(), asked, asked_after=["t1", "t1", None]))
    run = _run(Telling, tmp_path / "run", data, base_url=served.url)
    found = {sample.question_index: sample.retrieved for sample in run.samples()}
    assert [str(found[index]) for index in (0, 1)] == [str(found[0])] * 2
    assert str(found[2]) != str(found[0])


def test_scores_and_samples_are_those_of_one_question_after_the_other(
    served: Served, tmp_path: Path
) -> None:
    served.answer = lambda prompt: "Paris" if "box 3" in prompt else "Rome"
    _Memory.searching = _Meeting(1)
    made = [
        _run(_Memory, tmp_path / str(number), limits=limits, base_url=served.url)
        for number, limits in enumerate((Limits(questions=1), Limits()))
    ]
    one, many = ({s.key: replace(s, run=None) for s in run.samples()} for run in made)
    assert one == many
    assert len(one) == _QUESTIONS
