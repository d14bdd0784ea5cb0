"""Instances of a subject come and go as its settings say."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from mabench.bench.clock import Clock
from mabench.bench.subject import Subject, find_process_factory
from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from tests.stressing.correct import Filed, Held


def subject_of(agent: Any, **settings: Any) -> Subject[Conversation]:
    factory, _ = open_agent(RunSpec(agent=AgentSpec(agent=agent)))
    return Subject(factory, Conversation, Clock(60, settings.pop("seconds", 60)), **settings)


def test_an_instance_stores_in_a_new_folder_unless_one_is_given(tmp_path: Path) -> None:
    subject = subject_of(Filed, folder=tmp_path)

    async def look() -> list[str]:
        async with subject.fresh() as first, subject.fresh() as second:
            await first.tell("amber")
            assert first.folder != second.folder
        again = await subject.open(folder=first.folder)
        try:
            return await again.list_texts()
        finally:
            await subject.close(again)

    assert subject.run(look()) == ["amber"]
    assert len([*tmp_path.iterdir()]) == 2


class FailsToClose(Held):
    def close(self) -> None:
        raise ValueError("stuck")


@pytest.mark.parametrize("harmless", [ValueError, KeyError])
def test_only_a_harmless_error_of_closing_is_passed_over(harmless: type[Exception]) -> None:
    closed: list[str] = []

    async def close() -> None:
        async with subject_of(FailsToClose, harmless_when_closing=harmless).fresh():
            pass
        closed.append("yes")

    if harmless is ValueError:
        asyncio.run(close())
    else:
        with pytest.raises(Exception, match="stuck"):
            asyncio.run(close())
    assert bool(closed) == (harmless is ValueError)


class Slow(Held):
    def add(self, text: str, **fields: Any) -> str:
        time.sleep(0.5)
        return "1"

    def close(self) -> None:
        raise AssertionError("it hangs, and is called all the same")


def test_an_instance_that_hangs_is_not_called_any_more() -> None:
    subject = subject_of(Slow, seconds=0.1, harmless_when_closing=KeyError)

    async def hang() -> None:
        async with subject.fresh() as instance:
            await instance.tell("amber")

    with pytest.raises(TimeoutError, match=r"no result within 0\.1 s"):
        subject.run(hang())


def test_it_lives_in_a_process_of_its_own_if_it_can_be_made_there(tmp_path: Path) -> None:
    class Local(Held):
        pass

    def found(agent: Any) -> Any:
        spec = AgentSpec(agent=agent)
        return find_process_factory(spec, open_agent(RunSpec(agent=spec))[0])

    assert found(Local) is None
    assert found(Held) is not None
    subject = subject_of(Filed, folder=tmp_path, process_factory=found(Filed))

    async def look() -> tuple[list[int], list[int], list[str]]:
        async with subject.fresh() as here:
            processes_here = subject.processes_of(here)
        there = await subject.open(own_process=True)
        processes = subject.processes_of(there)
        await there.tell("amber")
        await subject.kill(there)
        again = await subject.open(folder=there.folder)
        texts = await again.list_texts()
        await subject.close(again)
        return processes_here, processes, texts

    here, there, texts = subject.run(look())
    assert here == []
    assert len(there) >= 1
    assert texts == ["amber"]


def test_what_a_memory_promises_is_known_from_another_process_too() -> None:
    spec = AgentSpec(agent="tests.stressing.correct:Resolving")
    there = find_process_factory(spec, open_agent(RunSpec(agent=spec))[0])
    subject = subject_of(Held, process_factory=there)

    async def look() -> tuple[frozenset[str], frozenset[str]]:
        async with subject.fresh() as held, subject.fresh(own_process=True) as resolving:
            return held.takes.promises, resolving.takes.promises

    held, resolving = subject.run(look())
    assert held == frozenset()
    assert resolving == {"resolves_contradictions"}
