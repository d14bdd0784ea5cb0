"""The names of agents and memories: what is built in, and what plugins bring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.lookup.arguments import Factory
from mabench.lookup.factories import checked_factory, described, import_object
from mabench.suggestions import unknown

_GROUPS = ("mabench.agents", "mabench.memories")


class System(NamedTuple):
    """The module of an outside memory system, and the extra of mabench that brings it, if any."""

    module: str
    extra: str | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What is declared of an agent; only what is built in has any.

    Attributes:
        needs_model: it is made with the model that reads, and cannot do without one.
        shows_history: it shows the model the whole history with every question.
        takes_gold: it is handed each gold answer before the question. As it can be declared
            nowhere else, no agent from outside is.
        embeds: it has an embedding model of which the setting ``embeddings`` is the name.
        system: the memory system that it adapts.
        shares_model: all its instances in a process call one address of a model.
    """

    needs_model: bool = False
    shows_history: bool = False
    takes_gold: bool = False
    embeds: bool = False
    system: System | None = None
    shares_model: bool = False


# ``module:class`` of each agent and memory, imported only when it is asked for.
BUILT_IN: Mapping[str, str] = {
    "floor": "mabench.agents.floor:FloorAgent",
    "bm25": "mabench.agents.memories.bm25:BM25Memory",
    "no-memory": "mabench.agents.baselines:NoMemory",
    "oracle": "mabench.agents.baselines:Oracle",
    "long-context": "mabench.agents.long_context:LongContext",
    "dense": "mabench.agents.memories.dense:DenseMemory",
    "hybrid": "mabench.agents.memories.hybrid:HybridMemory",
    "mem0": "mabench.adapters.mem0:Mem0Memory",
    "langmem": "mabench.adapters.langmem:LangMemMemory",
    "llama-index": "mabench.adapters.llama_index:LlamaIndexMemory",
    "txtai": "mabench.adapters.txtai:TxtaiMemory",
    "graphiti": "mabench.adapters.graphiti:GraphitiMemory",
    "cognee": "mabench.adapters.cognee:CogneeMemory",
    "letta": "mabench.adapters.letta:LettaMemory",
}
_CAPABILITIES = {
    "oracle": Capabilities(takes_gold=True),
    "long-context": Capabilities(needs_model=True, shows_history=True),
    "floor": Capabilities(embeds=True),
    "dense": Capabilities(embeds=True),
    "hybrid": Capabilities(embeds=True),
    "mem0": Capabilities(system=System("mem0", "mem0")),
    "langmem": Capabilities(system=System("langmem", "langmem")),
    "llama-index": Capabilities(system=System("llama_index.vector_stores.qdrant", "llama-index")),
    "txtai": Capabilities(system=System("txtai", "txtai")),
    "graphiti": Capabilities(system=System("graphiti_core", "graphiti")),
    "cognee": Capabilities(system=System("cognee", "cognee"), shares_model=True),
    "letta": Capabilities(system=System("letta")),
}


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


def agent_names() -> list[str]:
    """Return the names of all agents, built-in ones first; nothing is loaded."""
    return [*BUILT_IN, *_plugins()]


def built_in(name: str) -> Factory:
    """Return the factory of a built-in agent or memory."""
    factory: Factory = resolve_name(BUILT_IN[name])
    return factory


def factory_named(name: str) -> Factory:
    """Return the factory of a built-in, of a plugin, or that ``package.module:factory`` names.

    Raises:
        UsageError: when there is none, or it cannot be loaded.
    """
    if name in BUILT_IN:
        return built_in(name)
    if ":" in name:
        return checked_factory(import_object(name, "factory"), name)
    return plugin_named(name)


def capabilities_of(agent: object) -> Capabilities:
    """Return what is declared of an agent, by its name; nothing of a factory."""
    return _CAPABILITIES.get(agent if isinstance(agent, str) else "", Capabilities())


def file_reference(name: str) -> str:
    """Return how another interpreter finds an agent: a built-in by the file that holds it."""
    if name not in BUILT_IN:
        return name
    module, _, attribute = BUILT_IN[name].partition(":")
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
    rest = "`mabench agents` lists them; one of your own is named package.module:factory"
    raise UsageError(unknown("no agent named", name, known, rest), parameter="agent")


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
            f"plugin {plugin.name} ({plugin.value}) cannot be loaded: {described(error)}; "
            "correct or uninstall it",
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


def _summary(factory: Factory) -> str:
    return (factory.__doc__ or "").strip().partition("\n")[0].strip().replace("``", "")
