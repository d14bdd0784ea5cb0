"""The first trial of a memory: what it can do, and how long its calls take.

A memory that cannot be judged is refused here; nothing that is seen here counts as a fault.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field

from mabench.contract import Passage
from mabench.contract.answers import describe_in_a_line
from mabench.errors import MabenchError, UsageError
from mabench.runs.conversation import Conversation
from mabench.stressing.abilities import Traits, explain_what_is_not_tried, find_abilities
from mabench.stressing.files import bytes_in
from mabench.stressing.measurements.percentiles import percentiles
from mabench.stressing.operations import TIMES, USERS
from mabench.stressing.report import Readiness
from mabench.stressing.stressed import StressedMemory

_TEXTS, _SECONDS = 10, 30.0  # How many texts are added, and the seconds after which no more are.
_DEPTH = 5 * _TEXTS  # Results that a search is asked for.
_PAUSE_SECONDS = 0.01  # Between two searches for a text.
_AT_ONCE_SECONDS = 0.05  # A text that is found within this time is found at once.
_GIVE_UP_SECONDS = 5.0  # A text that is not found by then is left to histories.
# After the trial, no call hangs within this time. Clients of models try again, and wait between.
_LEAST_CALL_SECONDS, _LEAST_CALL_SECONDS_WITH_FAULTS = 3.0, 30.0


@dataclass(slots=True)
class _FirstTexts:
    """What was seen when the first texts were added."""

    ids: list[object] = field(default_factory=list)  # Of the last text.
    lags: list[float] = field(default_factory=list)  # Seconds until each text was found.
    records: int = 1  # Results of different texts that one text gave, at most.


def try_out(memory: StressedMemory) -> tuple[Readiness | None, list[str]]:
    """Set what can be done with a memory; return how soon texts are found, and what is not tried.

    A UsageError says that it cannot be made, cannot be told anything, or is no memory. A
    ModelUnavailableError says that the model that is to read cannot be used.
    """
    try:
        return memory.subject.run(_try_out(memory))
    except MabenchError:
        raise
    except Exception as error:
        message = f"{memory.name} cannot be stressed: {describe_in_a_line(error)}"
        raise UsageError(message, parameter="agent") from error


async def _try_out(memory: StressedMemory) -> tuple[Readiness | None, list[str]]:
    """Do what ``try_out`` says, in the event loop of the engine."""
    subject = memory.subject
    async with subject.fresh() as instance:
        if not instance.searches:
            raise UsageError(
                f"{memory.name} is an agent, not a memory: stress needs add(text) and "
                "search(query, k)",
                parameter="agent",
            )
        memory.takes, reads = instance.takes, instance.asks_model_apart
        if reads and memory.model:
            await memory.model.preflight()
        first = await _add_and_search(memory, instance)
        if instance.has("maintain"):
            await _maintain(memory, instance, first)
    stores_files = instance.folder is not None and bytes_in(instance.folder) > 0
    await _refuse_shared_storage(memory)
    if not await _can_live_in_own_process(memory):
        subject.process_factory = None
    memory.clock.least_call_seconds = (
        _LEAST_CALL_SECONDS_WITH_FAULTS if memory.model_faults else _LEAST_CALL_SECONDS
    )
    declares_ready = "ready" in memory.takes.methods
    memory.finds_late = not declares_ready and max(first.lags, default=0.0) > _AT_ONCE_SECONDS
    traits = Traits(
        takes=memory.takes,
        ids=first.ids,
        records=first.records,
        takes_folder=subject.factory.takes_folder,
        stores_files=stores_files,
        can_be_killed=subject.process_factory is not None,
        reads=reads,
        has_model_faults=memory.model_faults is not None,
    )
    memory.abilities = find_abilities(traits)
    not_tried = explain_what_is_not_tried(traits, memory.abilities)
    if not first.lags:
        return None, not_tried
    return Readiness(declares_ready, len(first.lags), *percentiles(first.lags)), not_tried


async def _maintain(memory: StressedMemory, instance: Conversation, first: _FirstTexts) -> None:
    """Let it do its background work, and count the records that a text is in afterwards."""
    start = time.perf_counter()
    await instance.maintain()
    memory.clock.observe_call(time.perf_counter() - start)
    await instance.ready()
    for fact in range(len(first.lags)):
        passages = await instance.search(memory.facts.query(fact), _DEPTH, {"user": USERS[0]})
        texts = [passage.text for passage in passages]
        first.records = max(first.records, len(memory.facts.count_records(fact, 0, texts)))


async def _refuse_shared_storage(memory: StressedMemory) -> None:
    """Raise a UsageError if a fresh instance finds fact 0, which the trial told another one."""
    async with memory.subject.fresh() as instance:
        passages: list[Passage] = []
        with suppress(Exception):  # Some cannot search what is empty.
            passages = await instance.search(memory.facts.query(0), _DEPTH, {"user": USERS[0]})
    if any((0, 0) in memory.facts.versions_in(passage.text) for passage in passages):
        raise UsageError(
            f"{memory.name}: a fresh memory knows what another was told, so nothing can be "
            "tested; `mabench check` says more",
            parameter="agent",
        )


async def _can_live_in_own_process(memory: StressedMemory) -> bool:
    """Return whether it can be made in a process of its own."""
    subject = memory.subject
    if subject.process_factory is None or subject.process_factory is subject.factory:
        return subject.process_factory is not None
    try:
        async with subject.fresh(own_process=True):
            return True
    except Exception:
        return False


async def _add_and_search(memory: StressedMemory, instance: Conversation) -> _FirstTexts:
    """Add some texts, and search for each until it is found; observe how long calls take."""
    seen, facts, fields = _FirstTexts(), memory.facts, {"user": USERS[0]}
    budget = memory.clock.budget(_SECONDS)
    for fact in range(_TEXTS):
        if fact and budget.is_over():
            break
        start = time.perf_counter()
        seen.ids = await instance.tell(facts.text(fact), {**fields, "time": TIMES[0]})
        added = time.perf_counter()
        memory.clock.observe_call(added - start)
        await instance.ready()
        while True:
            asked = time.perf_counter()
            passages = await instance.search(facts.query(fact), _DEPTH, fields)
            answered = time.perf_counter()
            memory.clock.observe_call(answered - asked)
            texts = [passage.text for passage in passages]
            records_by_fact = [len(facts.count_records(told, 0, texts)) for told in range(fact + 1)]
            seen.records = max(seen.records, *records_by_fact)
            if any((fact, 0) in facts.versions_in(text) for text in texts):
                break
            if answered - added > min(memory.patience, _GIVE_UP_SECONDS):
                return seen
            await asyncio.sleep(_PAUSE_SECONDS)
        seen.lags.append(round(asked - added, 4))
    return seen
