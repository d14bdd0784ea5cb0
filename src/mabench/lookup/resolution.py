"""Agents by name: those built in, those that plugins bring, ``package.module:factory``, others.

An agent of another interpreter, program or server is made by what stands for it here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.contract.conformance import conformance_problems
from mabench.contract.interfaces import Agent
from mabench.errors import UsageError
from mabench.lookup.elsewhere import elsewhere, shown_name
from mabench.lookup.factories import (
    DEPTH,
    Factory,
    checked_factory,
    configured,
    import_factory,
    made,
    parameters_of,
)
from mabench.lookup.names import BUILT_IN, LONG_CONTEXT, built_in, plugin_named
from mabench.redact import shown_setting

if TYPE_CHECKING:
    from mabench.models import ReadingModel

_DEPTH = "k"
_MODEL = "model"


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent that was asked for: its name, and how to make a fresh one for each row.

    ``is_async`` says that it is a class with an async method, to be made in the event loop.
    """

    name: str
    make: Callable[[], Agent]
    is_async: bool = False


def resolve(
    agent: str | Callable[[], object],
    model: ReadingModel | None = None,
    *,
    settings: Mapping[str, object] | None = None,
    python: str | Path | None = None,
    mcp_map: str | Path | None = None,
) -> AgentSpec:
    """Find an agent by name, or take a factory as it is.

    A name is that of a built-in, that of a plugin (an entry point of the group
    ``mabench.agents`` or ``mabench.memories``), ``package.module:factory``, ``stdio:COMMAND`` for
    a program that speaks the line protocol, the URL of a server, or ``mcp:`` and a server of that
    kind. A factory is a class or a function that needs no argument and returns an agent or a
    memory.

    Args:
        agent: the name or the factory.
        model: reads for memories and for ``long-context``; an agent of another kind has a reader
            of its own. A factory that takes an argument ``model`` is given the model's address.
        settings: keyword arguments of the factory; they become part of the agent's name. ``k`` is
            how many passages are searched for, unless the factory takes a ``k`` of its own.
        python: the interpreter in which the agent is to live, in a process of its own.
        mcp_map: how the tools of an MCP server are used: a TOML file or a shipped name.

    Raises:
        UsageError: when there is no such agent or setting, or the agent cannot be loaded, with
            the remedy.
    """
    given = dict(settings or {})
    if agent == LONG_CONTEXT:
        return _long_context(model, given)
    name = shown_name(agent) if isinstance(agent, str) else _name_of(agent)
    full_name = name
    if given:
        full_name += f"[{','.join(shown_setting(*setting) for setting in sorted(given.items()))}]"
    others = {key: value for key, value in given.items() if key != _DEPTH}
    factory = elsewhere(agent, model, others, python, mcp_map)
    factory = factory or _here(agent, name, model, given)
    depth = _checked_depth(given.pop(_DEPTH, DEPTH), name)
    made_of = getattr(factory, "func", factory)
    methods = (getattr(made_of, method, None) for method in ("memorize", "answer", "add", "search"))
    is_async = any(map(inspect.iscoroutinefunction, methods))
    return AgentSpec(full_name, partial(made, factory, name, model, depth), is_async)


def _here(
    agent: str | Callable[[], object],
    name: str,
    model: ReadingModel | None,
    given: dict[str, object],
) -> Factory:
    """Return the factory of an agent of this process, with what it is given."""
    factory = _named(agent) if isinstance(agent, str) else checked_factory(agent, name)
    takes = parameters_of(factory)
    own = {key: value for key, value in given.items() if key != _DEPTH or _DEPTH in takes}
    if _DEPTH in own:
        del given[_DEPTH]
    if own:
        factory = configured(factory, name, own)
    if model and _MODEL in takes and _MODEL not in own:
        factory = partial(factory, **{_MODEL: model.address()})
    return factory


def _checked_depth(depth: object, name: str) -> int:
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        raise UsageError(f"{name}: k={depth} must be a whole number of at least 1")
    return depth


def _long_context(model: ReadingModel | None, given: Mapping[str, object]) -> AgentSpec:
    from mabench.agents.long_context import LongContext

    if given:
        raise UsageError(f"{LONG_CONTEXT} has no settings; see --model and --window")
    if model is None:
        raise UsageError("long-context reads with a language model: name one with --model")
    return AgentSpec(LONG_CONTEXT, partial(LongContext, model), is_async=True)


def make_agent(spec: AgentSpec) -> Agent:
    """Make a fresh agent and check that it can be examined.

    Raises:
        UsageError: when it cannot be made or lacks a method, with every problem found.
    """
    agent = spec.make()
    problems = conformance_problems(agent)
    if problems:
        raise UsageError(f"{spec.name} is no agent: {'; '.join(problems)}")
    return agent


def _named(name: str) -> Factory:
    if name in BUILT_IN:
        return built_in(name)
    return import_factory(name) if ":" in name else plugin_named(name)


def _name_of(factory: object) -> str:
    named = factory if hasattr(factory, "__qualname__") else type(factory)
    return f"{named.__module__}:{named.__qualname__}"
