"""What a stress found: findings with their histories, latencies, sizes, and what was not tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from mabench.reports.tables import Column, Table, tabulate
from mabench.stress_tests import StressFinding, StressReport
from mabench.stress_tests.operations import InventedFacts, Operation
from mabench.stress_tests.report import Latency, Size

_T = TypeVar("_T")
_MS = ",.2f"


class _Of(NamedTuple, Generic[_T]):
    """A part of what has this name, and how it reads."""

    name: str
    part: _T
    words: str = ""


def _several(rows: Sequence[_Of[_T]]) -> bool:
    return len({row.name for row in rows}) > 1


_IN_WORDS = {
    "add": "add{texts}{whose}{at}: {text!r}{more}",
    "update": "update{texts}{whose}{at}: {text!r}{more}",
    "delete": "delete{texts}{whose}: about {subject}{more}",
    "delete-user": "delete all{whose}",
    "search": "search{texts}{whose}{as_of}: {query!r}{more}, k={k}",
    "list": "list{whose}{times}",
    "ready": "wait until ready",
    "reopen": "close and reopen",
    "kill": "kill -9, and reopen",
    "disk-full": "let the disk be full",
    "disk-free": "let the disk have space again",
    "model-spoiled": "let the model's server misbehave",
    "model-well": "let the model's server do well again",
}
_FINDINGS: tuple[Column[_Of[StressFinding]], ...] = (
    Column("Memory", lambda row: row.name, when=_several),
    Column("Finding", lambda row: row.part.name),
    Column("Severity", lambda row: row.part.severity),
    Column("Operations", lambda row: len(row.part.history), "d"),
    Column("What was seen", lambda row: row.part.message),
)
_HISTORY: tuple[Column[_Of[Operation]], ...] = (
    Column("History", lambda row: row.name),
    Column("Step", lambda row: str(row.part.step)),
    Column(
        "Client",
        lambda row: str(row.part.client),
        when=lambda rows: len({row.part.client for row in rows}) > 1,
    ),
    Column("Operation", lambda row: row.words),
)
_LATENCY: tuple[Column[_Of[Latency]], ...] = (
    Column("Memory", lambda row: row.name, when=_several),
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
    Column("Memory", lambda row: row.name, when=_several),
    Column("Texts", lambda row: row.part.texts, ",d", key=True),
    Column("Bytes", lambda row: row.part.bytes, ",d"),
    Column("Bytes per 1,000 tokens", lambda row: row.part.per_1000_tokens, ",.0f"),
    Column("Search, p50 ms", lambda row: row.part.search, _MS),
)


def _in_words(operation: Operation, facts: InventedFacts) -> str:
    """Return an operation in a line."""
    count = operation.count
    whose = f" of {operation.user}" if operation.user else ""
    if count is not None and (operation.clients or 1) > 1:
        whose += f", {operation.clients} at a time"
    time = operation.time.isoformat() if operation.time else ""
    return _IN_WORDS[operation.op].format(
        texts="" if count is None else f" {count} texts",
        times="" if count is None else f", {count} times",
        more="" if count is None else ", …",
        whose=whose,
        at=f" at {time}" if time else "",
        as_of=f" as of {time}" if time else "",
        text=facts.text(operation.fact, operation.version),
        subject=facts.subject(operation.fact),
        query=facts.query(operation.fact),
        k=operation.k,
    )


def stress_tables(reports: Sequence[StressReport]) -> dict[str, list[Table]]:
    """Return tables of findings, of their histories, of latencies and of sizes, where any are.

    Below the latencies of the memories stands the harness's own share.
    """
    calls = [_Of(report.memory, each) for report in reports for each in report.latency]
    calls += [
        _Of(report.memory, replace(each, operation=f"{each.operation}, nothing"))
        for report in reports
        for each in report.harness
    ]
    findings = [_Of(report.memory, each) for report in reports for each in report.findings]
    sizes = [_Of(report.memory, each) for report in reports for each in report.sizes]
    histories = [
        tabulate(
            _HISTORY, [_Of(found.name, each, _in_words(each, facts)) for each in found.history]
        )
        for report in reports
        for facts in [InventedFacts(report.seed)]
        for found in report.findings
    ]
    tables = {
        "findings": [tabulate(_FINDINGS, findings)] if findings else [],
        "histories": histories,
        "load": [tabulate(_LATENCY, calls)] if calls else [],
        "sizes": [tabulate(_SIZES, sizes)] if sizes else [],
    }
    return {name: of for name, of in tables.items() if of}


def conclude_stress(report: StressReport, quiet: bool = False) -> list[str]:
    """Return sentences on what was found, and on what was not looked into."""
    sentences = []
    if ready := report.readiness:
        how = "by ready()" if ready.declared else "by repeated searches"
        p50, p95, most = (f"{1000 * each:,.1f} ms" for each in (ready.p50, ready.p95, ready.max))
        sentences.append(
            f"Time until a stored text is found, measured {how}: p50 {p50}, p95 {p95}, at most "
            f"{most} ({ready.n} texts)."
        )
    sentences += [
        f"There was no time for all histories of {each.what}: {each.histories} were made."
        for each in report.tried
        if each.histories and not each.complete
    ]
    if missed := [each.what for each in report.tried if not (each.histories or each.complete)]:
        sentences.append(
            f"Nothing can be concluded of {', '.join(missed)}: there was no time; allow more with "
            "`seconds`."
        )
    if report.not_tried:
        sentences.append(f"Not tried: {'; '.join(report.not_tried)}.")
    if report.harness:
        sentences.append("The rows `nothing` are the harness's own share: they do nothing.")
    conclusion = f"{report.memory}: {describe_outcome(report)} (seed {report.seed})."
    return [conclusion] if quiet else [*sentences, conclusion]


def describe_outcome(report: StressReport) -> str:
    """Return which faults were found, or of how much none."""
    if new := [name for name in report.faults if name not in report.known]:
        return f"faults: {', '.join(new)}"
    if report.faults:
        return f"no new fault; known: {', '.join(report.faults)}"
    if not report.tried:
        return "no fault was seen again"
    if histories := sum(each.histories for each in report.tried):
        return f"no fault was found in {histories} histories"
    return "nothing can be concluded: no history was made; allow more time with `seconds`"
