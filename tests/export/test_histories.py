"""One agent for each history, told once and asked one question at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import mabench
from mabench.data import Row
from mabench.errors import DataError, UsageError
from mabench.export.histories import Answered, Histories
from mabench.runs import AgentSpec, DataSpec, RunSpec
from tests.export.agents import Noting
from tests.rows import FACTS, dataset, row

_SOURCE = "factconsolidation_sh_6k"
_NOTING = "tests.export.agents:Noting"


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    Noting.forget_all()
    yield
    Noting.forget_all()


def _rows() -> list[Row]:
    pairs = [("Where does Ann live?", ["Bern"]), ("Where does Bob live?", ["Oslo"])]
    return [
        row(_SOURCE, FACTS.replace("Ann", name), pairs, index)
        for index, name in enumerate(("Ann", "Eve"))
    ]


def _histories(agent: str = _NOTING, **settings: object) -> Histories:
    spec = RunSpec(
        agent=AgentSpec(agent=agent, settings=settings),
        data=DataSpec(data=dataset(_rows()), sources=(_SOURCE,)),
    )
    return Histories(spec, _SOURCE)


def _ask(histories: Histories, places: Sequence[tuple[int, int]], epoch: int = 1) -> list[Answered]:
    """Ask several questions at a time; a place is a row and a question of it."""

    async def all_at_once() -> list[Answered]:
        return await asyncio.gather(*(histories.ask(*place, epoch) for place in places))

    return asyncio.run(all_at_once())


_ALL = [(0, 0), (1, 0), (0, 1), (1, 1)]


def test_each_history_has_one_agent_that_is_asked_in_turn() -> None:
    _ask(_histories(), _ALL)
    assert len(Noting.made) == 2
    for agent, name in zip(Noting.made, ("Ann", "Eve"), strict=True):
        assert name in "".join(agent.told)
        assert len(agent.asked) == 2
        assert agent.closed
    assert Noting.most_at_once == 1


def test_an_agent_stays_open_while_questions_are_left() -> None:
    histories = _histories()
    _ask(histories, [(0, 0)])
    _ask(histories, [(1, 0), (1, 1)])  # Another event loop of the caller does not matter.
    assert [agent.closed for agent in Noting.made] == [False, True]
    histories.close()
    assert [agent.closed for agent in Noting.made] == [True, True]
    assert _ask(histories, [(0, 0)])[0].prediction == "Bern"
    histories.close()


def test_each_epoch_has_memories_of_its_own() -> None:
    histories = _histories()
    for epoch in (1, 2):
        _ask(histories, [(0, 0), (0, 1)], epoch)
    assert len(Noting.made) == 2


def test_a_failed_answer_is_recorded_and_the_next_is_asked() -> None:
    failed, answered = _ask(_histories(fail_on="Ann"), [(0, 0), (0, 1)])
    assert (failed.prediction, failed.error) == (None, "ValueError: I will not say")
    assert answered.prediction == "Bern"


def test_a_history_that_cannot_be_memorized_fails_its_questions() -> None:
    answers = _ask(_histories(forget=True), [(0, 0), (0, 1)])
    assert {one.error for one in answers} == {"memorizing failed: OSError: no room left"}
    assert len(Noting.made) == 1
    assert Noting.made[0].asked == []


@pytest.mark.parametrize("agent", ["bm25", "floor", "oracle"])
def test_answers_are_those_of_a_run(agent: str, tmp_path: Path) -> None:
    run = mabench.run(agent, dataset(_rows()), out=tmp_path / "run")
    places = [(sample.row, sample.question_index) for sample in run.samples()]
    answers = _ask(_histories(agent), places)
    assert [one.prediction for one in answers] == [one.prediction for one in run.samples()]
    assert [one.hit_rank for one in answers] == [one.hit_rank for one in run.samples()]


def test_what_is_wrong_is_said_before_anything_is_asked() -> None:
    with pytest.raises(UsageError, match="no agent named 'nobody'"):
        _histories("nobody")
    spec = RunSpec(data=DataSpec(data=dataset(_rows()), sources=("eventqa_full",)))
    with pytest.raises(DataError, match="no rows of eventqa_full"):
        Histories(spec, "eventqa_full")
