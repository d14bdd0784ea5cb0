"""What an estimate takes for granted, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mabench.lookup import capabilities_of
from mabench.models import SECONDS_A_REPLY, Estimate, ModelSpec, load_prices, price_of
from mabench.runs import depth_of
from mabench.specs import JudgeSpec, RunSpec


def run_assumptions(spec: RunSpec, estimates: Sequence[Estimate]) -> list[str]:
    """Return what the estimate of a run assumes, one sentence each, in the numbers it used."""
    model = spec.agent.model
    if model is None:
        asked = ["No model reads (`model` names one), so none is asked."]
    else:
        asked = [
            _price(model),
            f"Each question is one request, of {_mean_input(estimates)} input tokens in the mean "
            "by our own count; none is asked twice.",
            _shown(spec, estimates),
            f"Every reply takes all it may: {_budget(estimates)} tokens. Most are shorter.",
            f"{_time(model)} That takes as many questions at a time: `limits.questions`.",
        ]
    if done := sum(one.done for one in estimates):
        asked.append(f"{done:,} questions of this run are answered already, and are not in it.")
    if kept := sum(one.kept for one in estimates):
        asked.append(f"{kept:,} questions have their replies in the cache, and are not in it.")
    if capabilities_of(spec.agent.agent).shows_history:
        return asked
    chunks = sum(one.chunks or 0 for one in estimates)
    return [
        *asked,
        f"Not in it: the time to memorize about {chunks:,} chunks, and whatever the agent asks of "
        "models by itself, to memorize, to embed or to search.",
    ]


def judging_assumptions(spec: JudgeSpec, estimates: Sequence[Estimate]) -> list[str]:
    """Return what the estimate of judging assumes, one sentence each, in the numbers it used."""
    calls = sum(one.calls for one in estimates)
    answers = sum(one.answers or 0 for one in estimates)
    kept = sum(one.kept for one in estimates)
    if not answers:
        return ["Every answer has a verdict of this judge."]
    in_cache = f"{kept:,} replies are in the cache, and are not in it." if kept else ""
    if not calls:
        return [f"No request is needed: {in_cache}"]
    return [
        _price(spec.model),
        f"{answers:,} answers have no verdict of this judge; they take {calls:,} requests, of "
        f"{_mean_input(estimates)} input tokens in the mean by our own count, each with one "
        "readable reply.",
        *([in_cache] if in_cache else []),
        f"Every reply takes all it may: {_budget(estimates)} tokens. Most are shorter.",
        _time(spec.model),
    ]


def _price(model: ModelSpec) -> str:
    price = price_of(model.name, load_prices(model.prices))
    if price is None:
        return f"The price of {model.name} is unknown: give a file with it as `prices`."
    table = f"in {model.prices}" if model.prices else "in the table that mabench ships"
    kept = "" if price.cached_input is None else "; none is taken to be kept by the server"
    return (
        f"{model.name} costs ${price.input:g} for a million tokens of input and ${price.output:g} "
        f"of output, {table}{kept}."
    )


def _shown(spec: RunSpec, estimates: Sequence[Estimate]) -> str:
    if capabilities_of(spec.agent.agent).shows_history:
        window = _window(spec.agent.model)
        return f"Each request shows the whole history, or as much as {window} holds."
    sizes = _range(one.chunk_tokens or 0 for one in estimates)
    return (
        f"Each request shows {depth_of(spec)} chunks of {sizes} tokens, or all if there are fewer."
    )


def _window(model: ModelSpec | None) -> str:
    price = price_of(model.name, load_prices(model.prices)) if model else None
    window = (model and model.window) or (price and price.window)
    return f"the model's window of {window:,} tokens" if window else "a window of the usual size"


def _time(model: ModelSpec) -> str:
    return (
        f"A reply takes {SECONDS_A_REPLY:g} seconds, and {model.requests_in_flight} are awaited at "
        "any time."
    )


def _mean_input(estimates: Sequence[Estimate]) -> str:
    calls = sum(one.calls for one in estimates)
    return f"{sum(one.input_tokens for one in estimates) / max(calls, 1):,.0f}"


def _budget(estimates: Sequence[Estimate]) -> str:
    return _range(one.output_tokens // one.calls for one in estimates if one.calls)


def _range(numbers: Iterable[int]) -> str:
    found = [*numbers] or [0]
    return " to ".join(f"{number:,}" for number in sorted({min(found), max(found)}))
