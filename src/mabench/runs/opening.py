"""What the description of a run names, opened: its agent, model, rows and prompts."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from mabench.data import Dataset, Question, Row, Source, match_sources
from mabench.data.inventory import declaration_of, suggest_source
from mabench.errors import DataError, UsageError
from mabench.families import SYSTEM_MESSAGE, Prompts, load_prompts
from mabench.injection import protocol_named
from mabench.lookup import AgentFactory, capabilities_of, refuse_ignored_model, resolve
from mabench.models import ReadingModel, open_model
from mabench.specs import AgentSpec, DataSpec, RunSpec


def open_reader(agent: AgentSpec) -> ReadingModel | None:
    """Return a client of the model that reads; None without one.

    Raises:
        MissingPackageError: when the package that it needs is not installed.
        UsageError: when there is no key for it, the prices cannot be read, or the agent
            would ignore it.
    """
    check_model(agent)
    return open_model(agent.model) if agent.model else None


def check_model(agent: AgentSpec) -> None:
    """Refuse a model that the agent is known to ignore, before anything is read or made.

    Raises:
        UsageError: when it is.
    """
    if agent.model:
        refuse_ignored_model(agent.agent, agent.settings, agent.python)


def resolve_agent(agent: AgentSpec, model: ReadingModel | None) -> AgentFactory:
    """Find an agent, which reads with ``model``.

    Raises:
        UsageError: when there is no such agent or setting.
    """
    return resolve(
        agent.agent,
        model,
        settings=agent.settings,
        python=agent.python,
        mcp_map=agent.mcp_map,
        env=agent.env,
    )


def resolve_agent_of_run(spec: RunSpec, model: ReadingModel | None) -> AgentFactory:
    """Find the agent of a run, which reads with ``model``.

    One that shows the whole history cuts it as the published code does under the protocols
    of that code, unless its settings say otherwise.

    Raises:
        UsageError: when there is no such agent, setting or protocol.
    """
    agent = spec.agent
    if cuts_as_published(spec):
        agent = replace(agent, settings={"published": True, **agent.settings})
    return resolve_agent(agent, model)


def cuts_as_published(spec: RunSpec) -> bool:
    """Return whether the agent shows the whole history, cut as the published code cuts it."""
    if not capabilities_of(spec.agent.agent).shows_history:
        return False
    published = protocol_named(spec.injection.protocol).published
    return bool(spec.agent.settings.get("published", published))


def load_run_prompts(spec: RunSpec, sources: Mapping[str, Source]) -> Prompts:
    """Return the prompts of a run.

    Under the protocols of the published code a model that reads gets a system message.

    Raises:
        UsageError: when there is no such protocol, or the file of prompts is wrong.
    """
    published = protocol_named(spec.injection.protocol).published
    file = Path(spec.injection.prompts) if spec.injection.prompts else None
    system = SYSTEM_MESSAGE if published and spec.agent.model else ""
    return load_prompts(file, sources, system=system)


def without_data(spec: RunSpec) -> RunSpec:
    """Return the same run without a data set in memory, which cannot be sent elsewhere."""
    if not isinstance(spec.data.data, Dataset):
        return spec
    return replace(spec, data=replace(spec.data, data=spec.data.data.location))


def rows_in_parallel(spec: RunSpec) -> int:
    """Return how many rows are run at a time."""
    if spec.limits.rows is not None:
        return spec.limits.rows
    return usable_cores() if spec.executor == "processes" else 1


def select_rows(data: DataSpec, dataset: Dataset) -> Iterator[tuple[Row, list[Question]]]:
    """Yield the rows with the questions to be asked of each."""
    for row in dataset.rows(data.sources):
        if data.rows is None or row.index in data.rows:
            yield row, list(row.flatten())[: data.limit_questions]


def questions_by_source(data: DataSpec, dataset: Dataset) -> dict[str, int]:
    """Return how many questions are asked, by source.

    Raises:
        DataError: when there are none, or none of one of the sources.
        UsageError: when a source is unknown, or one of the rows is declared by nobody.
    """
    held = {one.source for one in dataset.outline}
    chosen = None if data.sources is None else match_sources(data.sources, dataset.sources, held)
    counts: Counter[str] = Counter()
    for one in dataset.outline:
        if (chosen is None or one.source in chosen) and (data.rows is None or one.row in data.rows):
            counts[one.source] += min(one.questions, data.limit_questions or one.questions)
    for name in counts:
        if name not in dataset.sources:
            raise UsageError(
                f"{dataset.name}: rows of the unknown source {name!r}; expected "
                f"{suggest_source(name, dataset.sources)}, such as:\n{declaration_of(name)}"
            )
    missing = [name for name in chosen or () if name not in held]
    if missing and len(missing) < len(chosen or ()):
        raise DataError(
            f"{dataset.name}: no rows of {', '.join(missing)}; leave it out of `sources`, or "
            "name data that have it; `mabench data show` lists what they hold",
            parameter="sources",
        )
    if not counts:
        wanted = f" of {', '.join(chosen)}" if chosen else ""
        if data.rows:
            wanted += f" with the index {', '.join(map(str, data.rows))}"
        raise DataError(f"{dataset.name}: no rows{wanted}; `mabench data show` lists what it holds")
    return dict(counts)


def usable_cores(own: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """Return how many cores this process may use, by its affinity and its containers' quotas.

    Args:
        own: the file that names the control group of this process.
        root: the folder of all control groups (version 2).
    """
    affinity = getattr(os, "sched_getaffinity", None)  # Linux alone has it.
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    group = root
    with suppress(OSError, ValueError):
        lines = own.read_text(encoding="utf-8").splitlines()
        line = next((line for line in lines if line.startswith("0::")), "")
        group /= line.removeprefix("0::").lstrip("/")
    for folder in (group, *group.parents):
        with suppress(OSError, ValueError):
            quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
            cores = min(cores, math.ceil(int(quota) / int(period)))  # No number is no quota.
    return cores
