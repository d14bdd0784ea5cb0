"""Operations on a memory as data, so that a history can be stored and carried out again.

The words of the facts come from the seed alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Literal

from mabench.bench.versioned_facts import VersionedFacts
from mabench.json_text import IfKnown, JsonRecord
from mabench.stressing import planted

# Names that a careless prefix, pattern or joined key takes for one another.
USERS = ("mara", "mara2", "mara_2", "mara:2", "maraX2", "Mara", "mar")
_EAST, _WEST = timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-8))
_BEGINNING = datetime(2024, 3, 1, 10, tzinfo=UTC)
# Moments of the history, in order. A memory that compares what clocks show there, instead of the
# moments, gets another order.
TIMES = (
    _BEGINNING,
    (_BEGINNING + timedelta(hours=1)).astimezone(_WEST),
    (_BEGINNING + timedelta(hours=2)).astimezone(_EAST),
    _BEGINNING + timedelta(hours=3),
    (_BEGINNING + timedelta(days=31)).astimezone(_WEST),
    _BEGINNING + timedelta(days=3653),  # Ten years later.
)
# Texts that are added, and contradict what was told of their facts before.
UNDATED_CONTRADICTIONS = ("replace", "correct", "retract")
CONTRADICTIONS = (*UNDATED_CONTRADICTIONS, "bound")
# Texts that are added with a secret, or with an instruction.
PLANTED = ("secret", "instruction")
# All texts that are added in other words than `add` does: `paraphrase` tells a fact once more, and
# `record` tells two.
TOLD = ("paraphrase", "record", *CONTRADICTIONS, *PLANTED)
WRITES = ("add", *TOLD, "update", "delete", "delete-user")
# Until when a fact holds that is bounded.
BOUND = TIMES[4]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(JsonRecord):
    """One operation of a history."""

    # What is done.
    op: Literal[
        "add", "paraphrase", "record", "replace", "correct", "retract", "bound", "secret",
        "instruction", "update", "delete", "delete-user", "search", "list", "ask", "ready",
        "maintain", "reopen", "kill", "disk-full", "disk-free", "model-spoiled", "model-well",
    ]  # fmt: skip
    step: int = 0  # Operations with the same number run concurrently.
    client: int = 1  # The number of its client, from 1.
    user: IfKnown[str | None] = None  # Whose memory it is about.
    fact: IfKnown[int | None] = None  # Which fact is added, updated, deleted or searched for.
    # Which of its values is added or asked for, from 0; of faults, their seed.
    version: IfKnown[int | None] = None
    count: IfKnown[int | None] = None  # How many facts, from `fact` on; one if left out.
    clients: IfKnown[int | None] = None  # How many of them at a time.
    time: IfKnown[datetime | None] = None  # The time of the fact, or the time to search as of.
    k: IfKnown[int | None] = None  # How many results are asked for.
    text: IfKnown[str | None] = None  # The added or new text; of several, the first.
    query: IfKnown[str | None] = None  # The query; of several, the first.

    @property
    def reads(self) -> bool:
        """Whether it shows what is stored."""
        return self.op in ("search", "list")

    @property
    def facts(self) -> range:
        """The facts that it is about."""
        first = self.fact or 0
        if self.op == "record":
            return range(first, first + 2)
        count = 1 if self.count is None else self.count
        return range(first, first + count)


def facts_of_seed(seed: int) -> VersionedFacts:
    """Return the facts that the histories of a seed are about."""
    return VersionedFacts(f"mabench stress: {seed}")


def text_of(operation: Operation, facts: VersionedFacts) -> str | None:
    """Return the text that an operation tells, of several facts that of the first; None if none."""
    match operation.op:
        case "add" | "update":
            return facts.text(operation.fact, operation.version)
        case "paraphrase":
            return facts.paraphrase(operation.fact, operation.version)
        case "replace":
            return facts.replacement(operation.fact, operation.version)
        case "correct":
            return facts.correction(operation.fact, operation.version)
        case "retract":
            return facts.retraction(operation.fact)
        case "record":
            return facts.record(operation.fact)
        case "bound":
            return facts.bound(operation.fact, operation.version, BOUND)
        case "secret":
            return planted.secret(facts, operation.fact)
        case "instruction":
            return planted.instruction(facts, operation.fact)
    return None


def spell_out(operations: Iterable[Operation], facts: VersionedFacts) -> list[Operation]:
    """Return operations with the texts and queries of their facts, their steps without gaps."""
    listed = [*operations]
    steps = sorted({each.step for each in listed})
    new_numbers = {step: number for number, step in enumerate(steps, start=1)}
    return [
        replace(
            each,
            step=new_numbers[each.step],
            text=text_of(each, facts),
            query=facts.query(each.fact, each.version) if each.op == "search" else None,
        )
        for each in listed
    ]
