"""Opening the description of a run: finds its agent, its model and its prompts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mabench.data import Dataset, Source
from mabench.data.sheets import CONVERSATIONS_FILE, split_drafts
from mabench.data.sources.declarations import dump_declarations
from mabench.families import SYSTEM_MESSAGE, Prompts
from mabench.injection import PROTOCOLS
from mabench.loading import load
from mabench.lookup import AgentFactory, Capabilities, refuse_ignored_model, resolve
from mabench.lookup.factory import DEPTH
from mabench.models import ReadingModel
from mabench.specs import DEFAULT_PROTOCOL, DataSpec, RunSpec


def open_agent(spec: RunSpec) -> tuple[AgentFactory, ReadingModel | None]:
    """Find the agent of a run, and open the model that reads for it, if there is one.

    Raises:
        MissingPackageError: when a package that the model needs is not installed.
        UsageError: when there is no such agent, setting or protocol, no key for the model, its
            prices cannot be read, or the agent would ignore it.
    """
    agent, model = spec.agent, None
    if agent.model:
        refuse_ignored_model(agent)
        model = ReadingModel.open(agent.model)
    return find_agent(spec, model), model


def find_agent(spec: RunSpec, model: ReadingModel | None) -> AgentFactory:
    """Find the agent of a run, which reads with ``model``; raises as ``open_agent``.

    One that shows the whole history cuts it as the published code does under the protocols of that
    code, unless its settings say otherwise.
    """
    agent = spec.agent
    if cuts_as_published(spec):
        agent = replace(agent, settings={"published": True, **agent.settings})
    return resolve(agent, model)


def cuts_as_published(spec: RunSpec) -> bool:
    """Return whether the agent shows the whole history, cut as the published code cuts it."""
    if not Capabilities.of(spec.agent.agent).shows_history:
        return False
    published = PROTOCOLS[spec.injection.protocol].published
    return bool(spec.agent.settings.get("published", published))


def load_run_prompts(spec: RunSpec, sources: Mapping[str, Source]) -> Prompts:
    """Return the prompts of a run; models get a system message under the published protocols.

    Raises:
        UsageError: when there is no such protocol, or the file of prompts is wrong.
    """
    published = PROTOCOLS[spec.injection.protocol].published
    system = SYSTEM_MESSAGE if published and spec.agent.model else ""
    file = Path(spec.injection.prompts) if spec.injection.prompts else None
    return Prompts.load(file, sources, system=system)


def default_agent(data: DataSpec) -> str:
    """Return the agent that is asked if none is named; raises as ``load``.

    That is ``floor``; but ``bm25`` if sources are not of the benchmark, since the skills of
    ``floor`` are made for its forms of histories and questions.
    """
    dataset = data.data
    if isinstance(dataset, str | Path):
        dataset = load(dataset, offline=data.offline)
    declares_own = isinstance(dataset, Dataset) and bool(dump_declarations(dataset.sources))
    return "bm25" if declares_own else "floor"


def default_protocol(data: DataSpec) -> str:
    """Return the protocol by which histories are told if none is named.

    That is ``structured``; but ``turns`` for conversations that were imported, which are told as
    they were said: short ones would be a chunk or two, and every search returns all.
    """
    if not isinstance(data.data, str | Path):
        return DEFAULT_PROTOCOL
    named, _ = split_drafts(data.data)
    place = os.path.expanduser(str(named))  # noqa: PTH111
    # What cannot be a path is no file; opening the data says what is wrong with it.
    holds_conversations = os.path.isfile(  # noqa: PTH113
        os.path.join(place, CONVERSATIONS_FILE)  # noqa: PTH118
    )
    is_conversations = os.path.basename(place) == CONVERSATIONS_FILE  # noqa: PTH119
    return "turns" if holds_conversations or is_conversations else DEFAULT_PROTOCOL


def depth_of(spec: RunSpec) -> int:
    """Return how many passages are searched for: the setting ``k``, else the default."""
    depth = spec.agent.settings.get("k", DEPTH)
    return depth if isinstance(depth, int) else DEPTH
