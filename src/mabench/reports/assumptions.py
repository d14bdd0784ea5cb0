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
        yield "No model reads (`model` names one), so no request is sent."
    else:
        yield _price(model)
        yield (
            f"Each question is one request, of {_mean_input(estimates)} input tokens on average "
            "by our own count, and is sent once."
        )
        if shows_history:
            price = Price.of(model.name, load_prices(model.prices))
            tokens = model.window or (price and price.window)
            own = f"the model's window of {tokens:,} tokens" if tokens else None
            window = own or "a window of typical size"
            yield f"Each request shows the whole history, or as much as {window} holds."
        else:
            depth, sizes = depth_of(spec), _range(one.chunk_tokens or 0 for one in estimates)
            yield f"Each request shows {depth} chunks of {sizes} tokens, or all if there are fewer."
        yield _budget(estimates)
        yield f"{_time(model)} Set as many parallel questions with `limits.questions`."
    if done := sum(estimate.done for estimate in estimates):
        yield f"{done:,} questions of this run are already answered and not included."
    if replayed := sum(estimate.kept for estimate in estimates):
        yield f"{replayed:,} questions have cached replies and are not included."
    if not shows_history:
        chunks = sum(estimate.chunks or 0 for estimate in estimates)
        yield (
            f"Not included: the time to memorize about {chunks:,} chunks, and the agent's own "
            "model calls (memorizing, embedding, searching)."
        )


def judging_assumptions(spec: JudgeSpec, estimates: Sequence[Estimate]) -> list[str]:
    """Return what the estimate of judging assumes, one sentence each, in the numbers it used."""
    calls = sum(estimate.calls for estimate in estimates)
    answers = sum(estimate.answers or 0 for estimate in estimates)
    replayed = sum(estimate.kept for estimate in estimates)
    if not answers:
        return ["This judge has given a verdict on every answer."]
    in_cache = f"{replayed:,} replies are cached and not included." if replayed else ""
    if not calls:
        return [f"No request is needed: {in_cache}"]
    return [
        _price(spec.model),
        f"{answers:,} answers have no verdict from this judge yet; they need {calls:,} requests of "
        f"{_mean_input(estimates)} input tokens on average by our own count, assuming that every "
        "reply can be parsed.",
        *filter(None, [in_cache]),
        _budget(estimates),
        _time(spec.model),
    ]


def _price(model: ModelSpec) -> str:
    price = Price.of(model.name, load_prices(model.prices))
    if price is None:
        return f"The price of {model.name} is unknown: give a file with its price as `prices`."
    table = f"in {model.prices}" if model.prices else "in the table that mabench ships"
    cached = (
        "" if price.cached_input is None else "; no input is assumed to be cached by the server"
    )
    return (
        f"{model.name} costs ${price.input:g} per million input tokens and ${price.output:g} of "
        f"output, {table}{cached}."
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
    return f"Every reply is assumed to use its limit: {budgets} tokens. Most are shorter."


def _range(numbers: Iterable[int]) -> str:
    ends = [*numbers] or [0]
    return " to ".join(f"{number:,}" for number in sorted({min(ends), max(ends)}))
