"""The agents and memories that have a name: built in, or from a plugin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pkgutil import resolve_name

from mabench.errors import UsageError, unknown
from mabench.lookup.file_hints import hint_at_file
from mabench.lookup.importing import agent_error, check_factory, import_object
from mabench.plugins import Group, is_ours, load_plugin, missing_part, plugins
from mabench.redact import redact_agent

# The built-in agents, as ``module:class``; each is imported only when it is needed.
BUILT_IN: Mapping[str, str] = {
    "no-memory": "mabench.agents.baselines:NoMemory",
    "oracle": "mabench.agents.baselines:Oracle",
    "long-context": "mabench.agents.long_context:LongContext",
}


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """An agent in the list of `mabench agents`."""

    name: str
    origin: str  # ``built-in``, or the plugin that provides it.
    summary: str  # The first line of its docstring; for a broken plugin, its error.


def available() -> list[AgentInfo]:
    """List all agents and memories, in the order of ``agent_names``; never raises."""
    points, listed = agent_plugins(), []
    for name in agent_names():
        try:
            doc = (factory_named(name).__doc__ or "").strip()
            summary = doc.partition("\n")[0].strip().replace("``", "")
        except UsageError as error:
            summary = str(error)
        origin = "built-in"
        if not is_shipped(name):
            point = points[name]
            origin = f"plugin {point.dist.name if point.dist else point.value}"
        listed.append(AgentInfo(name, origin, summary))
    return listed


def agent_names() -> list[str]:
    """Return the names of all agents and memories: first mabench's, then those of plugins."""
    points = agent_plugins()
    ours = [name for name in plugins(Group.AGENTS) if name in points and is_ours(points[name])]
    return list(dict.fromkeys([*ours, *BUILT_IN, *points]))


def factory_named(name: str) -> Callable[..., object]:
    """Return the factory of a built-in agent, of a plugin, or at ``package.module:factory``.

    Raises:
        UsageError: when there is none, or it cannot be imported.
    """
    if name in BUILT_IN:
        factory: Callable[..., object] = resolve_name(BUILT_IN[name])
        return factory
    if ":" in name:
        return check_factory(import_object(name, "factory"), name)
    point = agent_plugins().get(name)
    if point is not None:
        return check_factory(load_plugin(point, "agent"), name)
    missing = missing_part(name)
    if missing:
        raise missing
    hint = hint_at_file(name)
    if hint:
        raise agent_error(f"no agent named {name!r}; {hint}")
    rest = "`mabench agents` lists them; one of your own is named package.module:factory"
    shown = redact_agent(name)  # It may contain settings.
    raise agent_error(unknown("no agent named", shown, agent_names(), rest))


def is_shipped(name: str) -> bool:
    """Return whether an agent of that name comes with mabench."""
    point = agent_plugins().get(name)
    return name in BUILT_IN or (point is not None and is_ours(point))


def place_of(name: str) -> str:
    """Return the name by which another interpreter finds an agent.

    An agent of mabench is named by its file, since mabench need not be installed there.
    """
    if not is_shipped(name):
        return name
    place = BUILT_IN[name] if name in BUILT_IN else agent_plugins()[name].value
    module, _, attribute = place.partition(":")
    spec = find_spec(module)
    return f"{spec.origin}:{attribute}" if spec else name


def agent_plugins() -> dict[str, EntryPoint]:
    """Return the plugins that are agents or memories, by name."""
    points = plugins(Group.AGENTS, Group.MEMORIES)
    return {name: point for name, point in points.items() if name not in BUILT_IN}
