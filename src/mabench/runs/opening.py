"""What the description of a run names, opened: its agent, model, rows and prompts."""

from __future__ import annotations

import math
import os
import shlex
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mabench.data import Dataset, Source, match_sources
from mabench.data.inventory import declarations, explain_unknown
from mabench.errors import DataError, UsageError
from mabench.families import SYSTEM_MESSAGE, Prompts
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.lookup import AgentFactory, Capabilities, refuse_ignored_model, resolve
from mabench.models import ReadingModel
from mabench.specs import DataSpec, RunSpec


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
    """Find the agent of a run, which reads with ``model``.

    One that shows the whole history cuts it as the published code does under the protocols
    of that code, unless its settings say otherwise. No such agent, setting or protocol is a
    UsageError.
    """
    agent = spec.agent
    published = {"published": True} if cuts_as_published(spec) else {}
    return resolve(
        agent.agent,
        model,
        settings={**published, **agent.settings},
        python=agent.python,
        mcp_map=agent.mcp_map,
        env=agent.env,
    )


def cuts_as_published(spec: RunSpec) -> bool:
    """Return whether the agent shows the whole history, cut as the published code cuts it."""
    if not Capabilities.of(spec.agent.agent).shows_history:
        return False
    published = protocol_named(spec.injection.protocol).published
    return bool(spec.agent.settings.get("published", published))


def load_run_prompts(spec: RunSpec, sources: Mapping[str, Source]) -> Prompts:
    """Return the prompts of a run; models get a system message under the published protocols.

    Raises:
        UsageError: when there is no such protocol, or the file of prompts is wrong.
    """
    published = protocol_named(spec.injection.protocol).published
    file = Path(spec.injection.prompts) if spec.injection.prompts else None
    return Prompts.load(
        file, sources, system=SYSTEM_MESSAGE if published and spec.agent.model else ""
    )


def default_agent(data: DataSpec) -> str:
    """Return who is asked where nobody is named; raises as ``load``.

    That is ``floor``; but ``bm25`` where sources are not of the benchmark, whose forms of histories
    and questions the skills of ``floor`` are made for.
    """
    dataset = data.data
    if isinstance(dataset, str | Path):
        dataset = load(dataset, offline=data.offline)
    return "bm25" if isinstance(dataset, Dataset) and declarations(dataset.sources) else "floor"


def rows_in_parallel(spec: RunSpec) -> int:
    """Return how many rows are run at a time."""
    if spec.limits.rows is not None:
        return spec.limits.rows
    return _cores() if spec.executor == "processes" else 1


def questions_by_source(data: DataSpec, dataset: Dataset) -> dict[str, int]:
    """Return how many questions are asked, by source.

    Raises:
        DataError: when there are none, or none of one of the sources.
        UsageError: when a source is unknown, or one of the rows is declared by nobody.
    """
    held = {row.source for row in dataset.outline}
    chosen = None if data.sources is None else match_sources(data.sources, dataset.sources, held)
    counts: Counter[str] = Counter()
    for row in dataset.outline:
        if (chosen is None or row.source in chosen) and (data.rows is None or row.row in data.rows):
            counts[row.source] += min(row.questions, data.limit_questions or row.questions)
    for name in counts:
        if name not in dataset.sources:
            expected, paste = explain_unknown(name, dataset.sources)
            raise UsageError(
                f"{dataset.name}: rows of the unknown source {name!r}; expected {expected}, such "
                f"as:\n{paste}"
            )
    missing = [name for name in chosen or () if name not in held]
    if missing and len(missing) < len(chosen or ()):
        raise DataError(
            f"{dataset.name}: no rows of {', '.join(missing)}; leave it out of `sources`, or "
            f"name data that contain it; `{_show(dataset)}` lists the contents",
            parameter="sources",
        )
    if not counts:
        wanted = f" of {', '.join(chosen)}" if chosen else ""
        if data.rows:
            wanted += f" numbered {', '.join(map(str, data.rows))}"
        raise DataError(f"{dataset.name}: no rows{wanted}; `{_show(dataset)}` lists what it holds")
    return dict(counts)


def _show(dataset: Dataset) -> str:
    return shlex.join(["mabench", "data", "show", dataset.name])


def _cores(own: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """Return how many cores this process may use, by its affinity and its containers' quotas.

    ``own`` names the control group of this process; ``root`` holds all of them (version 2).
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
