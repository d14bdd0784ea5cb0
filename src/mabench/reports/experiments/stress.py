"""The report of stresses of memories: faults, the histories that show them, times and sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

from mabench.bench.versioned_facts import VersionedFacts
from mabench.printable import write_count
from mabench.reports.brief.remarks import first_remarks
from mabench.reports.experiments.stress_matrix import (
    exposure_sentence,
    exposure_table,
    kinds_sentence,
    matrix_table,
)
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import Column, Table, tabulate
from mabench.stressing import StressFinding, StressReport
from mabench.stressing.operations import Operation, facts_of_seed, text_of
from mabench.stressing.report import Latency, Size

_T = TypeVar("_T")
_MS = ",.2f"


class _NamedPart(NamedTuple, Generic[_T]):
    """A row of a table: a name, what the row is about, and how that reads in words."""

    name: str
    part: _T
    words: str = ""


_SENTENCES = {
    "add": "add{texts}{whose}{at}: {text!r}{more}",
    "paraphrase": "add{whose}{at}: {told!r}",
    "replace": "add{whose}{at}: {told!r}",
    "correct": "add{whose}{at}: {told!r}",
    "retract": "add{whose}{at}: {told!r}",
    "record": "add{whose}{at}: {told!r}",
    "bound": "add{whose}{at}: {told!r}",
    "secret": "add{whose}{at}: {told!r}",
    "instruction": "add{whose}{at}: {told!r}",
    "update": "update{texts}{whose}{at}: {text!r}{more}",
    "delete": "delete{texts}{whose}: about {subject}{more}",
    "delete-user": "delete all{whose}",
    "search": "search{texts}{whose}{as_of}: {query!r}{more}, k={k}",
    "list": "list{whose}{times}",
    "ask": "ask the reader{questions}{whose}: {query!r}{more}",
    "ready": "wait until ready",
    "maintain": "do background work",
    "reopen": "close and reopen",
    "kill": "kill -9, and reopen",
    "disk-full": "let the disk be full",
    "disk-free": "let the disk have space again",
    "model-spoiled": "let the model's server misbehave",
    "model-well": "let the model's server do well again",
}
_FINDINGS: tuple[Column[_NamedPart[StressFinding]], ...] = (
    Column("Memory", lambda row: row.name, when="several"),
    Column("Finding", lambda row: row.part.name),
    Column("Severity", lambda row: row.part.severity),
    Column("Operations", lambda row: len(row.part.history), "d"),
    Column("What was seen", lambda row: row.part.message),
)
_HISTORY: tuple[Column[_NamedPart[Operation]], ...] = (
    Column("History", lambda row: row.name),
    Column("Step", lambda row: str(row.part.step)),
    Column("Client", lambda row: str(row.part.client), when="several"),
    Column("Operation", lambda row: row.words),
)
_LATENCY: tuple[Column[_NamedPart[Latency]], ...] = (
    Column("Memory", lambda row: row.name, when="several"),
    Column("Call", lambda row: row.part.operation, key=True),
    Column("Clients", lambda row: row.part.clients, "d", key=True),
    Column("Calls", lambda row: row.part.calls, ",d", drop_rank=lambda rows: 1),
    Column("p50 ms", lambda row: row.part.p50, _MS),
    # A percentile of fewer calls is the largest of them, which has a column of its own.
    Column("p95 ms", lambda row: row.part.p95 if row.part.calls >= 20 else None, _MS),
    Column(
        "p99 ms",
        lambda row: row.part.p99 if row.part.calls >= 100 else None,
        _MS,
        drop_rank=lambda rows: 2,
    ),
    Column("Max ms", lambda row: row.part.max, _MS),
    Column("Calls/s", lambda row: row.part.per_second, ",.0f"),
)
_SIZES: tuple[Column[_NamedPart[Size]], ...] = (
    Column("Memory", lambda row: row.name, when="several"),
    Column("Texts", lambda row: row.part.texts, ",d", key=True),
    Column("Bytes", lambda row: row.part.bytes, ",d"),
    Column("Bytes per 1,000 tokens", lambda row: row.part.per_1000_tokens, ",.0f"),
    Column("Search, p50 ms", lambda row: row.part.search, _MS),
)


def _describe(operation: Operation, facts: VersionedFacts) -> str:
    """Return an operation in words."""
    count = operation.count
    whose = f" of {operation.user}" if operation.user else ""
    if count is not None and (operation.clients or 1) > 1:
        whose += f", {operation.clients} at a time"
    time = operation.time.isoformat() if operation.time else ""
    return _SENTENCES[operation.op].format(
        texts="" if count is None else f" {write_count(count, 'text')}",
        questions="" if count is None else f" {write_count(count, 'question')}",
        times="" if count is None else f", {write_count(count, 'time')}",
        more="" if count is None else ", …",
        whose=whose,
        at=f" at {time}" if time else "",
        as_of=f" as of {time}" if time else "",
        text=facts.text(operation.fact, operation.version),
        told=text_of(operation, facts),
        subject=facts.subject(operation.fact),
        query=facts.query(operation.fact, operation.version),
        k=operation.k,
    )


def describe_findings(report: StressReport) -> Iterator[str]:
    """Yield each fault that counts in lines: what was seen, and the shortest history of it."""
    facts = facts_of_seed(report.seed)
    for found in report.findings:
        if found.severity == "fault" and found.name not in report.known:
            steps = [f"  {each.step}. {_describe(each, facts)}" for each in found.history]
            yield "\n".join([f"{found.name}: {found.message}", *steps])


def stress_tables(reports: Sequence[StressReport]) -> dict[str, list[Table]]:
    """Return tables of findings, of what was held and exposed, of histories, latencies and sizes.

    Those with nothing in them are left out.

    The harness's own share follows the latencies of the memories.
    """
    calls = [_NamedPart(report.memory, each) for report in reports for each in report.latency]
    calls += [
        _NamedPart(report.memory, replace(each, operation=f"{each.operation}, nothing"))
        for report in reports
        for each in report.harness
    ]
    findings = [_NamedPart(report.memory, each) for report in reports for each in report.findings]
    sizes = [_NamedPart(report.memory, each) for report in reports for each in report.sizes]
    histories = []
    for report in reports:
        facts = facts_of_seed(report.seed)
        for found in report.findings:
            steps = [_NamedPart(found.name, each, _describe(each, facts)) for each in found.history]
            histories.append(tabulate(_HISTORY, steps))
    tables = {
        "findings": [tabulate(_FINDINGS, findings)] if findings else [],
        "matrix": [table for table in (matrix_table(reports),) if table],
        "exposure": [table for table in (exposure_table(reports),) if table],
        "histories": histories,
        "load": [tabulate(_LATENCY, calls)] if calls else [],
        "sizes": [tabulate(_SIZES, sizes)] if sizes else [],
    }
    return {name: of for name, of in tables.items() if of}


def conclude_stress(report: StressReport, quiet: bool = False) -> list[str]:
    """Return sentences on what was found, and on what was not tested."""
    sentences = []
    if ready := report.readiness:
        how = "by ready()" if ready.declared else "by repeated searches"
        p50, p95, most = (f"{1000 * each:,.1f} ms" for each in (ready.p50, ready.p95, ready.max))
        sentences.append(say("until_found", how=how, p50=p50, p95=p95, most=most, n=ready.n))
    if seen := report.obedience:
        sentences.append(
            f"A reader did what a stored text says in {seen.obeyed} of {seen.questions} answers, "
            f"and beside a benign text in {seen.obeyed_twin}."
        )
    ended = [
        f"{write_count(each.histories, 'history')} of {each.what}"
        for each in report.tried
        if each.histories and not each.complete
    ]
    if ended:
        sentences.append(f"Time ran out after {', '.join(ended)}.")
    if missed := [each.what for each in report.tried if not (each.histories or each.complete)]:
        sentences.append(say("no_time", names=", ".join(missed)))
    if report.not_tried:
        sentences.append(f"Not tested: {'; '.join(report.not_tried)}.")
    if report.harness:
        sentences.append("The rows `nothing` show the harness's own overhead.")
    conclusion = f"{report.memory}: {describe_outcome(report)} (seed {report.seed})."
    return [conclusion] if quiet else [*sentences, conclusion]


def stress_report(report: StressReport, *, brief: bool, quiet: bool = False) -> Report:
    """Return the outcome first; if ``brief``, one table and the first remarks, else all of them."""
    *remarks, conclusion = conclude_stress(report, quiet)
    if quiet or not brief:
        tables = {} if quiet else stress_tables([report])
        return Report(first=[conclusion], tables=[*chain(*tables.values())], remarks=remarks)
    # The harness's own share, and how soon texts are found, are in the full report.
    tables = stress_tables([replace(report, harness=(), readiness=None)])
    *remarks, _ = conclude_stress(replace(report, harness=(), readiness=None))
    weighty = [kinds_sentence(report.kinds), exposure_sentence(report.exposure)]
    return Report(
        first=[conclusion],
        tables=tables.get("findings") or tables.get("load") or [],
        remarks=first_remarks([*filter(None, weighty), *remarks]),
    )


def describe_outcome(report: StressReport) -> str:
    """Return which faults were found, or how much was tested without one."""
    if new := [name for name in report.faults if name not in report.known]:
        messages = {found.name: found.message for found in reversed(report.findings)}
        others = f"; also {', '.join(new[1:])}" if len(new) > 1 else ""
        return f"{write_count(len(new), 'fault')}: {messages[new[0]]} ({new[0]}){others}"
    if report.faults:
        return f"no new fault; known: {', '.join(report.faults)}"
    if not report.tried:
        return "no fault was seen again"
    if histories := sum(each.histories for each in report.tried):
        return f"no fault was found in {write_count(histories, 'history')}"
    return "nothing can be concluded: no history was made; allow more time with `seconds`"
