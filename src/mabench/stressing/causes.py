"""What a violation may be due to: operations without which the same history may show nothing wrong.

Each cause is tried by playing the history again without them. So a violation is never named after
an operation that only happened to come before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mabench.stressing.histories.history import History
from mabench.stressing.operations import Operation
from mabench.stressing.reference.violations import EXPOSURES, MISSING, Violation


@dataclass(frozen=True, slots=True)
class ViolationCause:
    """What a violation is called if it is due to certain operations."""

    name: str  # Of the violation, if it is due to them.
    seen_as: frozenset[str]  # What it is called otherwise.
    # Returns the operations without those; the same ones if there are none.
    _without: Callable[[Sequence[Operation], Violation], Sequence[Operation]]

    def leave_out(self, history: History, seen: Violation) -> History | None:
        """Return a history without the operations; None if it has none of them.

        Those after the violation are left out, too.
        """
        last_step = history.operations[seen.position].step
        before = [each for each in history.operations if each.step <= last_step]
        rest = [*self._without(before, seen)]
        return None if rest == before else history._replace(operations=rest)


def possible_causes(history: History) -> list[ViolationCause]:
    """Return the causes that what a history shows may have."""
    operations = {each.op for each in history.operations}
    if "kill" in operations:
        return [_KILL]
    # With several clients, nothing is sure to show again.
    if history.clients > 1:
        return []
    causes: list[ViolationCause] = []
    if "paraphrase" in operations:
        causes.append(_PARAPHRASE)
    if operations & {"delete", "delete-user"}:
        causes += [_RETURN, _DELETED_COPY]
    return causes


def _closed_instead_of_killed(
    operations: Sequence[Operation], seen: Violation
) -> Sequence[Operation]:
    """Close and reopen the memory where it was killed."""
    return [replace(each, op="reopen") if each.op == "kill" else each for each in operations]


def _told_in_the_same_words(
    operations: Sequence[Operation], seen: Violation
) -> Sequence[Operation]:
    """Tell in the same words what was told in others."""
    return [replace(each, op="add") if each.op == "paraphrase" else each for each in operations]


def _without_maintenance_and_repetition(
    operations: Sequence[Operation], seen: Violation
) -> Sequence[Operation]:
    """Leave out all maintenance, and what was told although it was there.

    Of other facts than the one that was seen, all is left out that was told before.
    """
    # The facts that are there, and those that were ever told, each with its user.
    live: set[tuple[str | None, int]] = set()
    told_before: set[tuple[str | None, int]] = set()
    kept: list[Operation] = []
    for each in operations:
        own_facts = {(each.user, fact) for fact in each.facts}
        match each.op:
            case "maintain":
                continue
            case "add" | "paraphrase":
                of_other_facts = {(user, fact) for user, fact in told_before if fact != seen.fact}
                is_repetition = own_facts <= live | of_other_facts
                if is_repetition:
                    continue
                live |= own_facts
                told_before |= own_facts
            case "delete":
                live -= own_facts
            case "delete-user":
                live = {(user, fact) for user, fact in live if user != each.user}
        kept.append(each)
    return kept


def _without_deletions_of_copies(
    operations: Sequence[Operation], seen: Violation
) -> Sequence[Operation]:
    """Leave out deletions of other users than the one who misses a text."""
    if seen.operation is None:
        return operations
    user = seen.operation.user
    return [
        each for each in operations if each.op not in ("delete", "delete-user") or each.user == user
    ]


_STALE_OR_GONE = ("stale", "deleted")
_KILL = ViolationCause(
    "lost-on-kill",
    frozenset({"lost-write", "stale-after-update", "deleted-found", "not-as-of", "fails"}),
    _closed_instead_of_killed,
)
_PARAPHRASE = ViolationCause(
    "paraphrase-mistaken",
    frozenset(
        {*MISSING, "not-as-of", *(each for each in EXPOSURES if EXPOSURES[each] in _STALE_OR_GONE)}
    ),
    _told_in_the_same_words,
)
_RETURN = ViolationCause(
    "resurrected", frozenset({"deleted-found"}), _without_maintenance_and_repetition
)
_DELETED_COPY = ViolationCause(
    "copy-deleted", frozenset({"lost-write"}), _without_deletions_of_copies
)
