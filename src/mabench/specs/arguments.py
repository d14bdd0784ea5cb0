"""Arguments of the functions for Python, such as ``mabench.run``, turned into parts of a spec."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from mabench.settings import known, with_given
from mabench.specs.agent import AgentSpec
from mabench.specs.data import DataSpec
from mabench.specs.model import ModelSpec


def make_agent_spec(
    agent: str | Callable[..., object] | AgentSpec,
    settings: Mapping[str, object] | None,
    model: str | ModelSpec | None,
) -> AgentSpec:
    """Return an agent with settings and a model; None leaves what its spec says."""
    given = {
        "settings": None if settings is None else dict(settings),
        "model": ModelSpec(model) if isinstance(model, str) else model,
    }
    if isinstance(agent, AgentSpec):
        return with_given(agent, **given)
    return AgentSpec(agent=agent, **known(given))


def make_data_spec(
    data: object | DataSpec,
    *,
    sources: str | Collection[str] | None = None,
    rows: Collection[int] | None = None,
    limit_questions: int | None = None,
) -> DataSpec:
    """Return some sources, rows and questions of ``data``; None leaves what its spec says.

    The data may be all that ``mabench.load`` takes.
    """
    names = (sources,) if isinstance(sources, str) else sources
    given = {
        "sources": None if names is None else tuple(names),
        "rows": None if rows is None else tuple(rows),
        "limit_questions": limit_questions,
    }
    if isinstance(data, DataSpec):
        return with_given(data, **given)
    return DataSpec(data=data, **known(given))
