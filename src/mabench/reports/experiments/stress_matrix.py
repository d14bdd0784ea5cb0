"""What memories held, broke and never promised in a stress test, and what their reads exposed.

A kind of behaviour is such as *deleted texts are gone*. A read is a search, or a list of all texts;
it exposes what it should not show, such as a text of another user.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from mabench.printable import write_count
from mabench.reports.tables import Column, Table, tabulate
from mabench.stressing import StressReport
from mabench.stressing.report import Exposure, Kind


class _ExposureRow(NamedTuple):
    """A memory in the table of what was exposed."""

    memory: str
    exposure: Exposure


# What may be known of a kind of behaviour, the worst first.
_VERDICTS = ("broken", "held", "not promised", "not looked at")
_EXPOSURES: tuple[Column[_ExposureRow], ...] = (
    Column("Memory", lambda row: row.memory),
    Column("Searches and lists", lambda row: row.exposure.reads, spec=",d"),
    Column("Stale values", lambda row: row.exposure.stale, spec=",d"),
    Column("Of other users", lambda row: row.exposure.foreign, spec=",d"),
    Column("Deleted texts", lambda row: row.exposure.deleted, spec=",d"),
    Column("Secrets", lambda row: row.exposure.secret, spec=",d"),
    Column("Planted instructions", lambda row: row.exposure.planted, spec=",d"),
)


def matrix_table(reports: Sequence[StressReport]) -> Table | None:
    """Return a table with a row for each kind of behaviour and a column for each memory.

    Returns None if no report knows of any, as after a replay.
    """
    kinds = dict.fromkeys(kind.name for report in reports for kind in report.kinds)
    if not kinds:
        return None
    columns: list[Column[str]] = [Column("Behaviour", lambda kind: kind)]
    columns += [_memory_column(title, report) for title, report in _title(reports)]
    return tabulate(columns, kinds)


def _memory_column(title: str, report: StressReport) -> Column[str]:
    """Return the column of what is known of each kind of behaviour of a memory."""
    kinds = {kind.name: kind for kind in report.kinds}
    return Column(title, lambda name: _describe(kinds[name]) if name in kinds else None)


def _describe(kind: Kind) -> str:
    """Return what is known of a kind of behaviour, in a cell."""
    if kind.verdict == "broken":
        return f"broken: {kind.finding}, in {write_count(kind.operations or 0, 'operation')}"
    if kind.verdict == "not looked at":
        return f"not looked at: {kind.why}"
    return kind.verdict


def _title(reports: Sequence[StressReport]) -> list[tuple[str, StressReport]]:
    """Return each report with the name of its memory, and the seed if several have the name."""
    reports_of_memory = Counter(report.memory for report in reports)
    titled = []
    for report in reports:
        is_only_one = reports_of_memory[report.memory] == 1
        title = report.memory if is_only_one else f"{report.memory}, seed {report.seed}"
        titled.append((title, report))
    return titled


def exposure_table(reports: Sequence[StressReport]) -> Table | None:
    """Return a table of how many reads of each memory showed what; None if there were no reads."""
    rows = [
        _ExposureRow(title, report.exposure) for title, report in _title(reports) if report.exposure
    ]
    return tabulate(_EXPOSURES, rows) if any(row.exposure.reads for row in rows) else None


def kinds_sentence(kinds: Sequence[Kind]) -> str | None:
    """Return how many kinds of behaviour a memory held, broke and never promised; None of none."""
    if not kinds:
        return None
    counts = Counter[str](kind.verdict for kind in kinds)
    listed = ", ".join(
        f"{counts[verdict]} {verdict}" for verdict in _VERDICTS if counts[verdict] > 0
    )
    all_kinds = write_count(len(kinds), "kind")
    return f"Of {all_kinds} of behaviour: {listed}; the full report lists them."


def exposure_sentence(exposure: Exposure | None) -> str | None:
    """Return how many reads of a memory showed what they need not; None if none did."""
    if exposure is None or not exposure.reads:
        return None
    row = _ExposureRow("", exposure)
    _, _, *columns = _EXPOSURES  # Those of what was exposed, after memory and number of reads.
    counts = [(column.title.lower(), column.value(row)) for column in columns]
    shown = ", ".join(f"{title} {number:,}" for title, number in counts if number)
    if not shown:
        return None
    return f"Of {exposure.reads:,} searches and lists, this many showed: {shown}."
