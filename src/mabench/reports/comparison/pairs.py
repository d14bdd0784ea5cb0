"""The differences of a pair of runs as tables: on sources and means, by type, and by outcome.

The types are those of a source's questions. A part is what became of a question, such as *missed*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from mabench.comparison import MeanDifference, Pair, SourceDifference
from mabench.reports.comparison.findings import describe_findings, mark_of
from mabench.reports.comparison.remarks import column_of
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import PARTS

_T = TypeVar("_T")
# A smaller p is not written in digits.
_SMALLEST_P = 0.001


# A difference, after what it is on: a source, a mean or a type.
_DifferenceRow = tuple[str, MeanDifference]


class _PartRow(NamedTuple):
    """A row of the table of parts: how two runs differ in one part of a source's questions."""

    source: str
    part: str
    difference: MeanDifference


def pair_report(
    pair: Pair, a: str = "A", b: str = "B", equal_within: float | None = None
) -> Report:
    """Return the differences of a pair on sources, means, types and parts, with findings.

    ``a`` and ``b`` are what the two runs are called. ``equal_within`` is how many points apart runs
    may be that count as equal; None if that was not asked.
    """
    sources_of_column = Counter(column_of(source) for source in pair.sources)
    # A column that one source feeds would repeat the line of the source.
    means = {name: mean for name, mean in pair.columns.items() if sources_of_column[name] > 1}
    means |= pair.categories
    if pair.overall:
        means["Overall"] = pair.overall
    elif len(pair.sources) > 1:
        means["All of these"] = pair.mean
    tables = [_difference_table("Source", {**pair.sources, **means}, a, b)]
    tables += [
        _difference_table(f"{name} by type", types, a, b) for name, types in pair.types.items()
    ]
    tables += _part_tables(pair, a, b)
    return Report("", tables, [*describe_findings(pair, a, b, equal_within)])


def _difference_table(
    title: str, differences: Mapping[str, MeanDifference], a: str, b: str
) -> Table:
    """Return a table with a row for each difference; ``title`` is that of the column of names."""
    columns: list[Column[_DifferenceRow]] = [Column(title, lambda row: row[0])]
    columns += _difference_columns(a, b, lambda row: row[1])
    columns.append(Column("p", lambda row: _write_p(row[1]), spec=""))
    columns.append(Column("Won/lost/tied", lambda row: _count_questions(row[1]), spec=""))
    columns.append(Column("Histories", lambda row: _count_histories(row[1]), spec=""))
    return tabulate(columns, differences.items())


def _write_p(difference: MeanDifference) -> str:
    """Return the p of a difference, adjusted for all that is tested, with the mark it needs."""
    adjusted_p = difference.adjusted_p
    written = f"<{_SMALLEST_P}" if adjusted_p < _SMALLEST_P else f"{adjusted_p:.3f}"
    return f"{written}{mark_of(difference)}"


def _count_questions(difference: MeanDifference) -> str:
    """Return on how many questions the first run is better, worse and as good; empty for means."""
    if not isinstance(difference, SourceDifference):
        return ""
    return f"{difference.wins}/{difference.losses}/{difference.ties}"


def _count_histories(difference: MeanDifference) -> str:
    """Return on how many histories the first run is better, worse and as good; empty for means."""
    if not isinstance(difference, SourceDifference):
        return ""
    return f"{difference.history_wins}/{difference.history_losses}/{difference.history_ties}"


def _difference_columns(
    a: str, b: str, difference: Callable[[_T], MeanDifference]
) -> list[Column[_T]]:
    """Return the columns of the scores of two runs, and of their difference with its interval.

    ``difference`` returns the difference that a row is about.
    """
    return [
        Column(a, lambda row: difference(row).a, spec=".1f"),
        Column(b, lambda row: difference(row).b, spec=".1f"),
        Column(f"{a} - {b}", lambda row: difference(row).measure, spec="+.1f"),
        Column("95 % interval", lambda row: difference(row).measure.range("+.1f"), spec=""),
    ]


def _part_tables(pair: Pair, a: str, b: str) -> list[Table]:
    """Return a table of what became of 100 questions of each source in both runs, one at most.

    It has only sources about which more is known than right and wrong.
    """
    rows = []
    for source, differences in pair.parts.items():
        tells_causes = any(PARTS[part].tells for part in differences)
        if tells_causes:
            rows += [
                _PartRow(source, PARTS[part].head, difference)
                for part, difference in differences.items()
            ]
    if not rows:
        return []
    columns: list[Column[_PartRow]] = [
        Column("Of 100 questions", lambda row: row.source),
        Column("Part", lambda row: row.part, key=True),
    ]
    columns += _difference_columns(a, b, lambda row: row.difference)
    return [tabulate(columns, rows)]
