"""Reports what a run or judging will take, and what the estimate assumes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mabench.lookup import Capabilities
from mabench.models import CostEstimate, ModelSpec, Price, load_prices
from mabench.models.local import find_window
from mabench.printable import write_count, write_number
from mabench.reports.costs.durations import write_hours
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import Column, tabulate
from mabench.specs import JudgeSpec, RunSpec


def estimate_report(estimates: Sequence[CostEstimate], spec: RunSpec | JudgeSpec | None) -> Report:
    """Return a table of estimates by source and in total, with sentences on the assumptions.

    ``spec`` describes the run or judging; without it there are no such sentences.
    """
    if isinstance(spec, JudgeSpec):
        remarks = _judging_assumptions(spec, estimates)
    else:
        remarks = list(_run_assumptions(spec, estimates)) if spec else []
    answers = [one.answers for one in estimates if one.answers is not None]
    costs = [one.cost for one in estimates if one.cost is not None]
    total = CostEstimate(
        source="All",
        calls=sum(one.calls for one in estimates),
        input_tokens=sum(one.input_tokens for one in estimates),
        output_tokens=sum(one.output_tokens for one in estimates),
        cost=sum(costs) if len(costs) == len(estimates) else None,
        hours=sum(one.hours for one in estimates),
        answers=sum(answers),
    )
    columns: tuple[Column[CostEstimate], ...] = (
        Column("Source", lambda row: row.source),
        Column("Answers to judge", lambda row: row.answers or 0, ",", when=lambda _: bool(answers)),
        Column("Calls", lambda row: row.calls, ","),
        Column("Input tokens", lambda row: row.input_tokens, ","),
        Column("Max output tokens", lambda row: row.output_tokens, ","),
        Column("US dollars", lambda row: row.cost, ",.2f", "unknown"),
        Column("Time", lambda row: write_hours(row.hours), ""),
    )
    table = tabulate(columns, [*estimates, total])
    return Report("", [table], remarks, first=[_total_sentence(total)])


def _total_sentence(total: CostEstimate) -> str:
    """Return what all requests together will cost, and how long they take."""
    if not total.calls:
        return "No request is sent, so nothing is paid."
    requests = write_count(total.calls, "request")
    cost = "an unknown price" if total.cost is None else f"${write_number(total.cost, ',.2f')}"
    time = write_hours(total.hours)
    return f"{requests} for at most {cost}" + (f", in about {time}." if time else ".")


def _run_assumptions(spec: RunSpec, estimates: Sequence[CostEstimate]) -> Iterator[str]:
    """Yield sentences on what the estimate of a run assumes."""
    from mabench.runs import depth_of  # Slow to import.

    model = spec.agent.model
    shows_history = Capabilities.of(spec.agent.agent).shows_history
    if model is None:
        yield "No model reads (`model` names one), so no request is sent."
    else:
        yield _price_remark(model)
        yield say("one_request_each", tokens=_mean_input_tokens(estimates))
        if shows_history:
            price = Price.of(model.name, load_prices(model.prices))
            tokens = find_window(model, price)
            own = f"the model's window of {tokens:,} tokens" if tokens else None
            window = own or "a window of typical size"
            yield say("whole_history", window=window)
        else:
            sizes = _write_range(one.chunk_tokens or 0 for one in estimates)
            yield say("some_chunks", depth=depth_of(spec), sizes=sizes)
        yield _budget_remark(estimates)
        yield _time_remark(model)
    done = sum(estimate.done for estimate in estimates)
    if done:
        yield f"Not included: {write_count(done, 'question')} of this run, already answered."
    if not shows_history:
        chunks = sum(estimate.chunks or 0 for estimate in estimates)
        yield say("not_included", chunks=chunks)


def _judging_assumptions(spec: JudgeSpec, estimates: Sequence[CostEstimate]) -> list[str]:
    """Return sentences on what the estimate of judging assumes."""
    calls = sum(estimate.calls for estimate in estimates)
    answers = sum(estimate.answers or 0 for estimate in estimates)
    replayed = sum(estimate.kept for estimate in estimates)
    if not answers:
        return ["This judge has given a verdict on every answer."]
    in_cache = f"Not included: {write_count(replayed, 'cached reply')}." if replayed else ""
    if not calls:
        return [f"No request is needed: {in_cache}"]
    tokens = _mean_input_tokens(estimates)
    remarks = [
        _price_remark(spec.model),
        say("no_verdict_yet", answers=answers, calls=calls, tokens=tokens),
    ]
    if in_cache:
        remarks.append(in_cache)
    return [*remarks, _budget_remark(estimates), _time_remark(spec.model)]


def _price_remark(model: ModelSpec) -> str:
    """Return a sentence on the price of a model."""
    price = Price.of(model.name, load_prices(model.prices))
    if model.is_local and not model.prices:
        return f"{model.name} runs on this machine, and its tokens cost nothing."
    if price is None:
        return f"The price of {model.name} is unknown: give a file with its price as `prices`."
    table = f"in {model.prices}" if model.prices else "in mabench's own table"
    cached = ""
    if price.cached_input is not None:
        cached = "; no input is assumed to be cached by the server"
    return say(
        "price",
        model=model.name,
        input=price.input,
        output=price.output,
        table=table,
        cached=cached,
    )


def _time_remark(model: ModelSpec) -> str:
    requests = model.concurrent_requests
    return say("reply_time", seconds=model.seconds_a_reply, requests=requests)


def _mean_input_tokens(estimates: Sequence[CostEstimate]) -> str:
    """Return the mean number of input tokens of a call, as text."""
    calls = sum(estimate.calls for estimate in estimates)
    tokens = sum(estimate.input_tokens for estimate in estimates)
    return f"{tokens / max(calls, 1):,.0f}"


def _budget_remark(estimates: Sequence[CostEstimate]) -> str:
    budgets = _write_range(one.output_tokens // one.calls for one in estimates if one.calls)
    return f"Every reply is assumed to use its limit: {budgets} tokens. Most are shorter."


def _write_range(numbers: Iterable[int]) -> str:
    """Return the smallest and the largest number, such as ``512 to 4,096``; one if equal."""
    listed = list(numbers) or [0]
    low, high = min(listed), max(listed)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
