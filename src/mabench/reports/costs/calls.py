"""Reports the model calls of a run, or of several runs side by side, with their costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.comparison import ComparedRun
from mabench.printable import write_count
from mabench.reports.sentences import say
from mabench.reports.tables import Column, Table, Value, plain_table
from mabench.results import CallsEach, CallsSummary, CallTotals, Measure

_UNKNOWN = "unknown"
_EACH: tuple[Column[CallsEach], ...] = (
    Column("Calls", lambda each: each.calls, ",.2f"),
    Column("Tokens", lambda each: each.tokens, ",.1f"),
    Column("Dollars", lambda each: each.cost, ".6f", _UNKNOWN),
    Column("Seconds of calls", lambda each: each.seconds, ",.3f"),
)
_PER_HISTORY, _PER_QUESTION = "per 1,000 tokens of history", "per question"
_TITLES_OF_CALLS = ("Calls", "Failed", "Tokens in", "Tokens out", "Dollars", "Seconds")
# The format of each of these columns, for totals and for amounts per unit. None: left empty.
_TOTALS = (",d", ",d", ",d", ",d", ",.4f", ",.1f")
_PER_UNIT = (",.2f", None, ",.1f", ",.1f", ",.6f", ",.3f")


def calls_table(calls: CallsSummary) -> Table:
    """Return a table of calls with a row for each phase and model.

    Further rows have the amounts per 1,000 tokens of history and per question.
    """
    rows: list[tuple[str, ...]] = []

    def add(name: str, model: str, totals: CallTotals, each: CallsEach | None = None) -> None:
        # What part of the totals belongs to one unit.
        part = each.calls / (totals.calls or 1) if each else 1
        formats = _PER_UNIT if each else _TOTALS
        amounts = (
            totals.calls,
            totals.failed,
            totals.input_tokens,
            totals.output_tokens,
            totals.cost,
            totals.seconds,
        )
        cells = [
            _write_amount(amount if amount is None else part * amount, form)
            for amount, form in zip(amounts, formats, strict=True)
        ]
        rows.append((name, model, *cells))

    if calls.preflight:
        add("before the run", "all", calls.preflight)
    for name, phase, unit in (
        ("memorizing", calls.memorizing, _PER_HISTORY),
        ("answering", calls.answering, _PER_QUESTION),
    ):
        for model, totals in phase.models.items():
            add(name, model, totals)
        if phase.each_model and len(phase.each_model) > 1:
            for model, each in phase.each_model.items():
                add(name, f"{model} {unit}", phase.models[model], each)
        if phase.each and phase.totals.calls:
            add(name, unit, phase.totals, phase.each)
    if calls.late.calls:
        add("after the row", "all", calls.late)
    return plain_table(("Calls of", "Model", *_TITLES_OF_CALLS), rows, texts=(0, 1))


def _write_amount(amount: float | None, form: str | None) -> str:
    """Return an amount in a format; nothing without a format."""
    if form is None:
        return ""
    return _UNKNOWN if amount is None else format(amount, form)


def cost_tables(runs: Sequence[ComparedRun], names: Sequence[str]) -> list[Table]:
    """Return a table of scores and costs of runs; none if no cost is known."""

    def memorizing(calls: CallsSummary) -> CallsEach | None:
        totals = calls.memorizing.totals
        is_known = calls.metered or totals.calls + totals.kept > 0
        return calls.memorizing.each if is_known else None

    units = {
        _PER_HISTORY: [memorizing(run.calls) if run.calls else None for run in runs],
        _PER_QUESTION: [run.calls.answering.each if run.calls else None for run in runs],
    }
    rows: list[Sequence[Value]] = [("Mean score", *(Measure(run.mean) for run in runs))]
    for unit, eaches in units.items():
        if any(eaches):
            for column in _EACH:
                cells = (column.text(column.value(each)) if each else None for each in eaches)
                rows.append((f"{column.title} {unit}", *cells))
    if len(rows) == 1:
        return []
    return [plain_table(("Score and cost", *names), rows, texts=(0,))]


def call_remarks(calls: CallsSummary | None) -> Iterator[str]:
    """Yield sentences about calls that the table does not show; none if no calls are known."""
    if calls is None:
        return
    both = (calls.by_memory, calls.by_reader)
    if calls.metered and not calls.by_memory.calls + calls.by_memory.kept:
        yield say("unmetered")
    if calls.by_memory.cost:
        yield f"The memory's own calls cost ${calls.by_memory.cost:.4f}, besides the answers."
    replayed = sum(totals.kept for totals in both)
    if replayed:
        more = ""
        if calls.by_memory.kept:
            more = "; the add and search times that this shortens are not shown"
        yield say("replayed", calls=replayed, more=more)
    estimated = sum(totals.estimated for totals in both)
    if estimated:
        yield say("estimated_tokens", calls=estimated)
    retried = sum(totals.retried for totals in both)
    if retried:
        yield f"Retries of failed calls: {retried}."
    if calls.late.calls:
        yield f"{write_count(calls.late.calls, 'call')} came after their row had finished."
