"""The names of agents and memories: what is built in, and what plugins bring."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from types import MappingProxyType

from mabench.errors import UsageError
from mabench.lookup.factories import Factory, checked_factory, one_line

_GROUPS = ("mabench.agents", "mabench.memories")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What is declared of an agent; only what is built in has any.

    Attributes:
        needs_model: it is made with the model that reads, and cannot do without one.
        shows_history: it shows the model the whole history with every question.
        takes_gold: it is handed each gold answer before the question. As it can be declared
            nowhere else, no agent from outside is.
    """

    needs_model: bool = False
    shows_history: bool = False
    takes_gold: bool = False


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A built-in agent or memory: ``module:class``, imported only when it is asked for."""

    place: str
    capabilities: Capabilities = Capabilities()


BUILT_IN: Mapping[str, BuiltIn] = MappingProxyType(
    {
        "floor": BuiltIn("mabench.agents.floor:FloorAgent"),
        "bm25": BuiltIn("mabench.agents.memories.bm25:BM25Memory"),
        "no-memory": BuiltIn("mabench.agents.baselines:NoMemory"),
        "oracle": BuiltIn("mabench.agents.baselines:Oracle", Capabilities(takes_gold=True)),
        "long-context": BuiltIn(
            "mabench.agents.long_context:LongContext",
            Capabilities(needs_model=True, shows_history=True),
        ),
        "dense": BuiltIn("mabench.agents.memories.dense:DenseMemory"),
        "hybrid": BuiltIn("mabench.agents.memories.hybrid:HybridMemory"),
        "mem0": BuiltIn("mabench.adapters.mem0:Mem0Memory"),
        "langmem": BuiltIn("mabench.adapters.langmem:LangMemMemory"),
        "llama-index": BuiltIn("mabench.adapters.llama_index:LlamaIndexMemory"),
        "txtai": BuiltIn("mabench.adapters.txtai:TxtaiMemory"),
        "graphiti": BuiltIn("mabench.adapters.graphiti:GraphitiMemory"),
        "cognee": BuiltIn("mabench.adapters.cognee:CogneeMemory"),
        "letta": BuiltIn("mabench.adapters.letta:LettaMemory"),
    }
)


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """A line of the list of agents; the summary of a broken plugin is its problem."""

    name: str
    origin: str
    summary: str


def available() -> list[AgentInfo]:
    """List the built-in agents, then those of plugins; nothing that fails to load raises."""
    listed = [AgentInfo(name, "built-in", _summary(built_in(name))) for name in BUILT_IN]
    return listed + [_plugin_info(plugin) for plugin in _plugins().values()]


def built_in(name: str) -> Factory:
    """Return the factory of a built-in agent or memory."""
    module, _, attribute = BUILT_IN[name].place.partition(":")
    factory: Factory = getattr(importlib.import_module(module), attribute)
    return factory


def capabilities_of(agent: object) -> Capabilities:
    """Return what is declared of an agent, by its name; nothing of a factory."""
    known = BUILT_IN.get(agent) if isinstance(agent, str) else None
    return known.capabilities if known else Capabilities()


def file_reference(name: str) -> str:
    """Return how another interpreter finds an agent: a built-in by the file that holds it."""
    if name not in BUILT_IN:
        return name
    module, _, attribute = BUILT_IN[name].place.partition(":")
    spec = find_spec(module)
    return f"{spec.origin}:{attribute}" if spec else name


def plugin_named(name: str) -> Factory:
    """Return the factory that a plugin brings.

    Raises:
        UsageError: when there is none of that name, with the nearest names, or it cannot be
            loaded.
    """
    plugins = _plugins()
    if name in plugins:
        return _loaded(plugins[name])
    known = [*BUILT_IN, *plugins]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5) or known
    raise UsageError(
        f"no agent named {name!r}; nearest: {', '.join(near)}; "
        "an agent of your own is named package.module:factory",
        parameter="agent",
    )


def _plugins() -> dict[str, EntryPoint]:
    """Return the entry points by name; agents come before memories, built-ins before both."""
    plugins: dict[str, EntryPoint] = {}
    for group in _GROUPS:
        for plugin in entry_points(group=group):
            if plugin.name not in BUILT_IN:
                plugins.setdefault(plugin.name, plugin)
    return plugins


def _loaded(plugin: EntryPoint) -> Factory:
    try:
        factory = plugin.load()
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"plugin {plugin.name} ({plugin.value}) cannot be loaded: "
            f"{type(error).__name__}: {one_line(error)}; correct or uninstall it",
            parameter="agent",
        ) from error
    return checked_factory(factory, plugin.name)


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
