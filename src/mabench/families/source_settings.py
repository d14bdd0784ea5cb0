"""Applies the settings of a source to its family: its unit and its metric."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping

from mabench.data import Problem, RowContent
from mabench.data.problems import describe
from mabench.data.records import Record
from mabench.data.sources.units import find_unit_starts
from mabench.data.validation import RowCheck
from mabench.errors import DataError, UsageError, unknown
from mabench.families.cutting import cut_at
from mabench.families.family import Family, ScoringInput
from mabench.scoring import Corrected


def correction_named(
    base: Family, metric: str
) -> Callable[[ScoringInput], Mapping[str, Corrected]]:
    """Return the verdicts of the family's rule for another of its metrics that is right or wrong.

    A metric that is a share, such as F1, has none: the rule says nothing of it.

    Raises:
        UsageError: when the family has no such metric.
    """
    values_of_nothing = base.official(ScoringInput(prediction="", answers=[""]))
    known = [base.metric]
    if base.rubric is None:
        known += [name for name in values_of_nothing if name != base.metric]
    if metric not in known:
        rest = f"known: {', '.join(known)}"
        if base.rubric:
            rest += '; a family without a judge, such as "answer", has others'
        raise UsageError(unknown(f"no metric of the family {base.name} named", metric, known, rest))

    is_verdict = isinstance(values_of_nothing.get(metric), bool)

    def corrected(case: ScoringInput) -> Mapping[str, Corrected]:
        if not is_verdict:
            return {}
        decided = base.corrected(case).get(base.metric)
        return {} if decided is None else {metric: decided}

    return corrected


def units_of(unit: str, context: str) -> list[str]:
    """Cut a history into units, each of which begins with a match of the pattern ``unit``.

    Raises:
        DataError: when finding them takes too long.
    """
    return cut_at(context, find_unit_starts(unit, context))


def finds_units(unit: str) -> RowCheck:
    """Return a check that histories have at least two units."""

    def check(record: Record, content: RowContent, _: Container[int] | None) -> Iterator[Problem]:
        try:
            found = units_of(unit, content.context)
        except DataError as error:
            yield record.error("context", str(error), "a history in which units are found at once")
            return
        if len(found) < 2:
            what = f"{len(found)} unit by {describe(unit)}"
            yield record.warning("context", what, "several, between which chunks are cut")

    return check
