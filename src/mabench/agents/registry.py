"""Agents by name: those built in, those that plugins bring, and ``package.module:factory``."""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import TYPE_CHECKING

from mabench.agents.conformance import conformance_problems
from mabench.agents.factories import (
    Factory,
    checked_factory,
    configured,
    import_factory,
    made,
    one_line,
)
from mabench.agents.interfaces import Agent
from mabench.errors import UsageError

if TYPE_CHECKING:
    from mabench.models import ReadingModel

# Modules of mabench, imported only when an agent is asked for.
_BUILT_IN: Mapping[str, str] = MappingProxyType(
    {
        "floor": "mabench.agents.floor:FloorAgent",
        "bm25": "mabench.memories.bm25:BM25Memory",
        "no-memory": "mabench.agents.no_memory:NoMemory",
        "oracle": "mabench.agents.oracle:Oracle",
        "long-context": "mabench.agents.long_context:LongContext",
    }
)
_LONG_CONTEXT = "long-context"
_GROUPS = ("mabench.agents", "mabench.memories")


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent that was asked for: its name, and how to make a fresh one for each row.

    ``is_async`` says that it is a class with an async method, to be made in the event loop.
    """

    name: str
    make: Callable[[], Agent]
    is_async: bool = False


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """A line of the list of agents; the summary of a broken plugin is its problem."""

    name: str
    origin: str
    summary: str


def resolve(
    agent: str | Callable[[], object],
    model: ReadingModel | None = None,
    *,
    settings: Mapping[str, object] | None = None,
) -> AgentSpec:
    """Find an agent by name, or take a factory as it is.

    ``settings`` are keyword arguments of its factory; they become part of the agent's name.

    A name is that of a built-in, that of a plugin (an entry point of the group
    ``mabench.agents`` or ``mabench.memories``), or ``package.module:factory``. A factory is a
    class or a function that needs no argument and returns an agent or a memory. ``model`` reads
    for memories and for ``long-context``; an agent of another kind has a reader of its own.

    Raises:
        UsageError: when there is no such agent or setting, or the agent cannot be loaded, with
            the remedy.
    """
    if agent == _LONG_CONTEXT:
        if settings:
            raise UsageError(
                f"{_LONG_CONTEXT} has no settings of its own; see --model and --window"
            )
        return _long_context(model)
    if isinstance(agent, str):
        name, factory = agent, _named(agent)
    else:
        name = _name_of(agent)
        factory = checked_factory(agent, name)
    if settings:
        factory = configured(factory, name, settings)
        name += f"[{','.join(f'{key}={value}' for key, value in sorted(settings.items()))}]"
    made_of = getattr(factory, "func", factory)
    methods = (getattr(made_of, method, None) for method in ("memorize", "answer", "add", "search"))
    is_async = any(map(inspect.iscoroutinefunction, methods))
    return AgentSpec(name, partial(made, factory, name, model), is_async)


def _long_context(model: ReadingModel | None) -> AgentSpec:
    from mabench.agents.long_context import LongContext

    if model is None:
        raise UsageError("long-context reads with a language model: name one with --model")
    return AgentSpec(_LONG_CONTEXT, partial(LongContext, model), is_async=True)


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


def available() -> list[AgentInfo]:
    """List the built-in agents, then those of plugins; nothing that fails to load raises."""
    listed = [AgentInfo(name, "built-in", _summary(_built_in(name))) for name in _BUILT_IN]
    return listed + [_plugin_info(plugin) for plugin in _plugins().values()]


def _named(name: str) -> Factory:
    if name in _BUILT_IN:
        return _built_in(name)
    if ":" in name:
        return import_factory(name)
    plugins = _plugins()
    if name in plugins:
        return _loaded(plugins[name])
    known = [*_BUILT_IN, *plugins]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5) or known
    raise UsageError(
        f"no agent named {name!r}; nearest: {', '.join(near)}; "
        "an agent of your own is named package.module:factory"
    )


def _built_in(name: str) -> Factory:
    module, _, attribute = _BUILT_IN[name].partition(":")
    factory: Factory = getattr(importlib.import_module(module), attribute)
    return factory


def _plugins() -> dict[str, EntryPoint]:
    """Return the entry points by name; agents come before memories, built-ins before both."""
    plugins: dict[str, EntryPoint] = {}
    for group in _GROUPS:
        for plugin in entry_points(group=group):
            if plugin.name not in _BUILT_IN:
                plugins.setdefault(plugin.name, plugin)
    return plugins


def _loaded(plugin: EntryPoint) -> Factory:
    try:
        found = plugin.load()
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"plugin {plugin.name} ({plugin.value}) cannot be loaded: "
            f"{type(error).__name__}: {one_line(error)}; correct or uninstall it"
        ) from error
    return checked_factory(found, plugin.name)


def _plugin_info(plugin: EntryPoint) -> AgentInfo:
    package = plugin.dist.name if plugin.dist else plugin.value
    try:
        summary = _summary(_loaded(plugin))
    except UsageError as error:
        summary = str(error)
    return AgentInfo(plugin.name, f"plugin {package}", summary)


def _summary(factory: object) -> str:
    """Return the first line of a factory's docstring."""
    lines = (getattr(factory, "__doc__", None) or "").strip().splitlines()
    return lines[0].strip() if lines else ""


def _name_of(factory: object) -> str:
    named = factory if hasattr(factory, "__qualname__") else type(factory)
    return f"{named.__module__}:{named.__qualname__}"
