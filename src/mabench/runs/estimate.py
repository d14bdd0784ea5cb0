"""What a run would take, without calling anything."""

from __future__ import annotations

from collections.abc import Callable, Collection

from mabench.agents.long_context import shown_tokens
from mabench.families import family_of, load_prompts
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.lookup.factories import DEPTH
from mabench.models import Estimate, ModelSpec, Price, estimate_calls, load_prices, price_of
from mabench.runs.run import DEFAULT_PROTOCOL
from mabench.runs.selection import Selection
from mabench.text import estimate_tokens


def estimate_run(
    agent: str | Callable[[], object],
    data: object,
    *,
    sources: Collection[str] | None = None,
    protocol: str = DEFAULT_PROTOCOL,
    chunk_tokens: int | None = None,
    rows: Collection[int] | None = None,
    limit_questions: int | None = None,
    model: ModelSpec | None = None,
    depth: int = DEPTH,
) -> list[Estimate]:
    """Return what each source would take; arguments are as for ``run``.

    ``long-context`` shows the history to the model with every question, up to its window; any
    other agent is taken to show ``depth`` chunks, as many as a search returns. Models that a
    memory calls by itself are not counted.
    """
    injection = protocol_named(protocol)
    price = price_of(model.name, load_prices(model.prices)) if model else None
    wording = load_prompts()
    totals: dict[str, list[int]] = {}
    for row, questions in Selection(sources, rows, limit_questions).of(load(data)):
        budget = injection.max_tokens(row.source)
        history = estimate_tokens(row.context)
        if agent == "long-context":
            shown = shown_tokens(history, _window(model, price))
        else:
            shown = min(history, depth * (chunk_tokens or injection.size(row.source)))
        prompts = sum(
            estimate_tokens(wording.ask(family_of(row.source).name, question.question))
            for question in questions
        )
        total = totals.setdefault(row.source, [0, 0, 0])
        for i, more in enumerate(
            (len(questions), prompts + shown * len(questions), budget * len(questions))
        ):
            total[i] += more
    if model is None:
        return [Estimate(source, 0, 0, 0, 0.0, 0.0) for source in totals]
    return [estimate_calls(model, source, *total) for source, total in totals.items()]


def _window(model: ModelSpec | None, price: Price | None) -> int | None:
    chosen = model.window if model else None
    return chosen or (price.window if price else None)
