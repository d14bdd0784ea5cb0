"""What stressed memories held, broke and never promised, side by side, and what they exposed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from mabench.printable import write_count
from mabench.reports.tables import Column, Table, tabulate
from mabench.stressing import StressReport
from mabench.stressing.report import Exposure, Kind


class _Exposed(NamedTuple):
    memory: str
    seen: Exposure


# What is known of a kind of behaviour, what counts most first.
_VERDICTS = ("broken", "held", "not promised", "not looked at")
_EXPOSURES: tuple[Column[_Exposed], ...] = (
    Column("Memory", lambda row: row.memory),
    Column("Searches and lists", lambda row: row.seen.reads, ",d"),
    Column("Stale values", lambda row: row.seen.stale, ",d"),
    Column("Of other users", lambda row: row.seen.foreign, ",d"),
    Column("Deleted texts", lambda row: row.seen.deleted, ",d"),
    Column("Secrets", lambda row: row.seen.secret, ",d"),
    Column("Planted instructions", lambda row: row.seen.planted, ",d"),
)


def matrix_table(reports: Sequence[StressReport]) -> Table | None:
    """Return a table with a row for each kind of behaviour and a column for each memory.

    Returns None if no report knows of any, as after a replay.
    """
    names = dict.fromkeys(kind.name for report in reports for kind in report.kinds)
    columns: list[Column[str]] = [Column("Behaviour", lambda name: name)]
    for title, report in zip(_titles(reports), reports, strict=True):
        by_name = {kind.name: kind for kind in report.kinds}
        columns.append(Column(title, partial(_describe, by_name)))
    return tabulate(columns, [*names]) if names else None


def exposure_table(reports: Sequence[StressReport]) -> Table | None:
    """Return a table of how many reads of each memory showed what; None if nothing was counted."""
    titled = zip(_titles(reports), reports, strict=True)
    rows = [_Exposed(title, each.exposure) for title, each in titled if each.exposure]
    return tabulate(_EXPOSURES, rows) if any(row.seen.reads for row in rows) else None


def kinds_sentence(kinds: Sequence[Kind]) -> str | None:
    """Return how many kinds of behaviour a memory held, broke and never promised; None of none."""
    counts = Counter[str](kind.verdict for kind in kinds)
    known = ((verdict, counts[verdict]) for verdict in _VERDICTS)
    listed = ", ".join(f"{number} {verdict}" for verdict, number in known if number)
    several = write_count(len(kinds), "kind")
    return f"Of {several} of behaviour: {listed}; the full report lists them." if kinds else None


def exposure_sentence(exposure: Exposure | None) -> str | None:
    """Return how many reads of a memory showed what they need not; None if none did."""
    if exposure is None or not exposure.reads:
        return None
    row = _Exposed("", exposure)
    counts = {column.title.lower(): column.value(row) for column in _EXPOSURES[2:]}
    shown = ", ".join(f"{title} {number:,}" for title, number in counts.items() if number)
    return (
        f"Of {exposure.reads:,} searches and lists, this many showed: {shown}." if shown else None
    )


def _describe(by_name: dict[str, Kind], name: str) -> str | None:
    """Return what is known of a kind of behaviour, in a cell."""
    if (kind := by_name.get(name)) is None:
        return None
    if kind.verdict == "broken":
        return f"broken: {kind.finding}, in {write_count(kind.operations or 0, 'operation')}"
    return f"{kind.verdict}: {kind.why}" if kind.verdict == "not looked at" else kind.verdict


def _titles(reports: Sequence[StressReport]) -> list[str]:
    """Return the names of the memories, with seeds where two are the same."""
    counts = Counter(report.memory for report in reports)
    return [
        report.memory if counts[report.memory] == 1 else f"{report.memory}, seed {report.seed}"
        for report in reports
    ]
