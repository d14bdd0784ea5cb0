"""The table of a run's model calls, and what is to be known beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.reports.layout import NONE, Table
from mabench.runs import CallsEach, CallsSummary, CallTotals, RunSummary, ScoreSummary

_HEADERS = ("Calls of", "Model", "Calls", "Failed", "Tokens in", "Tokens out", "Dollars", "Seconds")


def calls_of(summary: ScoreSummary) -> CallsSummary | None:
    """Return the calls of models that a run made; None where none are known."""
    return summary.calls if isinstance(summary, RunSummary) else None


def calls_table(calls: CallsSummary) -> Table:
    """Return a row for each model of each phase, and what a thousand tokens or a question took."""
    rows = []
    for phase, name, unit in (
        (calls.memorizing, "memorizing", "1,000 tokens of history"),
        (calls.answering, "answering", "question"),
    ):
        rows += [(name, model, *_cells(totals)) for model, totals in phase.models.items()]
        each = phase.each
        if each and phase.totals.calls:
            rows.append(
                (
                    name,
                    f"per {unit}",
                    _calls(each),
                    "",
                    f"{phase.totals.input_tokens / phase.totals.calls * each.calls:,.1f}",
                    f"{phase.totals.output_tokens / phase.totals.calls * each.calls:,.1f}",
                    _dollars(each),
                    f"{each.seconds:,.3f}",
                )
            )
    if calls.late.calls:
        rows.append(("after the row", "all", *_cells(calls.late)))
    return Table(_HEADERS, rows, (False, False) + (True,) * 6)


def cost_rows(runs: Sequence[CallsSummary | None]) -> list[tuple[str, ...]]:
    """Return rows that put what runs took beside each other; none where no calls are known."""
    if not any(runs):
        return []
    eaches = {
        "per 1,000 tokens of history": [run.memorizing.each if run else None for run in runs],
        "per question": [run.answering.each if run else None for run in runs],
    }
    return [
        (f"{what} {unit}", *(show(each) if each else NONE for each in row))
        for unit, row in eaches.items()
        for what, show in (("Calls", _calls), ("Tokens", _tokens), ("Dollars", _dollars))
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
        yield f"The tokens of {estimated} calls are estimated, since the server did not count them."
    if retried := sum(one.retried for one in both):
        yield f"{retried} calls repeat one that had failed."
    if calls.late.calls:
        yield f"{calls.late.calls} calls came after their row was done."


def _calls(each: CallsEach) -> str:
    return f"{each.calls:,.2f}"


def _tokens(each: CallsEach) -> str:
    return f"{each.tokens:,.1f}"


def _dollars(each: CallsEach) -> str:
    return NONE if each.cost is None else f"{each.cost:.6f}"


def _cells(totals: CallTotals) -> tuple[str, ...]:
    return (
        f"{totals.calls:,}",
        f"{totals.failed:,}",
        f"{totals.input_tokens:,}",
        f"{totals.output_tokens:,}",
        NONE if totals.cost is None else f"{totals.cost:.4f}",
        f"{totals.seconds:,.1f}",
    )
