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
from mabench.lookup.elsewhere import remote_factory, shown_name
from mabench.lookup.factories import (
    DEPTH,
    Factory,
    checked_factory,
    import_factory,
    make,
    parameters_of,
    with_settings,
)
from mabench.lookup.names import BUILT_IN, Capabilities, built_in, capabilities_of, plugin_named
from mabench.redact import shown_setting

if TYPE_CHECKING:
    from mabench.models import ReadingModel

_DEPTH = "k"
_MODEL = "model"


@dataclass(frozen=True, slots=True)
class AgentFactory:
    """Makes a fresh agent for each row.

    Attributes:
        name: the agent's name with its settings, as it is recorded.
        make: returns a fresh agent.
        is_async: it is a class with an async method, to be made in the event loop.
        shows_history: it shows a model the whole history with every question.
        takes_gold: it is our own oracle, which is handed each gold answer before the question.
    """

    name: str
    make: Callable[[], Agent]
    is_async: bool = False
    shows_history: bool = False
    takes_gold: bool = False


def resolve(
    agent: str | Callable[[], object],
    model: ReadingModel | None = None,
    *,
    settings: Mapping[str, object] | None = None,
    python: str | Path | None = None,
    mcp_map: str | Path | None = None,
) -> AgentFactory:
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
    name = shown_name(agent) if isinstance(agent, str) else _name_of(agent)
    full_name = name
    if given:
        full_name += f"[{','.join(shown_setting(*setting) for setting in sorted(given.items()))}]"
    own = {key: value for key, value in given.items() if key != _DEPTH}
    factory = remote_factory(agent, model, own, python, mcp_map)
    capabilities = Capabilities()
    if factory is None:
        factory = _named(agent) if isinstance(agent, str) else checked_factory(agent, name)
        capabilities = capabilities_of(agent)
        if _DEPTH in given and (capabilities.needs_model or _DEPTH in parameters_of(factory)):
            own[_DEPTH] = given.pop(_DEPTH)
        factory = _with_arguments(factory, name, model, own, capabilities.needs_model)
    depth = _checked_depth(given.get(_DEPTH, DEPTH), name)
    return AgentFactory(
        full_name,
        partial(make, factory, name, model, depth),
        is_async=_is_async(factory),
        shows_history=capabilities.shows_history,
        takes_gold=capabilities.takes_gold,
    )


def _named(name: str) -> Factory:
    if name in BUILT_IN:
        return built_in(name)
    return import_factory(name) if ":" in name else plugin_named(name)


def _with_arguments(
    factory: Factory,
    name: str,
    model: ReadingModel | None,
    settings: Mapping[str, object],
    needs_model: bool,
) -> Factory:
    """Return the factory of an agent of this process with its settings, and what model it takes."""
    if needs_model:
        if model is None:
            raise UsageError(
                f"{name} reads with a language model: name one with `model`", parameter="model"
            )
        factory = partial(factory, model)  # type: ignore[call-arg]
    takes_address = model and _MODEL in parameters_of(factory) and _MODEL not in settings
    if settings:
        also = "; see `model` and `window`" if needs_model else ""
        factory = with_settings(factory, name, settings, also)
    return partial(factory, **{_MODEL: model.address()}) if model and takes_address else factory


def _is_async(factory: Factory) -> bool:
    made_of = getattr(factory, "func", factory)
    methods = (getattr(made_of, name, None) for name in ("memorize", "answer", "add", "search"))
    return any(map(inspect.iscoroutinefunction, methods))


def _checked_depth(depth: object, name: str) -> int:
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        raise UsageError(
            f"{name}: k={depth} must be a whole number of at least 1", parameter="settings"
        )
    return depth


def make_agent(factory: AgentFactory) -> Agent:
    """Make a fresh agent and check that it can be examined.

    Raises:
        UsageError: when it cannot be made or lacks a method, with every problem found.
    """
    agent = factory.make()
    problems = conformance_problems(agent)
    if problems:
        raise UsageError(f"{factory.name} is no agent: {'; '.join(problems)}")
    return agent


def _name_of(factory: object) -> str:
    named = factory if hasattr(factory, "__qualname__") else type(factory)
    return f"{named.__module__}:{named.__qualname__}"
