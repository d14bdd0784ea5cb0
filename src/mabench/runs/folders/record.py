"""The record of a run: what it is, as its folder keeps it and tells it from other runs."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import asdict

from mabench.data import Dataset, dump_declarations
from mabench.families import Family, Prompts
from mabench.injection import PROTOCOLS
from mabench.lookup.identity import Code
from mabench.models.local import LocalModel
from mabench.results import (
    CodeRecord,
    DataRecord,
    LocalRecord,
    ModelRecord,
    RunRecord,
    packages_of_agent,
    packages_of_chunks,
    packages_of_scoring,
    versions_of,
)
from mabench.runs.selection import AskedSources
from mabench.specs import ModelSpec, RunSpec


def make_record(
    spec: RunSpec, agent: str, dataset: Dataset, asked: AskedSources, prompts: Prompts
) -> RunRecord:
    """Return what a run is, as its folder keeps it; ``agent`` is the agent's name."""
    rows, model = spec.data.rows, spec.agent.model
    code = Code.identify(spec.agent.agent, spec.agent.python, spec.agent.mcp_map)
    return RunRecord(
        agent=agent,
        code=CodeRecord(files=code.files, packages=code.packages, unknown=tuple(code.unknown)),
        data=DataRecord.of(dataset),
        questions=asked.questions,
        protocol=spec.injection.protocol,
        chunk_tokens=spec.injection.chunk_tokens,
        prompts=prompts.hash,
        model=_record_model(model) if model else None,
        rows=None if rows is None else tuple(sorted(rows)),
        limit_questions=spec.data.limit_questions,
        shuffle_options=spec.data.shuffle_options,
        packages=_find_packages(spec, code, asked.families),
        sources=dump_declarations(dataset.sources) or None,
    )


def _record_model(model: ModelSpec) -> ModelRecord:
    local = LocalRecord(**asdict(LocalModel.of(model))) if model.is_local else None
    name = model.name_on_server if local else model.name
    return ModelRecord(name=name, temperature=model.temperature, seed=model.seed, local=local)


def name_builder(spec: RunSpec, record: RunRecord) -> str:
    """Return a name for what builds the memories of a run.

    Where the code is unknown, the name is like no other, so that no memory is found by it again.
    """
    is_unknown = record.code is not None and record.code.unknown and not spec.agent.same_code
    return f"{record.builder()} {secrets.token_hex()}" if is_unknown else record.builder()


def _find_packages(spec: RunSpec, code: Code, families: Iterable[Family]) -> dict[str, str]:
    """Return the versions of the installed packages on which the figures of a run depend.

    ``families`` are those of the sources that the run asks.
    """
    agent = spec.agent
    published = PROTOCOLS[spec.injection.protocol].published
    packages = packages_of_scoring(families) | packages_of_chunks(published=published)
    if agent.python is None:  # What another interpreter has is unknown here.
        packages |= packages_of_agent(agent.agent, agent.settings, code.imports)
    return versions_of(packages)
