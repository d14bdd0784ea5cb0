"""Estimates: what a run would take of a model, by source, before anything is asked."""

from __future__ import annotations

from collections import Counter, defaultdict
from types import SimpleNamespace
from typing import Any, cast

from mabench.agents import LongContext
from mabench.data.turns import Message
from mabench.errors import MissingPackageError
from mabench.families import Family, family_of
from mabench.injection import PROTOCOLS
from mabench.loading import load
from mabench.lookup import Capabilities, refuse_ignored_model
from mabench.models import CostEstimate, ModelAddress, Price, ReadingModel, load_prices
from mabench.models.local import find_window
from mabench.runs.folders.choosing import find_run
from mabench.runs.folders.record import make_record
from mabench.runs.opening import cuts_as_published, depth_of, find_agent, load_run_prompts
from mabench.runs.selection import find_asked, select_rows
from mabench.specs import ModelSpec, RunSpec
from mabench.text import estimate_tokens


def estimate_run(spec: RunSpec) -> list[CostEstimate]:
    """Return what each source of a run would take.

    ``long-context`` shows the history to the model with every question, up to its window; any
    other agent is taken to show as many chunks as a search returns. Models that a memory calls
    by itself are not counted. Of a run that its folder holds already, what is left is estimated.

    Raises:
        UsageError: when a part of the spec is wrong, or the folder holds another run.
        DataError: when the data cannot be read.
    """
    model = spec.agent.model
    if model:
        refuse_ignored_model(spec.agent)
    price = Price.of(model.name, load_prices(model.prices)) if model else None
    window = find_window(model, price) if model else None
    agent = _name_agent(spec)
    dataset = load(spec.data.data, offline=spec.data.offline)
    prompts = load_run_prompts(spec, dataset.sources)
    protocol = PROTOCOLS[spec.injection.protocol]
    folder = None
    if agent:
        asked = find_asked(spec.data, dataset)
        folder = find_run(spec, make_record(spec, agent, dataset, asked, prompts))
    done = {
        sample.key
        for sample in (folder.samples() if folder else ())
        if not (spec.retry_errors and sample.error)
    }
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for row, selected in select_rows(spec.data, dataset):
        family, total = family_of(row.source, dataset.sources), totals[row.source]
        chunk_tokens = spec.injection.chunk_tokens or protocol.budget(family).chunk_tokens
        if protocol.by_turn and (messages := Message.of_row(row)):
            chunk_tokens = -(-estimate_tokens(row.context) // len(messages))
        questions = [question for question in selected if question.key not in done]
        system = estimate_tokens(prompts.system(family.name))
        prompt_tokens = [
            system + estimate_tokens(prompts.ask(family.name, question.question))
            for question in questions
        ]
        calls = len(prompt_tokens)
        total["chunk_tokens"] = chunk_tokens
        total["done"] += len(selected) - len(questions)
        if questions:
            history = estimate_tokens(row.context)
            shown = _count_shown(spec, family, history, chunk_tokens, window)
            total["chunks"] += -(-history // chunk_tokens)
            total["calls"] += calls
            total["input"] += sum(prompt_tokens) + calls * shown
            total["output"] += calls * protocol.budget(family).answer_tokens
    return [_estimate(model, source, total) for source, total in totals.items()]


def _estimate(model: ModelSpec | None, source: str, total: Counter[str]) -> CostEstimate:
    estimate = CostEstimate(source, 0, 0, 0, 0.0, 0.0)
    if model:
        estimate = CostEstimate.of_calls(
            model,
            source,
            calls=total["calls"],
            input_tokens=total["input"],
            output_tokens=total["output"],
        )
    others: Any = {name: total[name] for name in ("chunks", "chunk_tokens", "done")}
    return estimate._replace(**others)


def _name_agent(spec: RunSpec) -> str | None:
    # The agent is looked up alone, so no key of the model is needed.
    nowhere = ModelAddress("", "", "")
    reader = cast("ReadingModel", SimpleNamespace(address=lambda: nowhere, window=None))
    try:
        return find_agent(spec, reader if spec.agent.model else None).name
    except MissingPackageError:  # The packages need not be here yet.
        return None


def _count_shown(
    spec: RunSpec, family: Family, history: int, chunk_tokens: int, window: int | None
) -> int:
    if not Capabilities.of(spec.agent.agent).shows_history:
        return min(history, chunk_tokens * depth_of(spec))
    answer_tokens = None
    if cuts_as_published(spec):
        answer_tokens = PROTOCOLS[spec.injection.protocol].budget(family).answer_tokens
    return LongContext.shown(history, window, answer_tokens)
