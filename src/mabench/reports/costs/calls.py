"""Reports the calls of language models in a run, or in several side by side, with their costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.comparison import ComparedRun
from mabench.printable import write_count
from mabench.reports.sentences import say
from mabench.reports.tables import Column, Table, Value, plain_table
from mabench.results import CallsEach, CallsSummary, CallTotals, Measure, PhaseCalls

_UNKNOWN = "unknown"
# The lines of a comparison for calls per unit: a unit is 1,000 tokens of history, or a question.
_EACH: tuple[Column[CallsEach], ...] = (
    Column("Calls", lambda each: each.calls, spec=",.2f"),
    Column("Tokens", lambda each: each.tokens, spec=",.1f"),
    Column("Dollars", lambda each: each.cost, spec=".6f", missing=_UNKNOWN),
    Column("Seconds of calls", lambda each: each.seconds, spec=",.3f"),
)
_PER_HISTORY, _PER_QUESTION = "per 1,000 tokens of history", "per question"
_TITLES_OF_CALLS = ("Calls", "Failed", "Tokens in", "Tokens out", "Dollars", "Seconds")
# The format of each of these columns, for totals and for amounts per unit. None: left empty.
_TOTAL_FORMATS = (",d", ",d", ",d", ",d", ",.4f", ",.1f")
_FORMATS_PER_UNIT = (",.2f", None, ",.1f", ",.1f", ",.6f", ",.3f")


def calls_table(calls: CallsSummary) -> Table:
    """Return a table of calls with a row for each phase and model.

    Further rows have the amounts per 1,000 tokens of history and per question.
    """
    rows: list[Sequence[str]] = []
    if calls.preflight:
        rows.append(("before the run", "all", *_write_totals(calls.preflight)))
    rows += _phase_rows("memorizing", calls.memorizing, _PER_HISTORY)
    rows += _phase_rows("answering", calls.answering, _PER_QUESTION)
    if calls.late.calls:
        rows.append(("after the row", "all", *_write_totals(calls.late)))
    return plain_table(("Calls of", "Model", *_TITLES_OF_CALLS), rows, texts=(0, 1))


def _phase_rows(name: str, phase: PhaseCalls, per_unit: str) -> Iterator[Sequence[str]]:
    """Yield a row for each model that was called in a phase, and the amounts per unit.

    ``per_unit`` says in words what these amounts are per.
    """
    for model, totals in phase.models.items():
        yield (name, model, *_write_totals(totals))
    if phase.each_model and len(phase.each_model) > 1:
        for model, each in phase.each_model.items():
            yield (name, f"{model} {per_unit}", *_write_per_unit(phase.models[model], each))
    if phase.each and phase.totals.calls:
        yield (name, per_unit, *_write_per_unit(phase.totals, phase.each))


def _list_amounts(totals: CallTotals) -> list[float | None]:
    """Return what is in the columns of a row, in their order; None for an unknown price."""
    return [
        totals.calls,
        totals.failed,
        totals.input_tokens,
        totals.output_tokens,
        totals.cost,
        totals.seconds,
    ]


def _write_totals(totals: CallTotals) -> list[str]:
    """Return the cells of calls, added up."""
    amounts = _list_amounts(totals)
    return [_write(amount, form) for amount, form in zip(amounts, _TOTAL_FORMATS, strict=True)]


def _write_per_unit(totals: CallTotals, each: CallsEach) -> list[str]:
    """Return the cells of what calls come to per unit; ``each`` says how many calls a unit has."""
    share_of_unit = each.calls / (totals.calls or 1)
    cells = []
    for amount, form in zip(_list_amounts(totals), _FORMATS_PER_UNIT, strict=True):
        per_unit = None if amount is None else share_of_unit * amount
        cells.append("" if form is None else _write(per_unit, form))
    return cells


def _write(amount: float | None, form: str) -> str:
    """Return an amount in a format, or that it is unknown."""
    return _UNKNOWN if amount is None else format(amount, form)


def cost_tables(runs: Sequence[ComparedRun], names: Sequence[str]) -> list[Table]:
    """Return a table of the scores and costs of runs, one at most; none if no cost is known.

    ``names`` are the titles of the columns of the runs.
    """
    costs_by_unit = {
        _PER_HISTORY: [_costs_of_memorizing(run.calls) if run.calls else None for run in runs],
        _PER_QUESTION: [run.calls.answering.each if run.calls else None for run in runs],
    }
    rows: list[Sequence[Value]] = []
    for unit, costs in costs_by_unit.items():
        if any(costs):
            for column in _EACH:
                cells = [column.text(column.value(each)) if each else None for each in costs]
                rows.append((f"{column.title} {unit}", *cells))
    if not rows:
        return []
    scores: Sequence[Value] = ["Mean score", *(Measure(run.mean) for run in runs)]
    return [plain_table(("Score and cost", *names), [scores, *rows], texts=(0,))]


def _costs_of_memorizing(calls: CallsSummary) -> CallsEach | None:
    """Return what memorizing 1,000 tokens of history took; None if it is unknown.

    It is known if calls were made, or if the memory was told where its calls are counted.
    """
    totals = calls.memorizing.totals
    is_known = calls.metered or totals.calls + totals.kept > 0
    return calls.memorizing.each if is_known else None


def call_remarks(calls: CallsSummary | None) -> Iterator[str]:
    """Yield sentences about calls that the table does not show; none if no calls are known."""
    if calls is None:
        return
    memory, reader = calls.by_memory, calls.by_reader
    if calls.metered and memory.calls + memory.kept == 0:
        yield say("unmetered")
    if memory.cost:
        yield f"The memory's own calls cost ${memory.cost:.4f}, besides the answers."
    replayed = memory.kept + reader.kept
    if replayed:
        more = "; the add and search times that this shortens are not shown" if memory.kept else ""
        yield say("replayed", calls=replayed, more=more)
    estimated = memory.estimated + reader.estimated
    if estimated:
        yield say("estimated_tokens", calls=estimated)
    retried = memory.retried + reader.retried
    if retried:
        yield f"Retries of failed calls: {retried}."
    if calls.late.calls:
        yield f"{write_count(calls.late.calls, 'call')} came after their row had finished."
