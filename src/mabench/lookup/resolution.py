"""From what names an agent, and where it lives, to what makes it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mabench.contract.answers import attempt
from mabench.contract.interfaces import Agent, conformance_problems
from mabench.contract.methods import KINDS
from mabench.errors import UsageError, ignored_model
from mabench.lookup.factories import DEPTH, Maker, check_factory, summarize_error
from mabench.lookup.names import Capabilities, factory_named, file_reference, is_shipped
from mabench.redact import note_secrets, redact, redact_setting
from mabench.specs import AgentSpec

if TYPE_CHECKING:
    from mabench.models import ModelAddress, ReadingModel

# How what lives elsewhere begins its name; what is made by `python` has any other name.
_PREFIXES = {"stdio:": "stdio", "mcp:": "mcp", "http://": "http", "https://": "http"}
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class AgentFactory:
    """Makes a fresh agent for each row."""

    name: str  # With its settings, as it is recorded.
    maker: Maker  # Lacks nothing but the address of a model, and a folder.
    model: ReadingModel | None  # It reads for memories, which are shown so many passages:
    depth: int = DEPTH
    _: KW_ONLY
    has_model: bool = False  # It is told of the model by itself.
    address: ModelAddress | None = None  # Where a factory of this process finds the model.
    takes_address: bool = False  # It is told where it calls a model by itself.
    takes_folder: bool = False  # It is given an empty folder of its own.
    is_async: bool = False  # It is a class with an async method, to be made in the event loop.
    takes_gold: bool = False  # It is our oracle, which is handed each gold before the question.

    def make_agent(self, address: ModelAddress | None = None, folder: Path | None = None) -> Agent:
        """Make a fresh agent; a ``UsageError`` says all that it lacks, or why it cannot be made.

        It calls models at ``address``, and stores in ``folder``, where its factory takes them.
        """
        maker, metered = self.maker, address if self.takes_address else None
        if self.takes_folder:
            maker = maker.given(folder=folder)
        if self.address is not None:
            maker = maker.given(model=(metered or self.address).setting())
        elif metered is not None:
            maker = maker.given(metered)
        agent = maker.make(self.model, self.depth, self.has_model)
        try:
            problems = attempt(lambda: conformance_problems(agent))
        except Exception as error:
            problems = [f"looking at its methods failed: {summarize_error(error)}"]
        if problems:
            raise UsageError(f"{self.name} is not an agent: {'; '.join(problems)}")
        return agent


def resolve(
    agent: str | Callable[..., object],
    model: ReadingModel | None = None,
    *,
    settings: Mapping[str, object] | None = None,
    python: str | Path | None = None,
    mcp_map: str | Path | None = None,
    env: Sequence[str] = (),
) -> AgentFactory:
    """Find an agent by name, or take a factory, which needs no argument, as it is.

    A name is that of a built-in or a plugin, ``package.module:factory``, ``stdio:COMMAND``, the URL
    of a server, or ``mcp:`` and a server of that kind. The ``model`` reads for memories and for
    ``long-context``; a factory that takes an argument ``model`` is given its address, and any other
    agent is refused once it is made. ``settings`` are keyword arguments of the factory, part of the
    name; ``k`` is how many passages are searched for, unless the factory takes a ``k`` of its own.
    ``python`` is the interpreter in which the agent is to live, ``mcp_map`` how the tools of an MCP
    server are used, and ``env`` names the environment variables that a program sees beside a few
    others.

    Raises:
        UsageError: when there is no such agent or setting, or the agent cannot be loaded.
        MissingPackageError: when the package of a built-in agent is not installed.
    """
    settings = dict(settings or {})
    name = full_name = _name_of(agent)
    if settings:
        listed = (redact_setting(*setting) for setting in sorted(settings.items()))
        full_name += f"[{','.join(listed)}]"
    transport = _transport_of(agent, python)
    own = {key: value for key, value in settings.items() if key != "k"}
    spec = AgentSpec(agent=agent, settings=own, python=python, mcp_map=mcp_map, env=env)
    _check_parameters(transport, spec)
    if transport:
        factory = _remote_factory(transport, name, spec, model)
    else:
        factory = _local_factory(agent, name, model, settings)
    depth = settings.get("k", DEPTH)
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        problem = f"{name}: k={depth} must be a whole number of at least 1"
        raise UsageError(problem, parameter="settings")
    cls = factory.maker.product
    methods = (getattr(cls, method, None) for names in KINDS.values() for method in names)
    return replace(
        factory,
        name=full_name,
        depth=depth,
        is_async=any(map(inspect.iscoroutinefunction, methods)),
        takes_gold=not transport and Capabilities.of(agent).takes_gold,
    )


def _local_factory(
    agent: str | Callable[..., object],
    name: str,
    model: ReadingModel | None,
    settings: dict[str, object],
) -> AgentFactory:
    """Return the factory of an agent of this process; takes its settings out of ``settings``."""
    maker = _local_maker(agent)
    capabilities = Capabilities.of(agent)
    takes_depth = maker.answers_itself or "k" in maker.arguments
    own = {key: settings.pop(key) for key in [*settings] if key != "k" or takes_depth}
    capabilities.require_packages(name, maker.factory, own)
    if capabilities.needs_model:
        if model is None:
            problem = f"{name} reads with a language model: name one with `model`"
            raise UsageError(problem, parameter="model")
        bound = maker.given(model).bind(own, hint="; see `model` and `window`")
        return AgentFactory(name, bound, model, has_model=True)
    has_model, takes_folder = maker.takes("model", own), maker.takes("folder", own)
    address = model.address() if model and has_model else None
    others = ["model"] * (address is not None) + ["folder"] * takes_folder
    return AgentFactory(
        name,
        maker.bind(own, others),
        model,
        has_model=has_model,
        address=address,
        takes_address=address is not None and not capabilities.shares_model,
        takes_folder=takes_folder,
    )


def _remote_factory(
    transport: str, name: str, spec: AgentSpec, model: ReadingModel | None
) -> AgentFactory:
    if not isinstance(spec.agent, str):
        raise UsageError(
            "an agent for another interpreter is named, as package.module:factory",
            parameter="agent",
        )
    if transport == "http":
        from mabench.remote.http_channel import http_factory

        # It runs already, and is told of no model; whether of an address on this machine.
        calls_back = urlsplit(name).hostname in _LOOPBACK
        maker = Maker(http_factory(spec.agent), name)
        return AgentFactory(name, maker, model, takes_address=calls_back)
    if transport == "mcp":
        from mabench.remote.mcp_channel import mcp_factory

        calls_back = _transport_of(name.removeprefix("mcp:").strip()) != "http"
        mcp_map = None if spec.mcp_map is None else str(spec.mcp_map)
        maker = Maker(mcp_factory(spec.agent, mcp_map, spec.env), name)
        return AgentFactory(name, maker, model, has_model=True, takes_address=calls_back)
    from mabench.remote.stdio_channel import process_factory

    address = model.address().setting() if model else None
    place = file_reference(spec.agent) if spec.python else spec.agent.removeprefix("stdio:")
    maker = Maker(process_factory(place, spec.python, spec.settings, address, spec.env), name)
    return AgentFactory(name, maker, model, has_model=True, takes_address=True, takes_folder=True)


def refuse_ignored_model(spec: AgentSpec) -> None:
    """Raise a ``UsageError`` for a class of agents that is known to ignore the model of a run."""
    agent = spec.agent
    is_known = isinstance(agent, str) and is_shipped(agent)
    if Capabilities.of(agent).needs_model or (_transport_of(agent, spec.python) and not is_known):
        return
    maker = _local_maker(agent)
    if maker.answers_itself and not maker.takes("model", spec.settings):
        raise ignored_model(_name_of(agent))


def _transport_of(agent: object, python: str | Path | None = None) -> str:
    """Return how an agent that lives elsewhere is reached; empty for one of this process."""
    if isinstance(agent, str):
        for prefix, transport in _PREFIXES.items():
            if agent.startswith(prefix):
                return transport
    return "" if python is None else "python"


def _name_of(agent: str | Callable[..., object]) -> str:
    """Return an agent's name as it is recorded: without what a URL or a command keeps secret."""
    if not isinstance(agent, str):
        named: Any = agent if hasattr(agent, "__qualname__") else type(agent)
        return f"{named.__module__}:{named.__qualname__}"
    transport = _transport_of(agent)
    if not transport:
        return agent
    note_secrets(agent)
    if transport == "http":
        from mabench.remote.http_channel import without_user

        agent = without_user(agent)
    return redact(agent)


def _local_maker(agent: str | Callable[..., object]) -> Maker:
    name = _name_of(agent)
    factory = factory_named(agent) if isinstance(agent, str) else check_factory(agent, name)
    return Maker(factory, name)


def _check_parameters(transport: str, spec: AgentSpec) -> None:
    problem = None
    if spec.python and transport != "python":
        problem = "python", "is for Python agents; programs and servers bring their own"
    elif spec.python and Capabilities.of(spec.agent).needs_model:
        reads = f"{spec.agent} reads with the model of the run, in this interpreter"
        raise UsageError(f"{reads}; leave out `python`", parameter="python")
    elif spec.mcp_map and transport != "mcp":
        problem = "mcp_map", "is for memories on MCP servers, named as mcp:COMMAND"
    elif spec.env and transport in ("", "http"):
        problem = "env", "is for agents that are started in processes of their own; see `python`"
    elif spec.settings and transport in ("http", "mcp"):
        remedy = "a server takes no settings but k; set it up where it runs"
        raise UsageError(f"{next(iter(spec.settings))}: {remedy}", parameter="settings")
    if problem:
        raise UsageError(f"`{problem[0]}` {problem[1]}", parameter=problem[0])
