"""What a run would take, without calling anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from mabench.agents.long_context import shown_tokens
from mabench.data import Row
from mabench.families import family_of, load_prompts
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.lookup.factories import DEPTH
from mabench.models import ModelChoice, Price, load_prices, price_of
from mabench.runs.selection import Selection
from mabench.runs.spec import RunSpec
from mabench.text import estimate_tokens

# Seconds that a reply is assumed to take; requests in flight share them.
SECONDS_A_REPLY = 2.0


class Estimate(NamedTuple):
    """What one source would take.

    Attributes:
        source: the source.
        calls: requests to the model; 0 without one.
        input_tokens: of all requests.
        output_tokens: of all replies, if each used its whole budget.
        cost: US dollars; None when prices are unknown.
        hours: at two seconds a reply.
    """

    source: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    hours: float


def estimate_run(spec: RunSpec) -> list[Estimate]:
    """Return what each source of a run would take.

    ``long-context`` shows the history to the model with every question, up to its window; any
    other agent is taken to show as many chunks as a search returns. Models that a memory calls
    by itself are not counted.
    """
    model = spec.agent.model
    price = price_of(model.name, load_prices(model.prices)) if model else None
    prompts = load_prompts(Path(spec.injection.prompts) if spec.injection.prompts else None)
    dataset = load(spec.data.data, offline=spec.data.offline)
    shown = _shown(spec, price)
    totals: dict[str, list[int]] = {}
    protocol = protocol_named(spec.injection.protocol)
    for row, questions in Selection(
        spec.data.sources, spec.data.rows, spec.data.limit_questions
    ).of(dataset):
        asked = sum(
            estimate_tokens(prompts.ask(family_of(row.source).name, question.question))
            for question in questions
        )
        total = totals.setdefault(row.source, [0, 0, 0])
        n = len(questions)
        total[0] += n
        total[1] += asked + n * shown(row)
        total[2] += n * protocol.max_tokens(row.source)
    return [_estimated(name, total, model, price) for name, total in totals.items()]


def _shown(spec: RunSpec, price: Price | None) -> Callable[[Row], int]:
    """Return what says how many tokens of a row's history are shown with a question."""
    if spec.agent.agent == "long-context":
        window = _window(spec.agent.model, price)
        return lambda row: shown_tokens(estimate_tokens(row.context), window)
    depth = spec.agent.settings.get("k", DEPTH)
    depth = depth if isinstance(depth, int) else DEPTH
    protocol = protocol_named(spec.injection.protocol)

    def chunks(row: Row) -> int:
        size = spec.injection.chunk_tokens or protocol.size(row.source)
        return min(estimate_tokens(row.context), depth * size)

    return chunks


def _estimated(
    source: str, total: list[int], model: ModelChoice | None, price: Price | None
) -> Estimate:
    if model is None:
        return Estimate(source, 0, 0, 0, 0.0, 0.0)
    calls, given, got = total
    hours = calls * SECONDS_A_REPLY / model.in_flight / 3600
    return Estimate(source, calls, given, got, price.cost(given, got) if price else None, hours)


def _window(model: ModelChoice | None, price: Price | None) -> int | None:
    chosen = model.window if model else None
    return chosen or (price.window if price else None)
