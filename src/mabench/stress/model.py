"""What a memory may show after which operations: the reference that all results are held against.

Each fact is a register of its own: a history is legal exactly if that of each fact is, so that
small searches decide long histories (Herlihy and Wing, 1990). The state of a fact is the values
that it was given, with their times. A write takes effect at one moment between its call and its
return; one that failed may have taken effect at any moment since, or never. A read is legal if
some order of all that was done, which keeps what ended before something else began, gives it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from mabench.stress.operations import READS, WRITES, Facts, Operation


class Value(NamedTuple):
    """A value that a fact was given: which of its versions, and since when it holds."""

    version: int
    time: datetime | None = None


State = tuple[Value, ...]  # The last one holds; empty where there is no such text.


@dataclass(frozen=True, slots=True)
class Access:
    """What an operation did to one fact, or showed of it, between two moments.

    Attributes:
        kind: ``add``, ``update``, ``delete`` or ``read``.
        start, end: when it began and ended, in seconds; a write that failed never ended.
        value: what is written.
        shown: the version that a read showed; None for none.
        as_of: the moment that a read asks about; None for the present.
    """

    kind: str
    start: float
    end: float
    value: Value | None = None
    shown: int | None = None
    as_of: datetime | None = None

    def after(self, state: State) -> Iterator[State]:
        """Yield the states that it may leave; none where it cannot come after ``state``."""
        match self.kind, self.value:
            case "add", Value() as value:
                yield (*state, value)
            case "update", Value() as value:
                # A text that was deleted may come back by it, or not.
                if value.time is None and state:
                    value = value._replace(time=state[-1].time)
                yield (*state, value)
                if not state:
                    yield state
            case "delete", _:
                yield ()
            case _:
                if self.is_legal(state):
                    yield state

    def is_legal(self, state: State) -> bool:
        """Return whether a read may show what it shows; what no longer held may be forgotten."""
        held = state
        if self.as_of is not None:
            held = tuple(each for each in state if each.time is None or each.time <= self.as_of)
        if self.shown is None:
            return not held or held[-1] != state[-1]
        return bool(held) and held[-1].version == self.shown


def is_linearizable(accesses: Sequence[Access]) -> bool:
    """Return whether some order of the accesses of one fact explains all that was shown."""
    ordered = sorted(accesses, key=lambda access: access.start)
    everything = sum(1 << place for place, each in enumerate(ordered) if each.end < math.inf)
    seen: set[tuple[int, State]] = set()
    waiting: list[tuple[int, State]] = [(0, ())]
    while waiting:
        done, state = waiting.pop()
        if done & everything == everything:
            return True
        if (done, state) in seen:
            continue
        seen.add((done, state))
        left = [(place, each) for place, each in enumerate(ordered) if not done >> place & 1]
        first_end = min(each.end for _, each in left)
        for place, each in left:
            if each.start <= first_end:
                waiting += [(done | 1 << place, after) for after in each.after(state)]
    return False


@dataclass(slots=True)
class Event:
    """An operation as it was carried out, and what it returned.

    Attributes:
        start, end: when it was called and when it returned, in seconds of one clock.
        texts: what a search or a list showed, the first first.
        scores: how well each fits, where the memory says so.
        error: how it failed; None where it did not.
        hung: whether it failed by taking too long.
        alone: whether nothing else was under way.
    """

    operation: Operation
    start: float
    end: float
    texts: Sequence[str] = ()
    scores: Sequence[float | None] = ()
    error: str | None = None
    hung: bool = False
    alone: bool = True


class Violation(NamedTuple):
    """What no order of the operations explains."""

    name: str
    message: str
    fact: int | None = None
    lags: bool = False  # Whether a memory that shows writes later would show this for a while.
    severity: str = "fault"


_LATER = 1e18  # After everything.


@dataclass(slots=True)
class Model:
    """Judges each event of a history as it is told, in the order in which they ended.

    Attributes:
        facts: what the words mean.
        by_user: whether searches are of one user's memory.
        is_ready_later: whether writes may be shown only once ``ready`` has returned.
    """

    facts: Facts
    by_user: bool = False
    is_ready_later: bool = False
    _owners: dict[int, str | None] = field(default_factory=dict)
    _writes: dict[int, list[Access]] = field(default_factory=dict)
    _reads: dict[int, list[Access]] = field(default_factory=dict)
    _unready: list[tuple[int, int, float]] = field(default_factory=list)
    _seen: dict[Operation, Event] = field(default_factory=dict)  # Since the last write.

    def judge(self, event: Event) -> list[Violation]:
        """Return what is wrong with an event, which is remembered as far as it is legal."""
        operation = event.operation
        if operation.op in WRITES:
            self._seen.clear()
            self._write(event)
        elif operation.op == "ready" and event.error is None:
            self._settle(event)
        elif operation.op in READS and event.error is None:
            violations = [*self._strangers(event), *self._readings(event), *self._doubles(event)]
            return violations or [*self._reordered(event)]
        return []

    def deleted(self) -> list[int]:
        """Return the facts of which nothing may be left: they were deleted, and are not stored."""
        return [
            fact
            for fact, writes in self._writes.items()
            if any(each.kind == "delete" for each in writes)
            and self._may_show(fact, None)
            and not any(self._may_show(fact, version) for version in self.versions(fact))
        ]

    def versions(self, fact: int) -> list[int]:
        """Return the versions that a fact was given."""
        return [each.value.version for each in self._writes.get(fact, ()) if each.value]

    def _may_show(self, fact: int, shown: int | None) -> bool:
        return self._explains(fact, Access("read", _LATER, _LATER, shown=shown))

    def _explains(self, fact: int, read: Access) -> bool:
        # Where writes show later, they may do so here before there: each read stands for itself.
        others = [] if self.is_ready_later else self._reads.get(fact, [])
        return is_linearizable([*self._writes.get(fact, ()), *others, read])

    def _write(self, event: Event) -> None:
        operation, kind = event.operation, event.operation.op
        facts: Iterable[int] = operation.added
        if kind == "delete-user":
            facts = [fact for fact, owner in self._owners.items() if owner == operation.user]
            kind = "delete"
        has_value = kind in ("add", "update")
        value = Value(operation.version or 0, operation.time) if has_value else None
        end = math.inf if event.error is not None or self.is_ready_later else event.end
        for fact in facts:
            if kind == "add":
                self._owners[fact] = operation.user
            writes = self._writes.setdefault(fact, [])
            if event.error is None and self.is_ready_later:
                self._unready.append((fact, len(writes), event.end))
            writes.append(Access(kind, event.start, end, value))

    def _settle(self, event: Event) -> None:
        """Let the writes that had returned when ``ready`` was called be done when it returned."""
        for fact, place, returned in self._unready:
            if returned <= event.start:
                writes = self._writes[fact]
                writes[place] = replace(writes[place], end=event.end)
        self._unready = [each for each in self._unready if each[2] > event.start]

    def _readings(self, event: Event) -> Iterator[Violation]:
        operation = event.operation
        shown: dict[int, set[int]] = {}
        for text in event.texts:
            for fact, version in self.facts.versions_in(text):
                shown.setdefault(fact, set()).add(version)
        sought = {operation.fact} if operation.op == "search" else {*self._owners}
        for fact in sorted({*sought, *shown} & self._owners.keys()):  # type: ignore[type-var]
            if self.by_user and self._owners[fact] != operation.user:
                continue
            for version in sorted(shown.get(fact, ())) or [None]:  # type: ignore[list-item]
                as_of = operation.time if operation.op == "search" else None
                read = Access("read", event.start, event.end, shown=version, as_of=as_of)
                if self._explains(fact, read):
                    self._reads.setdefault(fact, []).append(read)
                else:
                    yield self._name(fact, read)

    def _name(self, fact: int, read: Access) -> Violation:
        """Return what is wrong with a read that nothing explains."""
        subject, present = self.facts.subject(fact), replace(read, as_of=None)
        if read.shown is None:
            held = [v for v in self.versions(fact) if self._explains(fact, replace(read, shown=v))]
            missing = " or ".join(self.facts.value(fact, version) for version in held)
            message = f"the text about {subject} was not there, though {missing} was stored"
            name = "lost-write" if read.as_of is None else "not-as-of"
            return Violation(name, message, fact, lags=True)
        value = self.facts.value(fact, read.shown)
        if self._explains(fact, replace(present, shown=None)):
            message = f"{value} was there, though the text about {subject} was deleted"
            return Violation("deleted-found", message, fact, lags=True)
        if read.as_of is None:
            message = f"{value} was there, though the text about {subject} was updated"
            return Violation("stale-after-update", message, fact, lags=True)
        times = [each.value.time for each in self._writes[fact] if each.value]
        since = max((time for time in times if time is not None), default=read.as_of)
        which = "holds only later" if since > read.as_of else "no longer held"
        message = f"as of {read.as_of.isoformat()}, {value} was there, which {which}"
        return Violation("not-as-of", message, fact, lags=since <= read.as_of)

    def _strangers(self, event: Event) -> Iterator[Violation]:
        if not self.by_user:
            return
        user = event.operation.user
        for fact, version in sorted({*self._shown(event)}):
            if fact in self._owners and self._owners[fact] != user:
                text, owner = self.facts.value(fact, version), self._owners[fact]
                message = f"{text} was there for {user}, though it is of {owner}"
                yield Violation("other-user", message, fact)

    def _shown(self, event: Event) -> Iterator[tuple[int, int]]:
        for text in event.texts:
            yield from self.facts.versions_in(text)

    def _doubles(self, event: Event) -> Iterator[Violation]:
        shown = self.facts.full_versions_in(event.texts)
        for fact, version in sorted({*shown}):
            times = shown.count((fact, version))
            if fact in self._owners and times > self.versions(fact).count(version):
                value = self.facts.value(fact, version)
                yield Violation("double-write", f"{value} was there {times} times", fact, True)

    def _reordered(self, event: Event) -> Iterator[Violation]:
        if not event.alone or self._unready:
            return
        same = replace(event.operation, step=0, client=1)
        before = self._seen.setdefault(same, event)
        if [*before.texts] == [*event.texts]:
            return
        scores = [*event.scores]
        ties = None not in scores and scores == [*before.scores]
        message = "the same results came in another order, though nothing was written between"
        if sorted(before.texts) != sorted(event.texts):
            message = "the same search had other results, though nothing was written between"
        yield Violation(
            "order-changes", message, None, lags=True, severity="note" if ties else "fault"
        )
