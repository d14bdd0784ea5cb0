"""Estimates: what a run would take of a model, by source, before anything is asked."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

from mabench.agents import LongContext
from mabench.data import Question, Row
from mabench.data.turns import Message
from mabench.errors import MissingPackageError
from mabench.families import Family, Prompts, family_of
from mabench.injection import PROTOCOLS
from mabench.loading import load
from mabench.lookup import Capabilities, refuse_ignored_model
from mabench.models import CostEstimate, ModelAddress, Price, ReadingModel, load_prices
from mabench.models.local import find_window
from mabench.results import Key, RunRecord
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
    done: set[Key] = set()
    if agent:
        asked = find_asked(spec.data, dataset)
        done = _find_done(spec, make_record(spec, agent, dataset, asked, prompts))
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for row, selected in select_rows(spec.data, dataset):
        family, total = family_of(row.source, dataset.sources), totals[row.source]
        questions = [question for question in selected if question.key not in done]
        chunk_tokens = _size_chunks(spec, family, row)
        total["chunk_tokens"] = chunk_tokens
        total["done"] += len(selected) - len(questions)
        if questions:
            history, calls = estimate_tokens(row.context), len(questions)
            shown = _count_shown(spec, family, history, chunk_tokens, window)
            total["chunks"] += math.ceil(history / chunk_tokens)
            total["calls"] += calls
            total["input"] += _count_prompt_tokens(prompts, family, questions) + calls * shown
            total["output"] += calls * protocol.budget(family).answer_tokens
    return [_estimate(model, source, total) for source, total in totals.items()]


def _find_done(spec: RunSpec, record: RunRecord) -> set[Key]:
    """Return the questions that the folder of this run, if there is one, need not ask again."""
    folder = find_run(spec, record)
    if folder is None:
        return set()
    asks_failed_again = spec.retry_errors
    return {sample.key for sample in folder.samples() if not (asks_failed_again and sample.error)}


def _size_chunks(spec: RunSpec, family: Family, row: Row) -> int:
    """Return about how many tokens a chunk of a row has; in a conversation, one message."""
    protocol = PROTOCOLS[spec.injection.protocol]
    messages = Message.of_row(row) if protocol.by_turn else None
    if messages:
        return math.ceil(estimate_tokens(row.context) / len(messages))
    return spec.injection.chunk_tokens or protocol.budget(family).chunk_tokens


def _count_prompt_tokens(prompts: Prompts, family: Family, questions: Sequence[Question]) -> int:
    """Return the tokens of the prompts of questions, without what is shown of the history."""
    system = estimate_tokens(prompts.system(family.name))
    return sum(
        system + estimate_tokens(prompts.ask(family.name, question.question))
        for question in questions
    )


def _estimate(model: ModelSpec | None, source: str, total: Counter[str]) -> CostEstimate:
    """Return what the totals of a source come to; without a model, it calls and costs nothing."""
    estimate = CostEstimate(source, 0, 0, 0, 0.0, 0.0)
    if model:
        estimate = CostEstimate.of_calls(
            model,
            source,
            calls=total["calls"],
            input_tokens=total["input"],
            output_tokens=total["output"],
        )
    return estimate._replace(
        chunks=total["chunks"], chunk_tokens=total["chunk_tokens"], done=total["done"]
    )


def _name_agent(spec: RunSpec) -> str | None:
    """Return the name of the agent with its settings; None if its packages are not installed."""
    # No model is called to find a name, so one without an address or a key is enough.
    nowhere = ModelAddress("", "", "")
    reader = cast("ReadingModel", SimpleNamespace(address=lambda: nowhere, window=None))
    try:
        return find_agent(spec, reader if spec.agent.model else None).name
    except MissingPackageError:  # The packages need not be here yet.
        return None


def _count_shown(
    spec: RunSpec, family: Family, history: int, chunk_tokens: int, window: int | None
) -> int:
    """Return how many tokens of a history of that many the model is shown with each question."""
    if not Capabilities.of(spec.agent.agent).shows_history:
        return min(history, chunk_tokens * depth_of(spec))
    answer_tokens = None
    if cuts_as_published(spec):
        answer_tokens = PROTOCOLS[spec.injection.protocol].budget(family).answer_tokens
    return LongContext.count_shown(history, window, answer_tokens)
