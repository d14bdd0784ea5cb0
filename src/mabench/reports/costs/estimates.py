"""Reports what a run, or judging it, will cost before it begins, and what the estimate assumes."""

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
    if spec is None:
        remarks = []
    elif isinstance(spec, JudgeSpec):
        remarks = _judging_assumptions(spec, estimates)
    else:
        remarks = [*_run_assumptions(spec, estimates)]
    is_of_judging = any(estimate.answers is not None for estimate in estimates)
    columns: list[Column[CostEstimate]] = [
        Column("Source", lambda estimate: estimate.source),
        *(_ANSWERS_COLUMN if is_of_judging else ()),
        Column("Calls", lambda estimate: estimate.calls, spec=","),
        Column("Input tokens", lambda estimate: estimate.input_tokens, spec=","),
        Column("Max output tokens", lambda estimate: estimate.output_tokens, spec=","),
        Column("US dollars", lambda estimate: estimate.cost, spec=",.2f", missing="unknown"),
        Column("Time", lambda estimate: write_hours(estimate.hours), spec=""),
    ]
    total = _add_up(estimates)
    table = tabulate(columns, [*estimates, total])
    return Report("", [table], remarks, first=[_total_sentence(total)])


_ANSWERS_COLUMN: tuple[Column[CostEstimate], ...] = (
    Column("Answers to judge", lambda estimate: estimate.answers or 0, spec=","),
)


def _add_up(estimates: Sequence[CostEstimate]) -> CostEstimate:
    """Return the estimate of all sources together; its cost is None if any is unknown."""
    costs = [estimate.cost for estimate in estimates if estimate.cost is not None]
    return CostEstimate(
        source="All",
        calls=sum(estimate.calls for estimate in estimates),
        input_tokens=sum(estimate.input_tokens for estimate in estimates),
        output_tokens=sum(estimate.output_tokens for estimate in estimates),
        cost=sum(costs) if len(costs) == len(estimates) else None,
        hours=sum(estimate.hours for estimate in estimates),
        answers=sum(estimate.answers or 0 for estimate in estimates),
    )


def _total_sentence(total: CostEstimate) -> str:
    """Return what all requests together will cost at most, and how long they take."""
    if not total.calls:
        return "No request is sent, so nothing is paid."
    requests = write_count(total.calls, "request")
    cost = "an unknown price" if total.cost is None else f"${write_number(total.cost, ',.2f')}"
    time = write_hours(total.hours)
    return f"{requests} for at most {cost}" + (f", in about {time}." if time else ".")


def _run_assumptions(spec: RunSpec, estimates: Sequence[CostEstimate]) -> Iterator[str]:
    """Yield sentences on what the estimate of a run assumes."""
    model = spec.agent.model
    shows_history = Capabilities.of(spec.agent.agent).shows_history
    if model is None:
        yield "No model reads (`model` names one), so no request is sent."
    else:
        yield _price_remark(model)
        yield say("one_request_each", tokens=_mean_input_tokens(estimates))
        yield _history_remark(model) if shows_history else _chunks_remark(spec, estimates)
        yield _budget_remark(estimates)
        yield _time_remark(model)
    done = sum(estimate.done for estimate in estimates)
    if done:
        yield f"Not included: {write_count(done, 'question')} of this run, already answered."
    if not shows_history:  # A memory may call models of its own while it stores or searches.
        chunks = sum(estimate.chunks or 0 for estimate in estimates)
        yield say("calls_of_memory_not_included", chunks=chunks)


def _history_remark(model: ModelSpec) -> str:
    """Return how much of a history is shown to a model that is shown the whole, if it fits."""
    price = Price.of(model.name, load_prices(model.prices))
    tokens = find_window(model, price)
    if tokens:
        return say("whole_history", window=f"the model's window of {tokens:,} tokens")
    return say("whole_history", window="a window of typical size")


def _chunks_remark(spec: RunSpec, estimates: Sequence[CostEstimate]) -> str:
    """Return how many chunks of a history are shown to a model, and of which sizes."""
    from mabench.runs import depth_of  # Slow to import.

    sizes = _write_range(estimate.chunk_tokens or 0 for estimate in estimates)
    return say("some_chunks", depth=depth_of(spec), sizes=sizes)


def _judging_assumptions(spec: JudgeSpec, estimates: Sequence[CostEstimate]) -> list[str]:
    """Return sentences on what the estimate of judging assumes."""
    calls = sum(estimate.calls for estimate in estimates)
    answers = sum(estimate.answers or 0 for estimate in estimates)
    cached = sum(estimate.kept for estimate in estimates)
    if not answers:
        return ["This judge has given a verdict on every answer."]
    not_included = f"Not included: {write_count(cached, 'cached reply')}." if cached else ""
    if not calls:
        return [f"No request is needed: {not_included}"]
    tokens = _mean_input_tokens(estimates)
    remarks = [
        _price_remark(spec.model),
        say("no_verdict_yet", answers=answers, calls=calls, tokens=tokens),
    ]
    if not_included:
        remarks.append(not_included)
    return [*remarks, _budget_remark(estimates), _time_remark(spec.model)]


def _price_remark(model: ModelSpec) -> str:
    """Return a sentence on the price of a model's tokens, and where the price is from."""
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
    """Return how long a reply is assumed to take, and how many requests are sent at a time."""
    requests = model.concurrent_requests
    return say("reply_time", seconds=model.seconds_a_reply, requests=requests)


def _mean_input_tokens(estimates: Sequence[CostEstimate]) -> str:
    """Return the mean number of input tokens of a call, as text."""
    calls = sum(estimate.calls for estimate in estimates)
    tokens = sum(estimate.input_tokens for estimate in estimates)
    return f"{tokens / max(calls, 1):,.0f}"


def _budget_remark(estimates: Sequence[CostEstimate]) -> str:
    """Return how many tokens every reply is assumed to have: as many as its limit allows."""
    limits = (one.output_tokens // one.calls for one in estimates if one.calls)
    tokens = _write_range(limits)
    return f"Every reply is assumed to use its limit: {tokens} tokens. Most are shorter."


def _write_range(numbers: Iterable[int]) -> str:
    """Return the smallest and the largest number, such as ``512 to 4,096``; one if equal.

    Of no numbers it is 0.
    """
    listed = list(numbers)
    low, high = min(listed, default=0), max(listed, default=0)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
