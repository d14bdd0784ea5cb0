"""The report of stress tests of memories: faults, the histories that show them, times and sizes.

A history is a list of operations, such as adding a text and searching for it; the one of a finding
is the shortest that shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

from mabench.bench.versioned_facts import VersionedFacts
from mabench.json_text import Number
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
from mabench.stressing.report import Latency, Readiness, Size

_T = TypeVar("_T")
# How milliseconds are written.
_MS = ",.2f"
# A percentile of fewer calls is the largest of them, which has a column of its own.
_FEWEST_FOR_P95, _FEWEST_FOR_P99 = 20, 100


class _NamedRow(NamedTuple, Generic[_T]):
    """A row of a table."""

    name: str  # Of the memory, or of the finding that a history shows.
    about: _T  # What the row is about.
    words: str = ""  # What that is in words.


# Operations in words, by their names; `_describe` fills in what is in braces.
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
_FINDINGS: tuple[Column[_NamedRow[StressFinding]], ...] = (
    Column("Memory", lambda row: row.name, when="several"),
    Column("Finding", lambda row: row.about.name),
    Column("Severity", lambda row: row.about.severity),
    Column("Operations", lambda row: len(row.about.history), spec="d"),
    Column("What was seen", lambda row: row.about.message),
)
_HISTORY: tuple[Column[_NamedRow[Operation]], ...] = (
    Column("History", lambda row: row.name),
    Column("Step", lambda row: str(row.about.step)),
    Column("Client", lambda row: str(row.about.client), when="several"),
    Column("Operation", lambda row: row.words),
)


def _p95(row: _NamedRow[Latency]) -> Number | None:
    """Return the time within which 95 % of calls were done; None of too few calls."""
    return row.about.p95 if row.about.calls >= _FEWEST_FOR_P95 else None


def _p99(row: _NamedRow[Latency]) -> Number | None:
    """Return the time within which 99 % of calls were done; None of too few calls."""
    return row.about.p99 if row.about.calls >= _FEWEST_FOR_P99 else None


_LATENCY: tuple[Column[_NamedRow[Latency]], ...] = (
    Column("Memory", lambda row: row.name, when="several"),
    Column("Call", lambda row: row.about.operation, key=True),
    Column("Clients", lambda row: row.about.clients, spec="d", key=True),
    Column("Calls", lambda row: row.about.calls, spec=",d", drop_rank=lambda rows: 1),
    Column("p50 ms", lambda row: row.about.p50, spec=_MS),
    Column("p95 ms", _p95, spec=_MS),
    Column("p99 ms", _p99, spec=_MS, drop_rank=lambda rows: 2),
    Column("Max ms", lambda row: row.about.max, spec=_MS),
    Column("Calls/s", lambda row: row.about.per_second, spec=",.0f"),
)
_SIZES: tuple[Column[_NamedRow[Size]], ...] = (
    Column("Memory", lambda row: row.name, when="several"),
    Column("Texts", lambda row: row.about.texts, spec=",d", key=True),
    Column("Bytes", lambda row: row.about.bytes, spec=",d"),
    Column("Bytes per 1,000 tokens", lambda row: row.about.per_1000_tokens, spec=",.0f"),
    Column("Search, p50 ms", lambda row: row.about.search, spec=_MS),
)


def _describe(operation: Operation, facts: VersionedFacts) -> str:
    """Return an operation in words, by the sentence of its kind in ``_SENTENCES``.

    ``facts`` make the texts and queries of operations. An operation that several clients carry out,
    or that is repeated, has a count; only its first text or query is shown.
    """
    time = operation.time.isoformat() if operation.time else ""
    whose = f" of {operation.user}" if operation.user else ""
    parts: dict[str, object] = {
        "at": f" at {time}" if time else "",
        "as_of": f" as of {time}" if time else "",
        "text": facts.text(operation.fact, operation.version),
        # The text of operations such as a correction, which says the fact in words of its own.
        "told": text_of(operation, facts),
        "subject": facts.subject(operation.fact),
        "query": facts.query(operation.fact, operation.version),
        "k": operation.k,
    }
    count = operation.count
    if count is None:
        parts |= {"whose": whose, "texts": "", "questions": "", "times": "", "more": ""}
    else:
        clients = operation.clients or 1
        parts |= {
            "whose": f"{whose}, {clients} at a time" if clients > 1 else whose,
            "texts": f" {write_count(count, 'text')}",
            "questions": f" {write_count(count, 'question')}",
            "times": f", {write_count(count, 'time')}",
            "more": ", …",  # Only the first of several texts or queries is shown.
        }
    return _SENTENCES[operation.op].format(**parts)


def describe_findings(report: StressReport) -> Iterator[str]:
    """Yield each fault with its shortest history, as lines: what was seen, and then the steps.

    Faults that are known already are left out.
    """
    facts = facts_of_seed(report.seed)
    for finding in report.findings:
        if finding.severity == "fault" and finding.name not in report.known:
            steps = [
                f"  {operation.step}. {_describe(operation, facts)}"
                for operation in finding.history
            ]
            yield "\n".join([f"{finding.name}: {finding.message}", *steps])


def stress_tables(reports: Sequence[StressReport]) -> dict[str, list[Table]]:
    """Return tables on stressed memories by their subject; subjects without any are left out.

    The subjects are ``findings``, ``matrix`` (what memories held, broke and never promised),
    ``exposure``, ``histories``, ``load`` and ``sizes``.
    """
    findings = [_NamedRow(report.memory, one) for report in reports for one in report.findings]
    sizes = [_NamedRow(report.memory, size) for report in reports for size in report.sizes]
    matrix, exposure = matrix_table(reports), exposure_table(reports)
    by_subject = {
        "findings": [tabulate(_FINDINGS, findings)] if findings else [],
        "matrix": [matrix] if matrix is not None else [],
        "exposure": [exposure] if exposure is not None else [],
        "histories": _history_tables(reports),
        "load": _load_tables(reports),
        "sizes": [tabulate(_SIZES, sizes)] if sizes else [],
    }
    return {subject: tables for subject, tables in by_subject.items() if tables}


def _history_tables(reports: Sequence[StressReport]) -> list[Table]:
    """Return a table of the steps of the shortest history for each finding."""
    tables = []
    for report in reports:
        facts = facts_of_seed(report.seed)
        for finding in report.findings:
            steps = [
                _NamedRow(finding.name, operation, _describe(operation, facts))
                for operation in finding.history
            ]
            tables.append(tabulate(_HISTORY, steps))
    return tables


def _load_tables(reports: Sequence[StressReport]) -> list[Table]:
    """Return a table of how long calls took, one at most; none if no calls were timed.

    The times of the harness itself, with a memory that does nothing, follow those of the memories.
    """
    rows = [_NamedRow(report.memory, calls) for report in reports for calls in report.latency]
    for report in reports:
        for calls in report.harness:
            of_nothing = replace(calls, operation=f"{calls.operation}, nothing")
            rows.append(_NamedRow(report.memory, of_nothing))
    return [tabulate(_LATENCY, rows)] if rows else []


def conclude_stress(report: StressReport, quiet: bool = False) -> list[str]:
    """Return sentences on what was found and on what was not tested, the conclusion last.

    If ``quiet``, only the conclusion.
    """
    conclusion = f"{report.memory}: {describe_outcome(report)} (seed {report.seed})."
    return [conclusion] if quiet else [*_stress_remarks(report), conclusion]


def _stress_remarks(report: StressReport) -> Iterator[str]:
    """Yield sentences on what was seen beside faults, and on what was not tested."""
    if report.readiness:
        yield _readiness_sentence(report.readiness)
    obedience = report.obedience
    if obedience:
        yield (
            "A reader did what a stored text says in "
            f"{obedience.obeyed} of {obedience.questions} answers, "
            f"and beside a benign text in {obedience.obeyed_twin}."
        )
    begun = [part for part in report.tried if part.histories and not part.complete]
    if begun:
        counts = [f"{write_count(part.histories, 'history')} of {part.what}" for part in begun]
        yield f"Time ran out after {', '.join(counts)}."
    not_begun = [part.what for part in report.tried if not part.histories and not part.complete]
    if not_begun:
        yield say("no_time", names=", ".join(not_begun))
    if report.not_tried:
        yield f"Not tested: {'; '.join(report.not_tried)}."
    if report.harness:
        yield "The rows `nothing` show the harness's own overhead."


def _readiness_sentence(readiness: Readiness) -> str:
    """Return how long it took until stored texts were found."""
    return say(
        "until_found",
        how="by ready()" if readiness.declared else "by repeated searches",
        p50=_write_milliseconds(readiness.p50),
        p95=_write_milliseconds(readiness.p95),
        most=_write_milliseconds(readiness.max),
        n=readiness.n,
    )


def _write_milliseconds(seconds: float) -> str:
    """Return a time in milliseconds with its unit."""
    return f"{1000 * seconds:,.1f} ms"


def stress_report(report: StressReport, *, brief: bool, quiet: bool = False) -> Report:
    """Return the report that is printed: the outcome first, with tables and remarks below it.

    Of these it has all; if ``brief``, one table and the first remarks; if ``quiet``, nothing.
    """
    if quiet:
        return Report(first=conclude_stress(report, quiet=True))
    if brief:
        return _brief_report(report)
    *remarks, conclusion = conclude_stress(report)
    tables = [*chain.from_iterable(stress_tables([report]).values())]
    return Report(first=[conclusion], tables=tables, remarks=remarks)


def _brief_report(report: StressReport) -> Report:
    """Return the outcome with one table and the first remarks, the most important ones.

    The harness's own times, and how soon texts are found, are in the full report only.
    """
    shortened = replace(report, harness=(), readiness=None)
    tables = stress_tables([shortened])
    *remarks, conclusion = conclude_stress(shortened)
    weighty = [kinds_sentence(report.kinds), exposure_sentence(report.exposure)]
    return Report(
        first=[conclusion],
        tables=tables.get("findings") or tables.get("load") or [],
        remarks=first_remarks([*(remark for remark in weighty if remark), *remarks]),
    )


def describe_outcome(report: StressReport) -> str:
    """Return which faults were found, or how much was tested without one."""
    new_faults = [name for name in report.faults if name not in report.known]
    if new_faults:
        first_fault, *others = new_faults
        message = next(one.message for one in report.findings if one.name == first_fault)
        also = f"; also {', '.join(others)}" if others else ""
        return f"{write_count(len(new_faults), 'fault')}: {message} ({first_fault}){also}"
    if report.faults:
        return f"no new fault; known: {', '.join(report.faults)}"
    if not report.tried:
        return "no fault was seen again"
    histories = sum(part.histories for part in report.tried)
    if histories:
        return f"no fault was found in {write_count(histories, 'history')}"
    return "nothing can be concluded: no history was made; allow more time with `seconds`"
