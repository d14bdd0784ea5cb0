"""The names of agents and memories: what is built in, and what other packages bring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pkgutil import resolve_name

from mabench.errors import UsageError
from mabench.lookup.arguments import Factory
from mabench.lookup.factories import checked_factory, import_object
from mabench.plugins import Group, is_ours, load_plugin, missing_part, plugins
from mabench.suggestions import unknown

# The attribute by which the class of an agent or a memory declares the last four capabilities.
_DECLARED = "mabench_capabilities"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What is declared of an agent.

    The first three are those of built-in agents alone. Another class declares the rest in
    ``mabench_capabilities``, a mapping of their names to values.

    Attributes:
        needs_model: it is made with the model that reads, and cannot do without one.
        shows_history: it shows the model the whole history with every question.
        takes_gold: it is handed each gold answer before the question.
        embeds: it has an embedding model of which the setting ``embeddings`` is the name.
        module: the module of the memory system that it adapts.
        extra: the extra of mabench that brings that module, if any.
        shares_model: all its instances in a process call one address of a model.
    """

    needs_model: bool = False
    shows_history: bool = False
    takes_gold: bool = False
    embeds: bool = False
    module: str | None = None
    extra: str | None = None
    shares_model: bool = False


# ``module:class`` of each agent and memory, imported only when it is asked for.
BUILT_IN: Mapping[str, str] = {
    "bm25": "mabench.agents.memories.bm25:BM25Memory",
    "no-memory": "mabench.agents.baselines:NoMemory",
    "oracle": "mabench.agents.baselines:Oracle",
    "long-context": "mabench.agents.long_context:LongContext",
    "dense": "mabench.agents.memories.dense:DenseMemory",
    "hybrid": "mabench.agents.memories.hybrid:HybridMemory",
}
_CAPABILITIES = {
    "oracle": Capabilities(takes_gold=True),
    "long-context": Capabilities(needs_model=True, shows_history=True),
    "dense": Capabilities(embeds=True),
    "hybrid": Capabilities(embeds=True),
}


_DECLARABLE = ("embeds", "module", "extra", "shares_model")


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """A line of the list of agents; the summary of a broken plugin is its problem."""

    name: str
    origin: str
    summary: str


def available() -> list[AgentInfo]:
    """List the agents and memories, in the order of ``agent_names``; nothing raises."""
    points = _agent_plugins()
    return [
        AgentInfo(name, "built-in", _summary(built_in(name)))
        if name in BUILT_IN
        else _plugin_info(points[name])
        for name in agent_names()
    ]


def agent_names() -> list[str]:
    """Return the names of all agents: mabench's, then its memories, then those of others."""
    points = _agent_plugins()
    agents = [name for name in plugins(Group.AGENTS) if name in points and is_ours(points[name])]
    return [*dict.fromkeys([*agents, *BUILT_IN, *points])]


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
    point = _agent_plugins().get(name)
    if point is not None:
        return _load(point)
    rest = "`mabench agents` lists them; one of your own is named package.module:factory"
    raise missing_part(name) or UsageError(
        unknown("no agent named", name, agent_names(), rest), parameter="agent"
    )


def capabilities_of(agent: object) -> Capabilities:
    """Return what is declared of an agent, by its name; nothing of a factory.

    Raises:
        UsageError: when the plugin of that name cannot be loaded.
    """
    if not isinstance(agent, str):
        return Capabilities()
    if agent in BUILT_IN:
        return _CAPABILITIES.get(agent, Capabilities())
    point = _agent_plugins().get(agent)
    declared = getattr(_load(point), _DECLARED, None) if point else None
    if not isinstance(declared, Mapping):
        return Capabilities()
    return Capabilities(**{name: declared[name] for name in _DECLARABLE if name in declared})


def is_shipped(name: str) -> bool:
    """Return whether an agent of that name comes with mabench."""
    point = _agent_plugins().get(name)
    return name in BUILT_IN or (point is not None and is_ours(point))


def file_reference(name: str) -> str:
    """Return how another interpreter finds an agent: one of mabench by the file that holds it."""
    if not is_shipped(name):
        return name
    place = BUILT_IN[name] if name in BUILT_IN else _agent_plugins()[name].value
    module, _, attribute = place.partition(":")
    spec = find_spec(module)
    return f"{spec.origin}:{attribute}" if spec else name


def _agent_plugins() -> dict[str, EntryPoint]:
    """Return the entry points of agents and memories by name; built-in names are taken."""
    points = plugins(Group.AGENTS, Group.MEMORIES)
    return {name: point for name, point in points.items() if name not in BUILT_IN}


def _load(point: EntryPoint) -> Factory:
    return checked_factory(load_plugin(point, "agent"), point.name)


def _plugin_info(point: EntryPoint) -> AgentInfo:
    package = point.dist.name if point.dist else point.value
    try:
        summary = _summary(_load(point))
    except UsageError as error:
        summary = str(error)
    return AgentInfo(point.name, "built-in" if is_ours(point) else f"plugin {package}", summary)


def _summary(factory: Factory) -> str:
    return (factory.__doc__ or "").strip().partition("\n")[0].strip().replace("``", "")
