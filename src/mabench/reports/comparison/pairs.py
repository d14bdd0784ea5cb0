"""The differences of a pair of runs: on sources, means, types and parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from mabench.comparison import MeanDifference, Pair
from mabench.reports.comparison.findings import describe_findings, mark_of
from mabench.reports.comparison.remarks import column_of
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import PARTS

_SMALLEST_P = 0.001
_HISTORIES = ("history_wins", "history_losses", "history_ties")


def pair_report(
    pair: Pair, a: str = "A", b: str = "B", equal_within: float | None = None
) -> Report:
    """Return the differences of a pair on sources, means, types and parts, with findings."""
    fed = Counter(map(column_of, pair.sources))  # A column of one source would repeat its line.
    means = {name: mean for name, mean in pair.columns.items() if fed[name] > 1}
    means |= pair.categories
    if pair.overall:
        means["Overall"] = pair.overall
    elif len(pair.sources) > 1:
        means["All of these"] = pair.mean
    tables = [
        _difference_table("Source", {**pair.sources, **means}, a, b),
        *(_difference_table(f"{name} by type", types, a, b) for name, types in pair.types.items()),
        *_parts_table(pair, a, b),
    ]
    return Report("", tables, [*describe_findings(pair, a, b, equal_within)])


def _difference_table(
    title: str, differences: Mapping[str, MeanDifference], a: str, b: str
) -> Table:
    def p(mean: MeanDifference) -> str:
        p = f"<{_SMALLEST_P}" if mean.adjusted_p < _SMALLEST_P else f"{mean.adjusted_p:.3f}"
        return p + mark_of(mean)

    def counts(mean: MeanDifference, *fields: str) -> str:  # Only a source has them.
        return "/".join(str(getattr(mean, field)) for field in fields if hasattr(mean, field))

    columns: tuple[Column[tuple[str, MeanDifference]], ...] = (
        Column(title, lambda row: row[0]),
        *_difference_columns(a, b),
        Column("p", lambda row: p(row[1]), ""),
        Column("Won/lost/tied", lambda row: counts(row[1], "wins", "losses", "ties"), ""),
        Column("Histories", lambda row: counts(row[1], *_HISTORIES), ""),
    )
    return tabulate(columns, differences.items())


def _difference_columns(a: str, b: str) -> Iterator[Column[tuple[object, MeanDifference]]]:
    yield Column(a, lambda row: row[1].a, ".1f")
    yield Column(b, lambda row: row[1].b, ".1f")
    yield Column(f"{a} - {b}", lambda row: row[1].measure, "+.1f")
    yield Column("95 % interval", lambda row: row[1].measure.range("+.1f"), "")


def _parts_table(pair: Pair, a: str, b: str) -> list[Table]:
    """Return where two runs lose points on each source, if that is known of any."""
    rows = [
        ((name, PARTS[part].head), difference)
        for name, parts in pair.parts.items()
        if any(PARTS[part].tells for part in parts)
        for part, difference in parts.items()
    ]
    columns: tuple[Column[tuple[tuple[str, str], MeanDifference]], ...] = (
        Column("Of 100 questions", lambda row: row[0][0]),
        Column("Part", lambda row: row[0][1], key=True),
        *_difference_columns(a, b),
    )
    return [tabulate(columns, rows)] if rows else []
