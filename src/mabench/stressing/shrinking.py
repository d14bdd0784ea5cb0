"""Shortens a history that shows a violation, beyond what Hypothesis shrinks."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from mabench.bench.clock import TimeBudget
from mabench.stressing.histories.history import History
from mabench.stressing.operations import Operation
from mabench.stressing.player import play_until_seen
from mabench.stressing.reference.violations import Violation
from mabench.stressing.stressed import StressedMemory

# Seconds for leaving operations out: as long as 20 plays take, but at least 3 and at most 12.
_PLAYS, _LEAST_SECONDS, _MOST_SECONDS = 20, 3.0, 12.0

# Plays operations, and returns the violation if they show it again.
_Show = Callable[[Sequence[Operation]], Violation | None]


def shorten(
    memory: StressedMemory, history: History, seen: Violation, known: Collection[str]
) -> tuple[Violation, list[Operation]]:
    """Return the shortest operations found that show a violation, and what they show.

    ``known`` are the names of violations to be passed over. Operations that do not show it again
    may be returned, if several clients show it only now and then.
    """
    start = time.monotonic()

    def show(operations: Sequence[Operation]) -> Violation | None:
        # Without an update, a later value may be told beside the earlier one. A right memory may
        # then show both, and would look wrong. With several clients any order may have been meant.
        if history.clients == 1 and _tells_another_value(operations):
            return None
        again = history._replace(operations=operations, drawn=len(operations))
        return play_until_seen(memory, again, seen.name, known)

    shortest, violation = _without_bystanders(history, seen, show)
    # A rough time of one play: the step above shows the history about once, in at most ``tries``
    # plays. A play takes milliseconds, or seconds if each makes a process.
    play_seconds = (time.monotonic() - start) / history.tries
    seconds = min(_MOST_SECONDS, max(_LEAST_SECONDS, _PLAYS * play_seconds))
    # The last operation, which shows the violation, is kept.
    kept = 0 if seen.operation is None else 1
    return _leave_out(shortest, violation, show, kept, memory.clock.budget(seconds))


def _tells_another_value(operations: Sequence[Operation]) -> bool:
    """Return whether a text is told with another value than the one that holds.

    No history that is composed does that, since a memory may then show both.
    """
    held: dict[tuple[str | None, int], int | None] = {}
    for each in operations:
        for about in ((each.user, fact) for fact in each.facts):
            match each.op:
                case "add" | "paraphrase" if held.get(about, each.version) != each.version:
                    return True
                case "add" | "paraphrase" | "record" | "update" | "replace" | "correct" | "bound":
                    held[about] = each.version
                case "delete" | "retract":
                    held.pop(about, None)
        if each.op == "delete-user":
            held = {about: version for about, version in held.items() if about[0] != each.user}
    return False


def _without_bystanders(
    history: History, seen: Violation, show: _Show
) -> tuple[list[Operation], Violation]:
    """Return the fewest operations tried that show the violation, and what they show.

    The candidates leave out what seldom takes part in a violation: other facts, then all looks but
    the last. If none shows it, the first violation is returned as it was seen.
    """
    operations = [*history.operations]
    last = operations[seen.position]
    up_to_last = relevant = [each for each in operations if each.step <= last.step]
    fact = seen.fact
    if seen.operation:
        fact = seen.operation.fact if fact is None else fact
        if seen.position >= history.drawn:  # Of all that looks in the end, one look is enough.
            last = replace(seen.operation, step=last.step) if seen.operation.reads else last
            relevant = [*operations[: history.drawn], last]

    def without_looks(listed: Sequence[Operation]) -> list[Operation]:
        return [each for each in listed if each is last or not each.reads]

    all_writes = without_looks(up_to_last)
    for candidate in (
        _about_one_fact(relevant, fact),
        without_looks(relevant),
        relevant,
        _about_one_fact(all_writes, fact),
        all_writes,
    ):
        if shown := show(candidate):
            return candidate, shown
    rest = up_to_last if history.clients == 1 else relevant
    return rest, seen


def _about_one_fact(operations: Sequence[Operation], fact: int | None) -> list[Operation]:
    """Return the operations that are about a fact, or about none, and each of them once."""
    return [
        each if each.fact is None else replace(each, fact=fact, count=None, clients=None)
        for each in operations
        if each.fact is None or fact in each.facts
    ]


def _leave_out(
    operations: list[Operation], violation: Violation, show: _Show, kept: int, budget: TimeBudget
) -> tuple[Violation, list[Operation]]:
    """Leave out halves, quarters and so on of the operations, as long as the rest shows the same.

    The last ``kept`` operations stay.
    """
    size = len(operations) // 2
    while size and not budget.is_over():
        for start in range(len(operations) - kept - size, -1, -size):
            fewer = operations[:start] + operations[start + size :]
            if not budget.is_over() and (shown := show(fewer)):
                operations, violation = fewer, shown
        size //= 2
    return violation, operations
