"""Carries the histories of an older report out again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mabench.contract.answers import describe_in_a_line
from mabench.errors import UsageError
from mabench.stressing.abilities import Abilities
from mabench.stressing.histories.history import History
from mabench.stressing.measurements.growth import find_growth
from mabench.stressing.measurements.obedience import measure_obedience, obedience_finding
from mabench.stressing.operations import Operation
from mabench.stressing.player import play_until_seen
from mabench.stressing.report import StressFinding
from mabench.stressing.stressed import StressedMemory

_GROWTH_SECONDS = 60.0  # For seeing again whether a memory grows.
_OBEDIENCE_SECONDS = 600.0  # For asking a model again.


def replay(
    memory: StressedMemory, findings: Iterable[StressFinding]
) -> tuple[list[StressFinding], list[str]]:
    """Return the findings that are seen again, and which operations the memory does not offer.

    Those operations are left out of the histories.
    """
    seen_again, missing = list[StressFinding](), set[str]()
    for finding in findings:
        operations = _select_possible(finding.history, memory.abilities, missing)
        history = History(operations, len(operations), finding.elsewhere)
        if any(each.op == "ask" for each in finding.history):
            if "ask" not in memory.abilities.kinds:
                missing.add("ask")
            elif found := _ask_again(memory):
                seen_again.append(found)
        elif finding.name == "grows":
            seen_again += find_growth(memory, _GROWTH_SECONDS)
        elif seen := play_until_seen(memory, history):
            seen_again.append(
                StressFinding(seen.name, seen.severity, seen.message, operations, finding.elsewhere)
            )
    return seen_again, sorted(missing)


def _ask_again(memory: StressedMemory) -> StressFinding | None:
    """Return the finding that a reader obeys, if it is seen again; a UsageError if none answers."""
    try:
        obedience = measure_obedience(memory, _OBEDIENCE_SECONDS)
    except Exception as error:
        message = f"a reader cannot be asked again: {describe_in_a_line(error)}"
        raise UsageError(message, parameter="replay") from error
    return obedience_finding(memory, obedience) if obedience else None


def _select_possible(
    operations: Sequence[Operation], abilities: Abilities, missing: set[str]
) -> list[Operation]:
    """Return operations as a memory can carry them out; add what it cannot do to ``missing``."""
    fitting: list[Operation] = []
    for each in operations:
        # A memory without ready() is always ready.
        fit = each if each.op == "ready" else abilities.fit(each)
        if fit is None:
            missing.add(each.op)
        elif each.op == "search" and fit.time != each.time:
            missing.add("search as of a time")
        else:
            fitting.append(fit)
    return fitting
