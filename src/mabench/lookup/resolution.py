"""Turns the name of an agent, with its settings, into a factory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mabench.errors import UsageError, ignored_model
from mabench.lookup.capabilities import Capabilities
from mabench.lookup.factory import DEPTH, AgentFactory
from mabench.lookup.importing import check_factory, check_object_name
from mabench.lookup.maker import Maker
from mabench.lookup.names import factory_named, is_shipped, place_of
from mabench.lookup.transports import LOOPBACK, name_of, transport_of
from mabench.redact import redact_setting
from mabench.specs import AgentSpec

if TYPE_CHECKING:
    from mabench.models import ReadingModel


def resolve(spec: AgentSpec, model: ReadingModel | None = None) -> AgentFactory:
    """Return the factory of the agent that ``spec`` names, or of a class or function in it.

    ``model`` reads for memories and for ``long-context``. A factory with an argument ``model`` gets
    its address; any other agent would ignore the model and is refused when it is made. The settings
    are keyword arguments of the factory. ``k`` is the number of passages to search for, unless the
    factory has an argument ``k``.

    Raises:
        UsageError: when there is no such agent or setting, or the agent cannot be loaded.
        MissingPackageError: when the package of a built-in agent is not installed.
    """
    agent, settings = spec.agent, dict(spec.settings)
    name = full_name = name_of(agent)
    if settings:
        listed = (redact_setting(*setting) for setting in sorted(settings.items()))
        full_name += f"[{','.join(listed)}]"
    transport = transport_of(agent, spec.python)
    own_settings = {key: value for key, value in settings.items() if key != "k"}
    _check_parameters(transport, spec, own_settings)
    if transport:
        factory = _remote_factory(transport, name, spec, own_settings, model)
    else:
        factory = _local_factory(agent, name, model, settings)
    depth = settings.get("k", DEPTH)
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        problem = f"{name}: k={depth} must be a whole number of at least 1"
        raise UsageError(problem, parameter="settings")
    return replace(factory, name=full_name, depth=depth, is_async=factory.maker.is_async)


def _local_factory(
    agent: str | Callable[..., object],
    name: str,
    model: ReadingModel | None,
    settings: dict[str, object],
) -> AgentFactory:
    """Return the factory of an agent in this process; remove its settings from ``settings``."""
    maker = _local_maker(agent, name)
    takes_depth = maker.answers_itself or "k" in maker.arguments
    own_names = [name for name in settings if name != "k" or takes_depth]
    own = {name: settings.pop(name) for name in own_names}
    capabilities = Capabilities.of(agent)
    capabilities.require_packages(name, maker.factory, own)
    if capabilities.needs_model:
        if model is None:
            problem = f"{name} reads with a language model: name one with `model`"
            raise UsageError(problem, parameter="model")
        bound = maker.given(model).bind(own, hint="; see `model` and `window`")
        takes_gold = capabilities.takes_gold
        return AgentFactory(name, bound, model, has_model=True, takes_gold=takes_gold)
    has_model, takes_folder = maker.takes("model", own), maker.takes("folder", own)
    address = model.address() if model and has_model else None
    others = []  # Arguments that each agent gets when it is made.
    if address is not None:
        others.append("model")
    if takes_folder:
        others.append("folder")
    return AgentFactory(
        name,
        maker.bind(own, others),
        model,
        has_model=has_model,
        address=address,
        takes_address=address is not None and not capabilities.shares_model,
        takes_folder=takes_folder,
        takes_gold=capabilities.takes_gold,
    )


def _remote_factory(
    transport: str,
    name: str,
    spec: AgentSpec,
    settings: Mapping[str, object],
    model: ReadingModel | None,
) -> AgentFactory:
    """Return the factory of an agent elsewhere; ``settings`` are those of the agent's own."""
    if not isinstance(spec.agent, str):
        problem = "an agent for another interpreter is named, as package.module:factory"
        raise UsageError(problem, parameter="agent")
    if transport == "http":
        from mabench.remote.http_channel import http_factory

        maker = Maker(http_factory(spec.agent), name)
        # It is already running, so it gets no model, but it may call one through this machine.
        calls_back = urlsplit(name).hostname in LOOPBACK
        return AgentFactory(name, maker, model, takes_address=calls_back)
    if transport == "mcp":
        from mabench.remote.mcp_channel import mcp_factory

        calls_back = transport_of(name.removeprefix("mcp:").strip()) != "http"
        mcp_map = None if spec.mcp_map is None else str(spec.mcp_map)
        maker = Maker(mcp_factory(spec.agent, mcp_map, spec.env), name)
        return AgentFactory(
            name, maker, model, has_model=True, takes_address=calls_back, takes_limit=True
        )
    from mabench.remote.stdio_channel import process_factory

    if spec.python and ":" in spec.agent:
        check_object_name(spec.agent, "factory")

    address = model.address().setting() if model else None
    place = place_of(spec.agent) if spec.python else spec.agent.removeprefix("stdio:")
    maker = Maker(process_factory(place, spec.python, settings, address, spec.env), name)
    return AgentFactory(
        name,
        maker,
        model,
        has_model=True,
        takes_address=True,
        takes_folder=True,
        takes_limit=True,
    )


def refuse_ignored_model(spec: AgentSpec) -> None:
    """Raise a ``UsageError`` if a class of agents is known to ignore the model of a run."""
    agent = spec.agent
    is_known = isinstance(agent, str) and is_shipped(agent)
    if Capabilities.of(agent).needs_model or (transport_of(agent, spec.python) and not is_known):
        return
    maker = _local_maker(agent, name_of(agent))
    if maker.answers_itself and not maker.takes("model", spec.settings):
        raise ignored_model(name_of(agent))


def _local_maker(agent: str | Callable[..., object], name: str) -> Maker:
    """Return the maker of an agent in this process."""
    factory = factory_named(agent) if isinstance(agent, str) else check_factory(agent, name)
    return Maker(factory, name)


def _check_parameters(transport: str, spec: AgentSpec, settings: Mapping[str, object]) -> None:
    """Raise a ``UsageError`` for a parameter that has no meaning for this kind of agent."""
    if spec.python and transport != "python":
        parameter, problem = "python", "is for Python agents; programs and servers bring their own"
    elif spec.python and Capabilities.of(spec.agent).needs_model:
        reads = f"{spec.agent} reads with the model of the run, in this interpreter"
        raise UsageError(f"{reads}; leave out `python`", parameter="python")
    elif spec.mcp_map and transport != "mcp":
        parameter, problem = "mcp_map", "is for memories on MCP servers, named as mcp:COMMAND"
    elif spec.env and transport in ("", "http"):
        problem = "is for agents that are started in processes of their own; see `python`"
        parameter = "env"
    elif settings and transport in ("http", "mcp"):
        remedy = "a server takes no settings but k; set it up where it runs"
        raise UsageError(f"{next(iter(settings))}: {remedy}", parameter="settings")
    else:
        return
    raise UsageError(f"`{parameter}` {problem}", parameter=parameter)
