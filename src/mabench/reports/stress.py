"""What a stress found: findings with their histories, latencies, sizes, and what was not tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from mabench.reports.tables import Column, Table, tabulate
from mabench.stress_tests import StressFinding, StressReport
from mabench.stress_tests.report import Latency, Size

_T = TypeVar("_T")
_MS = ",.2f"


class _Of(NamedTuple, Generic[_T]):
    """A part of the report of a memory."""

    memory: str
    part: _T


def _several(rows: Sequence[_Of[_T]]) -> bool:
    return len({row.memory for row in rows}) > 1


_FINDINGS: tuple[Column[_Of[StressFinding]], ...] = (
    Column("Memory", lambda row: row.memory, when=_several),
    Column("Finding", lambda row: row.part.name),
    Column("Severity", lambda row: row.part.severity),
    Column("Operations", lambda row: len(row.part.history), "d"),
    Column("What was seen", lambda row: row.part.message),
)
_LATENCY: tuple[Column[_Of[Latency]], ...] = (
    Column("Memory", lambda row: row.memory, when=_several),
    Column("Call", lambda row: row.part.operation, key=True),
    Column("Clients", lambda row: row.part.clients, "d", key=True),
    Column("Calls", lambda row: row.part.calls, ",d", spare=lambda rows: 1),
    Column("p50 ms", lambda row: row.part.p50, _MS),
    Column("p95 ms", lambda row: row.part.p95, _MS),
    Column("p99 ms", lambda row: row.part.p99, _MS),
    Column("Max ms", lambda row: row.part.max, _MS),
    Column("Calls/s", lambda row: row.part.per_second, ",.0f"),
)
_SIZES: tuple[Column[_Of[Size]], ...] = (
    Column("Memory", lambda row: row.memory, when=_several),
    Column("Texts", lambda row: row.part.texts, ",d", key=True),
    Column("Bytes", lambda row: row.part.bytes, ",d"),
    Column("Bytes per 1,000 tokens", lambda row: row.part.per_1000_tokens, ",.0f"),
    Column("Search, p50 ms", lambda row: row.part.search, _MS),
)


def stress_tables(report: StressReport) -> list[Table]:
    """Return the findings, the operations of each, the latencies and the sizes."""
    tables = [
        finding_table([report]) if report.findings else None,
        *(history_table(report, each) for each in report.findings),
        latency_table([report]) if report.latency else None,
        size_table([report]) if report.sizes else None,
    ]
    return [table for table in tables if table is not None]


def finding_table(reports: Sequence[StressReport]) -> Table:
    """Return a row for each finding of each memory."""
    return tabulate(_FINDINGS, [_Of(of.memory, each) for of in reports for each in of.findings])


def history_table(report: StressReport, finding: StressFinding) -> Table:
    """Return a row for each operation of the history of a finding."""
    return tabulate(_HISTORY, [*_lines(report, finding)])


def latency_table(reports: Sequence[StressReport]) -> Table:
    """Return a row for each call at each number of clients, and the harness's own share."""
    rows = [_Of(report.memory, each) for report in reports for each in report.latency]
    for report in reports:
        nothing = (each._replace(operation=f"{each.operation}, nothing") for each in report.harness)
        rows += [_Of(report.memory, each) for each in nothing]
    return tabulate(_LATENCY, rows)


def size_table(reports: Sequence[StressReport]) -> Table:
    """Return a row for each size of each store."""
    return tabulate(_SIZES, [_Of(of.memory, each) for of in reports for each in of.sizes])


def conclude_stress(report: StressReport, quiet: bool = False) -> list[str]:
    """Return sentences on what was found, and on what was not looked into."""
    if quiet:
        return [_conclusion(report)]
    sentences = [_readiness(report), *_unfinished(report)]
    if report.not_tried:
        sentences.append(f"Not tried: {'; '.join(report.not_tried)}.")
    if report.harness:
        sentences.append(
            "The `nothing` rows show the harness's own overhead: their memory does nothing."
        )
    return [*filter(None, sentences), _conclusion(report)]


def _conclusion(report: StressReport) -> str:
    faults = [each.name for each in report.findings if each.severity == "fault"]
    new = [name for name in faults if name not in report.known]
    histories = sum(each.histories for each in report.tried)
    if not faults:
        ending = f"no fault was found in {histories} histories" if report.tried else "no fault"
    elif not new:
        ending = f"no new fault; known: {', '.join(faults)}"
    else:
        ending = f"faults: {', '.join(new)}"
    return f"{report.memory}: {ending} (seed {report.seed})."


def _readiness(report: StressReport) -> str:
    ready = report.readiness
    if ready is None:
        return ""
    how = "once ready() returned" if ready.declared else "by asking again and again"
    return (
        f"Found after it was stored, {how}: p50 {ready.p50 * 1000:,.1f} ms, "
        f"p95 {ready.p95 * 1000:,.1f} ms, at most {ready.max * 1000:,.1f} ms ({ready.n} texts)."
    )


def _unfinished(report: StressReport) -> Iterator[str]:
    for each in report.tried:
        if not each.complete:
            yield (
                f"Time ran out before all histories of {each.what}: {each.histories} were "
                "generated."
            )


_Line = Sequence[str]
_HISTORY: tuple[Column[_Line], ...] = (
    Column("History", lambda line: line[0]),
    Column("Step", lambda line: line[1]),
    Column("Client", lambda line: line[2], when=lambda lines: len({x[2] for x in lines}) > 1),
    Column("Operation", lambda line: line[3]),
)


def _lines(report: StressReport, finding: StressFinding) -> Iterator[_Line]:
    for operation in finding.history:
        words = operation.in_words(report.facts)
        yield finding.name, str(operation.step), str(operation.client), words
