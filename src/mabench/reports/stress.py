"""What a stress found: findings with their histories, latencies, sizes, and what was not tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.reports.tables import Column, Table, tabulate
from mabench.stress_tests import Finding, StressReport
from mabench.stress_tests.report import Latency, Size

_MS = ",.2f"
_FINDINGS: tuple[Column[Finding], ...] = (
    Column("Finding", lambda each: each.name),
    Column("Severity", lambda each: each.severity),
    Column("Operations", lambda each: len(each.history), "d"),
    Column("What was seen", lambda each: each.message),
)
_LATENCY: tuple[Column[Latency], ...] = (
    Column("Call", lambda each: each.operation),
    Column("Clients", lambda each: each.clients, "d", key=True),
    Column("Calls", lambda each: each.calls, ",d", spare=lambda rows: 1),
    Column("p50 ms", lambda each: each.p50, _MS),
    Column("p95 ms", lambda each: each.p95, _MS),
    Column("p99 ms", lambda each: each.p99, _MS),
    Column("Max ms", lambda each: each.max, _MS),
    Column("Calls/s", lambda each: each.per_second, ",.0f"),
)
_SIZES: tuple[Column[Size], ...] = (
    Column("Texts", lambda each: each.texts, ",d"),
    Column("Bytes", lambda each: each.bytes, ",d"),
    Column("Bytes per 1,000 tokens", lambda each: each.per_1000_tokens, ",.0f"),
    Column("Search, p50 ms", lambda each: each.search, _MS),
)


def stress_tables(report: StressReport) -> list[Table]:
    """Return the findings, the operations of each, the latencies and the sizes."""
    steps = [tabulate(_HISTORY, [*_lines(report, each)]) for each in report.findings]
    harness = [each._replace(operation=f"{each.operation}, nothing") for each in report.harness]
    tables = [
        tabulate(_FINDINGS, report.findings) if report.findings else None,
        *steps,
        tabulate(_LATENCY, [*report.latency, *harness]) if report.latency else None,
        tabulate(_SIZES, report.sizes) if report.sizes else None,
    ]
    return [table for table in tables if table is not None]


def conclude_stress(report: StressReport, quiet: bool = False) -> list[str]:
    """Return sentences on what was found, and on what was not looked into."""
    if quiet:
        return [_conclusion(report)]
    sentences = [_readiness(report), *_unfinished(report)]
    if report.not_tried:
        sentences.append(f"Not tried: {'; '.join(report.not_tried)}.")
    if report.harness:
        sentences.append("The rows `nothing` are the harness's own share: they do nothing.")
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
            yield f"There was no time for all histories of {each.what}: {each.histories} were made."


_Line = Sequence[str]
_HISTORY: tuple[Column[_Line], ...] = (
    Column("History", lambda line: line[0]),
    Column("Step", lambda line: line[1]),
    Column("Client", lambda line: line[2], when=lambda lines: len({x[2] for x in lines}) > 1),
    Column("Operation", lambda line: line[3]),
)


def _lines(report: StressReport, finding: Finding) -> Iterator[_Line]:
    for operation in finding.history:
        words = operation.in_words(report.facts)
        yield finding.name, str(operation.step), str(operation.client), words
