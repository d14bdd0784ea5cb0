"""What an estimate takes for granted, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mabench.lookup import Capabilities
from mabench.models import Estimate, ModelSpec, Price, load_prices
from mabench.runs import depth_of
from mabench.specs import JudgeSpec, RunSpec


def run_assumptions(spec: RunSpec, estimates: Sequence[Estimate]) -> Iterator[str]:
    """Yield what the estimate of a run assumes, one sentence each, in the numbers it used."""
    model = spec.agent.model
    shows_history = Capabilities.of(spec.agent.agent).shows_history
    if model is None:
        yield "No model reads (`model` names one), so none is asked."
    else:
        yield _price(model)
        yield (
            f"Each question is one request, of {_mean_input(estimates)} input tokens in the mean "
            "by our own count; none is asked twice."
        )
        if shows_history:
            price = Price.of(model.name, load_prices(model.prices))
            tokens = model.window or (price and price.window)
            own = f"the model's window of {tokens:,} tokens" if tokens else None
            window = own or "a window of the usual size"
            yield f"Each request shows the whole history, or as much as {window} holds."
        else:
            depth, sizes = depth_of(spec), _range(one.chunk_tokens or 0 for one in estimates)
            yield f"Each request shows {depth} chunks of {sizes} tokens, or all if there are fewer."
        yield _budget(estimates)
        yield f"{_time(model)} That takes as many questions at a time: `limits.questions`."
    if done := sum(estimate.done for estimate in estimates):
        yield f"{done:,} questions of this run are answered already, and are not in it."
    if replayed := sum(estimate.kept for estimate in estimates):
        yield f"{replayed:,} questions have their replies in the cache, and are not in it."
    if not shows_history:
        chunks = sum(estimate.chunks or 0 for estimate in estimates)
        yield (
            f"Not in it: the time to memorize about {chunks:,} chunks, and whatever the agent asks "
            "of models by itself, to memorize, to embed or to search."
        )


def judging_assumptions(spec: JudgeSpec, estimates: Sequence[Estimate]) -> list[str]:
    """Return what the estimate of judging assumes, one sentence each, in the numbers it used."""
    calls = sum(estimate.calls for estimate in estimates)
    answers = sum(estimate.answers or 0 for estimate in estimates)
    replayed = sum(estimate.kept for estimate in estimates)
    if not answers:
        return ["Every answer has a verdict of this judge."]
    in_cache = f"{replayed:,} replies are in the cache, and are not in it." if replayed else ""
    if not calls:
        return [f"No request is needed: {in_cache}"]
    return [
        _price(spec.model),
        f"{answers:,} answers have no verdict of this judge; they take {calls:,} requests, of "
        f"{_mean_input(estimates)} input tokens in the mean by our own count, each with one "
        "readable reply.",
        *filter(None, [in_cache]),
        _budget(estimates),
        _time(spec.model),
    ]


def _price(model: ModelSpec) -> str:
    price = Price.of(model.name, load_prices(model.prices))
    if price is None:
        return f"The price of {model.name} is unknown: give a file with it as `prices`."
    table = f"in {model.prices}" if model.prices else "in the table that mabench ships"
    cached = "" if price.cached_input is None else "; none is taken to be kept by the server"
    return (
        f"{model.name} costs ${price.input:g} for a million tokens of input and ${price.output:g} "
        f"of output, {table}{cached}."
    )


def _time(model: ModelSpec) -> str:
    return (
        f"A reply takes {model.seconds_a_reply:g} seconds, and {model.requests_in_flight} "
        "are awaited at any time."
    )


def _mean_input(estimates: Sequence[Estimate]) -> str:
    calls = sum(estimate.calls for estimate in estimates)
    return f"{sum(estimate.input_tokens for estimate in estimates) / max(calls, 1):,.0f}"


def _budget(estimates: Sequence[Estimate]) -> str:
    budgets = _range(one.output_tokens // one.calls for one in estimates if one.calls)
    return f"Every reply takes all it may: {budgets} tokens. Most are shorter."


def _range(numbers: Iterable[int]) -> str:
    ends = [*numbers] or [0]
    return " to ".join(f"{number:,}" for number in sorted({min(ends), max(ends)}))
