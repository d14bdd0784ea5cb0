"""Operations on a memory as data, and histories of them.

A history is a list of operations. Those of one step are carried out at the same time, each client
its own in order; steps follow one another. A history can be run again, since the words of the facts
come from the seed alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import groupby
from typing import Literal, NamedTuple

from mabench.bench.versioned_facts import VersionedFacts
from mabench.json_text import IfKnown, JsonRecord

# Names that a careless prefix, pattern or joined key takes for one another.
USERS = ("mara", "mara2", "mara_2", "mara:2", "maraX2", "Mara", "mar")
_EAST, _WEST = timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-8))
# Moments of the history, in order, by the hours since its beginning; who compares what clocks show
# there, and not the moments, has another order.
TIMES = tuple(
    (datetime(2024, 3, 1, 10, tzinfo=UTC) + timedelta(hours=hours)).astimezone(zone)
    for hours, zone in zip(
        (0, 1, 2, 3, 24 * 31, 24 * 3653), (UTC, _WEST, _EAST, UTC, _WEST, UTC), strict=True
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(JsonRecord):
    """One operation of a history."""

    # What is done.
    op: Literal[
        "add", "update", "delete", "delete-user", "search", "list", "ready", "reopen", "kill",
        "disk-full", "disk-free", "model-spoiled", "model-well",
    ]  # fmt: skip
    step: int = 0  # Operations with the same number run concurrently.
    client: int = 1  # The number of its client, from 1.
    user: IfKnown[str | None] = None  # Whose memory it is about.
    fact: IfKnown[int | None] = None  # Which fact is added, updated, deleted or searched for.
    # Which of its values is added or asked for, from 0; of faults, their seed.
    version: IfKnown[int | None] = None
    count: IfKnown[int | None] = None  # How many facts, from `fact` on; one if left out.
    clients: IfKnown[int | None] = None  # How many of them at a time.
    time: IfKnown[datetime | None] = None  # The time of the fact, or as of which to search.
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
        return range(self.fact or 0, (self.fact or 0) + (1 if self.count is None else self.count))


@dataclass(frozen=True, slots=True)
class Abilities:
    """What can be done with a memory, by what it declares and by what it did when tried."""

    kinds: frozenset[str]  # The operations that it has.
    timed: frozenset[str] = frozenset()  # Those of add, update and search that take a time.
    by_user: bool = False  # Whether what is stored and searched has a user.
    records: int = 1  # Results of different texts that one text stored gives, at most.

    def fit(self, operation: Operation) -> Operation | None:
        """Return an operation as it can be carried out, without a time perhaps; None if not."""
        if operation.op not in self.kinds:
            return None
        return operation if operation.op in self.timed else replace(operation, time=None)


class Program(NamedTuple):
    """A history to be carried out: what is of one step, at the same time."""

    operations: Sequence[Operation]
    own: int  # How many of them are its own; the rest looks at all that there is then.
    elsewhere: bool = False  # Whether the memory lives in a process of its own.

    @property
    def clients(self) -> int:
        """How many carry it out at a time, at most."""
        operations = self.operations
        return max((each.client + (each.clients or 1) - 1 for each in operations), default=1)

    def steps(self) -> Iterator[dict[int, Operation]]:
        """Yield what is carried out at the same time, by places: of one client, each by itself."""
        for _, group in groupby(enumerate(self.operations), lambda each: each[1].step):
            step = dict(group)
            if len({each.client for each in step.values()}) > 1:
                yield step
            else:
                yield from ({place: each} for place, each in step.items())

    @property
    def tries(self) -> int:
        """How often it is carried out to be seen again: several clients seldom do the same."""
        return 5 if self.clients > 1 else 1


def facts_of_seed(seed: int) -> VersionedFacts:
    """Return the facts that the histories of a seed are about."""
    return VersionedFacts(f"mabench stress: {seed}")


def spell_out(operations: Iterable[Operation], facts: VersionedFacts) -> list[Operation]:
    """Return operations with the texts and queries of their facts, their steps without gaps."""
    listed = [*operations]
    steps = sorted({each.step for each in listed})
    return [
        replace(
            each,
            step=1 + steps.index(each.step),
            text=facts.text(each.fact, each.version) if each.op in ("add", "update") else None,
            query=facts.query(each.fact, each.version) if each.op == "search" else None,
        )
        for each in listed
    ]
