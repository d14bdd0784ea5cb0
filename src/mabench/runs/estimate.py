"""What a run would take, without calling anything."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from types import SimpleNamespace
from typing import cast

from mabench.agents.long_context import shown_tokens
from mabench.data import Row
from mabench.errors import MissingPackageError
from mabench.families import Family, family_of
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.lookup import capabilities_of
from mabench.lookup.factories import DEPTH
from mabench.models import (
    Estimate,
    ModelAddress,
    ReadingModel,
    estimate_calls,
    load_prices,
    open_kept,
    price_of,
)
from mabench.results.records.record import RunRecord
from mabench.results.records.sample import Key, key_of
from mabench.runs import opening
from mabench.runs.folder import kept_run, record_for
from mabench.specs import RunSpec
from mabench.text import estimate_tokens

_NOWHERE = ModelAddress("", "", "")


def estimate_run(spec: RunSpec) -> list[Estimate]:
    """Return what each source of a run would take.

    ``long-context`` shows the history to the model with every question, up to its window; any
    other agent is taken to show as many chunks as a search returns. Models that a memory calls
    by itself are not counted. Of a run that its folder holds already, what is left is estimated.

    Raises:
        UsageError: when the agent, a setting or another part of the spec is wrong, the agent is
            known to ignore the model, or the folder holds another run.
        DataError: when the data cannot be read.
    """
    opening.check_model(spec.agent)
    agent = None
    with suppress(MissingPackageError):  # The packages need not be here yet.
        agent = opening.resolve_agent_of_run(spec, _unasked() if spec.agent.model else None)
    model = spec.agent.model
    price = price_of(model.name, load_prices(model.prices)) if model else None
    window = (model.window if model else None) or (price.window if price else None)
    dataset = load(spec.data.data, offline=spec.data.offline)
    prompts = opening.load_run_prompts(spec, dataset.sources)
    protocol = protocol_named(spec.injection.protocol)
    shows_history = capabilities_of(spec.agent.agent).shows_history
    depth = depth_of(spec)

    def shown(row: Row, family: Family) -> int:
        """Return how many tokens of a row's history are shown with a question."""
        history = estimate_tokens(row.context)
        if shows_history:
            answer_tokens = (
                protocol.budget(family).answer_tokens if opening.cuts_as_published(spec) else None
            )
            return shown_tokens(history, window, answer_tokens)
        return min(history, size_of(family) * depth)

    def size_of(family: Family) -> int:
        return spec.injection.chunk_tokens or protocol.budget(family).chunk_tokens

    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    record = record_for(spec, agent.name, dataset, prompts) if agent else None
    done = _done(spec, record) if record else set()
    cache = open_kept(model) if model and record else None
    kept: Counter[str] = Counter()
    answered: dict[str, int] = defaultdict(int)
    chunks: dict[str, int] = defaultdict(int)
    sizes: dict[str, int] = {}
    for row, selected in opening.select_rows(spec.data, dataset):
        family = family_of(row.source, dataset.sources)
        questions = [question for question in selected if key_of(question) not in done]
        answered[row.source] += len(selected) - len(questions)
        system = estimate_tokens(prompts.system(family.name))
        asked = [
            system + estimate_tokens(prompts.ask(family.name, one.question))
            for one in questions
            if not (cache and record and cache.keeps_all(record.identity(key_of(one))))
        ]
        kept[row.source] += len(questions) - len(asked)
        total = totals[row.source]
        sizes[row.source] = size_of(family)
        if not questions:
            continue
        chunks[row.source] += -(-estimate_tokens(row.context) // size_of(family))
        total[0] += len(asked)
        total[1] += sum(asked) + len(asked) * shown(row, family)
        total[2] += len(asked) * protocol.budget(family).answer_tokens
    estimates = (
        estimate_calls(model, source, *total) if model else Estimate(source, 0, 0, 0, 0.0, 0.0)
        for source, total in totals.items()
    )
    return [
        one._replace(
            chunks=chunks[one.source],
            chunk_tokens=sizes[one.source],
            done=answered[one.source],
            kept=kept[one.source],
        )
        for one in estimates
    ]


def _done(spec: RunSpec, record: RunRecord) -> set[Key]:
    """Return the questions that a run would not ask, since its folder holds their answers."""
    folder = kept_run(spec, record)
    if folder is None:
        return set()
    return {one.key for one in folder.samples() if not (spec.retry_errors and one.error)}


def depth_of(spec: RunSpec) -> int:
    """Return how many passages are searched for."""
    depth = spec.agent.settings.get("k", DEPTH)
    return depth if isinstance(depth, int) else DEPTH


def _unasked() -> ReadingModel:
    """Return what stands for the model while the agent is looked up: no key is needed for it."""
    return cast("ReadingModel", SimpleNamespace(address=lambda: _NOWHERE, window=None))
