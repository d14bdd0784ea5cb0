"""What runs took, model calls and the memory's adds, searches and storage; and what one will take.

An estimate says in words what it takes for granted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mabench.comparison import ComparedRun
from mabench.lookup import Capabilities
from mabench.models import Estimate, ModelSpec, Price, load_prices
from mabench.printable import write_count
from mabench.reports.layout import Report, say
from mabench.reports.tables import Column, Table, Value, plain_table, tabulate
from mabench.results import (
    CallsEach,
    CallsSummary,
    CallTotals,
    Measure,
    MemorySummary,
    RunSummary,
    ScoreSummary,
    SourceScores,
    SourceSummary,
)
from mabench.specs import JudgeSpec, RunSpec

_UNKNOWN = "unknown"
_EACH: tuple[Column[CallsEach], ...] = (
    Column("Calls", lambda each: each.calls, ",.2f"),
    Column("Tokens", lambda each: each.tokens, ",.1f"),
    Column("Dollars", lambda each: each.cost, ".6f", _UNKNOWN),
    Column("Seconds of calls", lambda each: each.seconds, ",.3f"),
)
_HISTORY, _QUESTION = "per 1,000 tokens of history", "per question"
_TITLES_OF_CALLS = ("Calls", "Failed", "Tokens in", "Tokens out", "Dollars", "Seconds")
# How these amounts are written, in all and for one unit.
_IN_ALL = (",d", ",d", ",d", ",d", ",.4f", ",.1f")
_FOR_ONE = (",.2f", None, ",.1f", ",.1f", ",.6f", ",.3f")


def calls_table(calls: CallsSummary) -> Table:
    """Return a row for each model of each phase, and what a thousand tokens or a question took."""
    rows: list[tuple[str, ...]] = []

    def add(name: str, model: str, totals: CallTotals, each: CallsEach | None = None) -> None:
        share = each.calls / (totals.calls or 1) if each else 1
        amounts = (totals.calls, totals.failed, totals.input_tokens, totals.output_tokens)
        every = (*amounts, totals.cost, totals.seconds)
        cells = (
            "" if form is None else _UNKNOWN if amount is None else format(share * amount, form)
            for amount, form in zip(every, _FOR_ONE if each else _IN_ALL, strict=True)
        )
        rows.append((name, model, *cells))

    if calls.preflight:
        add("before the run", "all", calls.preflight)
    for name, phase, unit in (
        ("memorizing", calls.memorizing, _HISTORY),
        ("answering", calls.answering, _QUESTION),
    ):
        for model, totals in phase.models.items():
            add(name, model, totals)
        each_model = phase.each_model or {}
        for model, each in each_model.items() if len(each_model) > 1 else ():
            add(name, f"{model} {unit}", phase.models[model], each)
        if phase.each and phase.totals.calls:
            add(name, unit, phase.totals, phase.each)
    if calls.late.calls:
        add("after the row", "all", calls.late)
    return plain_table(("Calls of", "Model", *_TITLES_OF_CALLS), rows, texts=(0, 1))


def cost_tables(runs: Sequence[ComparedRun], names: Sequence[str]) -> list[Table]:
    """Return what runs took beside their scores, if known; a dash where nobody looked."""

    def memorizing(calls: CallsSummary) -> CallsEach | None:
        totals = calls.memorizing.totals
        return calls.memorizing.each if calls.metered or totals.calls + totals.kept else None

    units = {
        _HISTORY: [memorizing(run.calls) if run.calls else None for run in runs],
        _QUESTION: [run.calls.answering.each if run.calls else None for run in runs],
    }
    rows: list[Sequence[Value]] = [("Mean score", *(Measure(run.mean) for run in runs))]
    for unit, eaches in units.items():
        if any(eaches):
            for column in _EACH:
                cells = (column.text(column.value(each)) if each else None for each in eaches)
                rows.append((f"{column.title} {unit}", *cells))
    return [plain_table(("Score and cost", *names), rows, texts=(0,))] if rows[1:] else []


def call_remarks(calls: CallsSummary | None) -> Iterator[str]:
    """Yield what the table does not say; nothing where no calls are known."""
    if calls is None:
        return
    both = (calls.by_memory, calls.by_reader)
    if calls.metered and not calls.by_memory.calls + calls.by_memory.kept:
        yield say("unmetered")
    if calls.by_memory.cost:
        yield f"The memory's own calls cost ${calls.by_memory.cost:.4f}, besides the answers."
    if replayed := sum(totals.kept for totals in both):
        shortened = "; the add and search times that this shortens are not shown"
        more = shortened * bool(calls.by_memory.kept)
        yield say("replayed", calls=replayed, more=more)
    if estimated := sum(totals.estimated for totals in both):
        yield say("estimated_tokens", calls=estimated)
    if retried := sum(totals.retried for totals in both):
        yield f"Retries of failed calls: {retried}."
    if calls.late.calls:
        yield f"{write_count(calls.late.calls, 'call')} came after their row had finished."


# The figures of the table, by the names that programs read.
_TITLES = {
    "add seconds per 1,000 tokens": "Add 1,000 tokens",
    **{f"add p{percent} seconds": f"Add p{percent}" for percent in (50, 95, 99)},
    "ready p50 seconds": "Ready p50",
    **{f"search p{percent} seconds": f"Search p{percent}" for percent in (50, 95, 99)},
    "tokens shown": "Tokens shown",
    "bytes per 1,000 tokens": "Bytes per 1,000 tokens",
}
# Those that say the least go first where a terminal is narrow.
_LEAST = ("add p95 seconds", "search p95 seconds", "add p99 seconds", "add p50 seconds")


class MemoryRow(NamedTuple):
    """What is known of the memory of a source, or of a run: of how many calls, and a value."""

    name: str
    figures: Mapping[str, tuple[int | None, float]]

    @classmethod
    def of(
        cls, name: str, memory: MemorySummary | None, sources: Iterable[SourceScores]
    ) -> MemoryRow:
        """Return a row with the figures of a memory, and the tokens shown with a question."""
        figures = memory.figures() if memory else {}
        known = [each.retrieval for each in sources if each.retrieval]
        if questions := sum(each.questions for each in known):
            tokens = sum((each.shown_tokens or 0.0) * each.questions for each in known)
            figures["tokens shown"] = questions, tokens / questions
        return cls(name, figures)

    @classmethod
    def of_sources(cls, summary: ScoreSummary) -> list[MemoryRow]:
        """Return a row for each source of a summary, and one for all where there are several."""
        rows = [
            MemoryRow.of(name, one.memory if isinstance(one, SourceSummary) else None, [one])
            for name, one in summary.sources.items()
        ]
        if len(rows) > 1:
            memory = summary.memory if isinstance(summary, RunSummary) else None
            rows.append(MemoryRow.of("All", memory, summary.sources.values()))
        return rows

    @classmethod
    def of_run(cls, name: str, run: ComparedRun) -> MemoryRow:
        """Return a row for a run: over the sources that are compared, and all its builds."""
        sources = (summary.sources[source] for summary in run.summaries for source in run.sources)
        return MemoryRow.of(name, run.memory, sources)

    @staticmethod
    def tables(rows: Sequence[MemoryRow]) -> list[Table]:
        """Return the table of what is known of memories; none where nothing is."""

        def column(name: str) -> Column[MemoryRow]:
            form = duration if "seconds" in name else "{:,.0f}".format

            def text(row: MemoryRow) -> str | None:
                return form(row.figures[name][1]) if name in row.figures else None

            rank = -1 - _LEAST.index(name) if name in _LEAST else 0
            return Column(_TITLES[name], text, "", when="known", spare=lambda _: rank)

        known = [row for row in rows if not row.figures.keys().isdisjoint(_TITLES)]
        title: Column[MemoryRow] = Column("Memory", lambda row: row.name)
        return [tabulate([title, *map(column, _TITLES)], known)] if known else []


def duration(seconds: float) -> str:
    """Return seconds for a reader, with three digits."""
    rounded = float(f"{seconds:.3g}")
    if rounded < 0.001:
        return f"{1e6 * rounded:.3g} \N{MICRO SIGN}s"
    if rounded < 1:
        return f"{1000 * rounded:.3g} ms"
    return f"{rounded:.3g} s" if rounded < 1000 else f"{rounded:,.0f} s"


def write_hours(hours: float | None) -> str | None:
    """Return a time that was estimated in hours for a reader, as 23 s, 4 min or 2.5 h."""
    if hours is None:
        return None
    if hours >= 1:
        return f"{hours:,.1f} h"
    return f"{60 * hours:.0f} min" if hours >= 1 / 30 else f"{3600 * hours:.0f} s"


def estimate_report(estimates: Sequence[Estimate], spec: RunSpec | JudgeSpec | None) -> Report:
    """Return what a run or judging will take, by source and in all, and what that assumes."""
    if isinstance(spec, JudgeSpec):
        remarks = _judging_assumptions(spec, estimates)
    else:
        remarks = [*_run_assumptions(spec, estimates)] if spec else []
    answers = [one.answers for one in estimates if one.answers is not None]
    costs = [one.cost for one in estimates if one.cost is not None]
    total = Estimate(
        "All",
        sum(one.calls for one in estimates),
        sum(one.input_tokens for one in estimates),
        sum(one.output_tokens for one in estimates),
        sum(costs) if len(costs) == len(estimates) else None,
        sum(one.hours for one in estimates),
        sum(answers),
    )
    columns: tuple[Column[Estimate], ...] = (
        Column("Source", lambda row: row.source),
        Column("Answers to judge", lambda row: row.answers or 0, ",", when=lambda _: bool(answers)),
        Column("Calls", lambda row: row.calls, ","),
        Column("Input tokens", lambda row: row.input_tokens, ","),
        Column("Max output tokens", lambda row: row.output_tokens, ","),
        Column("US dollars", lambda row: row.cost, ",.2f", "unknown"),
        Column("Time", lambda row: write_hours(row.hours), ""),
    )
    return Report("", [tabulate(columns, [*estimates, total])], remarks)


def _run_assumptions(spec: RunSpec, estimates: Sequence[Estimate]) -> Iterator[str]:
    from mabench.runs import depth_of  # Most reports do without what runs agents.

    model = spec.agent.model
    shows_history = Capabilities.of(spec.agent.agent).shows_history
    if model is None:
        yield "No model reads (`model` names one), so no request is sent."
    else:
        yield _price(model)
        yield say("one_request_each", tokens=_mean_input(estimates))
        if shows_history:
            price = Price.of(model.name, load_prices(model.prices))
            tokens = model.window or (price and price.window)
            own = f"the model's window of {tokens:,} tokens" if tokens else None
            window = own or "a window of typical size"
            yield say("whole_history", window=window)
        else:
            depth, sizes = depth_of(spec), _range(one.chunk_tokens or 0 for one in estimates)
            yield say("some_chunks", depth=depth, sizes=sizes)
        yield _budget(estimates)
        yield f"{_time(model)} Set as many parallel questions with `limits.questions`."
    if done := sum(estimate.done for estimate in estimates):
        yield f"Not included: {write_count(done, 'question')} of this run, already answered."
    if not shows_history:
        chunks = sum(estimate.chunks or 0 for estimate in estimates)
        yield say("not_included", chunks=chunks)


def _judging_assumptions(spec: JudgeSpec, estimates: Sequence[Estimate]) -> list[str]:
    calls = sum(estimate.calls for estimate in estimates)
    answers = sum(estimate.answers or 0 for estimate in estimates)
    replayed = sum(estimate.kept for estimate in estimates)
    if not answers:
        return ["This judge has given a verdict on every answer."]
    in_cache = f"Not included: {write_count(replayed, 'cached reply')}." if replayed else ""
    if not calls:
        return [f"No request is needed: {in_cache}"]
    return [
        _price(spec.model),
        say("no_verdict_yet", answers=answers, calls=calls, tokens=_mean_input(estimates)),
        *filter(None, [in_cache]),
        _budget(estimates),
        _time(spec.model),
    ]


def _price(model: ModelSpec) -> str:
    price = Price.of(model.name, load_prices(model.prices))
    if price is None:
        return f"The price of {model.name} is unknown: give a file with its price as `prices`."
    table = f"in {model.prices}" if model.prices else "in mabench's own table"
    has_cache = price.cached_input is not None
    cached = "; no input is assumed to be cached by the server" * has_cache
    costs = {"input": price.input, "output": price.output}
    return say("price", model=model.name, **costs, table=table, cached=cached)


def _time(model: ModelSpec) -> str:
    requests = model.requests_in_flight
    return say("reply_time", seconds=model.seconds_a_reply, requests=requests)


def _mean_input(estimates: Sequence[Estimate]) -> str:
    calls = sum(estimate.calls for estimate in estimates)
    return f"{sum(estimate.input_tokens for estimate in estimates) / max(calls, 1):,.0f}"


def _budget(estimates: Sequence[Estimate]) -> str:
    budgets = _range(one.output_tokens // one.calls for one in estimates if one.calls)
    return f"Every reply is assumed to use its limit: {budgets} tokens. Most are shorter."


def _range(numbers: Iterable[int]) -> str:
    ends = [*numbers] or [0]
    return " to ".join(f"{number:,}" for number in sorted({min(ends), max(ends)}))
