"""The table of a run's model calls, and what is to be known beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.reports.layout import NONE, Table
from mabench.results import CallsEach, CallsSummary, CallTotals, RunSummary, ScoreSummary

CALL_HEADERS = (
    *("Calls of", "Model", "Calls", "Failed"),
    *("Tokens in", "Tokens out", "Dollars", "Seconds"),
)
UNKNOWN = "unknown"


def calls_of(summary: ScoreSummary) -> CallsSummary | None:
    """Return the calls of models that a run made; None where none are known."""
    return summary.calls if isinstance(summary, RunSummary) else None


def calls_table(calls: CallsSummary) -> Table:
    """Return a row for each model of each phase, and what a thousand tokens or a question took."""
    rows = []
    if calls.preflight:
        rows.append(("before the run", "all", *call_cells(calls.preflight)))
    for phase, name, unit in (
        (calls.memorizing, "memorizing", "1,000 tokens of history"),
        (calls.answering, "answering", "question"),
    ):
        rows += [(name, model, *call_cells(totals)) for model, totals in phase.models.items()]
        each_model = phase.each_model or {}
        if len(each_model) > 1:
            rows += [
                (name, f"{model} per {unit}", *_each_cells(phase.models[model], each))
                for model, each in each_model.items()
            ]
        if phase.each and phase.totals.calls:
            rows.append((name, f"per {unit}", *_each_cells(phase.totals, phase.each)))
    if calls.late.calls:
        rows.append(("after the row", "all", *call_cells(calls.late)))
    return Table(CALL_HEADERS, rows, (False, False) + (True,) * 6)


def cost_rows(runs: Sequence[CallsSummary | None]) -> list[tuple[str, ...]]:
    """Return rows that put what runs took beside each other; none where no calls are known.

    Where the calls of a memory were not looked for, there is a dash.
    """
    if not any(runs):
        return []
    eaches = {
        "per 1,000 tokens of history": [
            run.memorizing.each
            if run and (run.metered or run.memorizing.totals.calls + run.memorizing.totals.kept)
            else None
            for run in runs
        ],
        "per question": [run.answering.each if run else None for run in runs],
    }
    return [
        (f"{what} {unit}", *(show(each) if each else NONE for each in row))
        for unit, row in eaches.items()
        if any(row)
        for what, show in (
            ("Calls", _calls),
            ("Tokens", _tokens),
            ("Dollars", _dollars),
            ("Seconds of calls", _seconds),
        )
    ]


def call_remarks(calls: CallsSummary) -> Iterator[str]:
    """Yield what the table does not say."""
    memory, reader = calls.by_memory, calls.by_reader
    if calls.metered and not memory.calls + memory.kept:
        yield (
            "No model call of the memory was seen: it calls none, or not at the address that it "
            "was told (`model`, or OPENAI_BASE_URL in its environment)."
        )
    both = (memory, reader)
    if kept := sum(one.kept for one in both):
        yield f"{kept} calls were answered by kept replies and cost nothing."
    if estimated := sum(one.estimated for one in both):
        yield f"The tokens of {estimated} calls are our own count, since the server gave none."
    if retried := sum(one.retried for one in both):
        yield f"{retried} calls repeat one that had failed."
    if calls.late.calls:
        yield f"{calls.late.calls} calls came after their row was done."


def _calls(each: CallsEach) -> str:
    return f"{each.calls:,.2f}"


def _tokens(each: CallsEach) -> str:
    return f"{each.tokens:,.1f}"


def _dollars(each: CallsEach) -> str:
    return UNKNOWN if each.cost is None else f"{each.cost:.6f}"


def _seconds(each: CallsEach) -> str:
    return f"{each.seconds:,.3f}"


def _each_cells(totals: CallTotals, each: CallsEach) -> tuple[str, ...]:
    """Return the cells of ``CALL_HEADERS`` for what a unit took, from the third on."""
    share = each.calls / totals.calls if totals.calls else 0.0
    return (
        _calls(each),
        "",
        f"{totals.input_tokens * share:,.1f}",
        f"{totals.output_tokens * share:,.1f}",
        _dollars(each),
        _seconds(each),
    )


def call_cells(totals: CallTotals) -> tuple[str, ...]:
    """Return the cells of ``CALL_HEADERS`` for some calls, from the third on."""
    return (
        f"{totals.calls:,}",
        f"{totals.failed:,}",
        f"{totals.input_tokens:,}",
        f"{totals.output_tokens:,}",
        UNKNOWN if totals.cost is None else f"{totals.cost:.4f}",
        f"{totals.seconds:,.1f}",
    )
