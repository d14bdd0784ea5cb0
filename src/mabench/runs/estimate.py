"""What a run would take, without calling anything."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from mabench.agents.long_context import shown_tokens
from mabench.families import family_of, load_prompts
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.lookup.factories import DEPTH
from mabench.models import ModelChoice, Price, load_prices, price_of
from mabench.runs.run import DEFAULT_PROTOCOL
from mabench.runs.selection import Selection
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


def estimate_run(
    agent: str | Callable[[], object],
    data: object,
    *,
    sources: Collection[str] | None = None,
    protocol: str = DEFAULT_PROTOCOL,
    chunk_tokens: int | None = None,
    rows: Collection[int] | None = None,
    limit_questions: int | None = None,
    model: ModelChoice | None = None,
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
        family = family_of(row.source)
        size, longest = injection.budget(family)
        history = estimate_tokens(row.context)
        if agent == "long-context":
            shown = shown_tokens(history, _window(model, price))
        else:
            shown = min(history, depth * (chunk_tokens or size))
        prompts = sum(
            estimate_tokens(wording.ask(family.name, question.question)) for question in questions
        )
        total = totals.setdefault(row.source, [0, 0, 0])
        for i, more in enumerate(
            (
                len(questions),
                prompts + shown * len(questions),
                longest * len(questions),
            )
        ):
            total[i] += more
    return [_estimated(name, total, model, price) for name, total in totals.items()]


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
