"""What a run would take, without calling anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mabench.agents.long_context import shown_tokens
from mabench.data import Row
from mabench.families import Family, family_of, load_prompts
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.lookup import capabilities_of
from mabench.lookup.factories import DEPTH
from mabench.models import Estimate, ModelSpec, Price, estimate_calls, load_prices, price_of
from mabench.runs.spec import RunSpec
from mabench.text import estimate_tokens


def estimate_run(spec: RunSpec) -> list[Estimate]:
    """Return what each source of a run would take.

    ``long-context`` shows the history to the model with every question, up to its window; any
    other agent is taken to show as many chunks as a search returns. Models that a memory calls
    by itself are not counted.
    """
    model = spec.agent.model
    price = price_of(model.name, load_prices(model.prices)) if model else None
    dataset = load(spec.data.data, offline=spec.data.offline)
    prompts = load_prompts(
        Path(spec.injection.prompts) if spec.injection.prompts else None, dataset.sources
    )
    shown = _shown(spec, price)
    totals: dict[str, list[int]] = {}
    protocol = protocol_named(spec.injection.protocol)
    for row, questions in spec.data.selected(dataset):
        family = family_of(row.source, dataset.sources)
        asked = sum(
            estimate_tokens(prompts.ask(family.name, question.question)) for question in questions
        )
        total = totals.setdefault(row.source, [0, 0, 0])
        n = len(questions)
        total[0] += n
        total[1] += asked + n * shown(row, family)
        total[2] += n * protocol.budget(family).answer_tokens
    if model is None:
        return [Estimate(source, 0, 0, 0, 0.0, 0.0) for source in totals]
    return [estimate_calls(model, source, *total) for source, total in totals.items()]


def _shown(spec: RunSpec, price: Price | None) -> Callable[[Row, Family], int]:
    """Return what says how many tokens of a row's history are shown with a question."""
    if capabilities_of(spec.agent.agent).shows_history:
        window = _window(spec.agent.model, price)
        return lambda row, family: shown_tokens(estimate_tokens(row.context), window)
    depth = spec.agent.settings.get("k", DEPTH)
    depth = depth if isinstance(depth, int) else DEPTH
    protocol = protocol_named(spec.injection.protocol)

    def chunks(row: Row, family: Family) -> int:
        size = spec.injection.chunk_tokens or protocol.budget(family).chunk_tokens
        return min(estimate_tokens(row.context), depth * size)

    return chunks


def _window(model: ModelSpec | None, price: Price | None) -> int | None:
    chosen = model.window if model else None
    return chosen or (price.window if price else None)
