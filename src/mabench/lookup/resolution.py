"""Agents by name: those built in, those that plugins bring, ``package.module:factory``, others.

An agent of another interpreter, program or server is made by what stands for it here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mabench.contract.interfaces import Agent, conformance_problems
from mabench.contract.raised import attempt
from mabench.errors import UsageError, ignored_model
from mabench.lookup.arguments import (
    DEPTH_SETTING,
    MODEL_ARGUMENT,
    Factory,
    answers_itself,
    parameters_of,
    takes_model,
    with_settings,
)
from mabench.lookup.factories import DEPTH, checked_depth, checked_factory, described, make
from mabench.lookup.names import (
    Capabilities,
    capabilities_of,
    factory_named,
    file_reference,
    is_shipped,
)
from mabench.lookup.packages import require_packages
from mabench.redact import note_secrets, redact, redact_setting

if TYPE_CHECKING:
    from mabench.models import ModelAddress, ReadingModel

_PROGRAM = "stdio:"
_MCP = "mcp:"
_URLS = ("http://", "https://")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class AgentFactory:
    """Makes a fresh agent for each row.

    Attributes:
        name: the agent's name with its settings, as it is recorded.
        make: returns a fresh agent; given an address, it calls its model there.
        is_async: it is a class with an async method, to be made in the event loop.
        takes_gold: it is our own oracle, which is handed each gold answer before the question.
        takes_address: it is told where it calls a model by itself.
    """

    name: str
    make: Callable[[ModelAddress | None], Agent]
    is_async: bool = False
    takes_gold: bool = False
    takes_address: bool = False


def resolve(
    agent: str | Callable[..., object],
    model: ReadingModel | None = None,
    *,
    settings: Mapping[str, object] | None = None,
    python: str | Path | None = None,
    mcp_map: str | Path | None = None,
    env: Sequence[str] = (),
) -> AgentFactory:
    """Find an agent by name, or take a factory as it is.

    A name is that of a built-in, that of a plugin (an entry point of the group
    ``mabench.agents`` or ``mabench.memories``), ``package.module:factory``, ``stdio:COMMAND`` for
    a program that speaks the line protocol, the URL of a server, or ``mcp:`` and a server of that
    kind. A factory is a class or a function that needs no argument and returns an agent or a
    memory.

    Args:
        agent: the name or the factory.
        model: reads for memories and for ``long-context``. A factory that takes an argument
            ``model`` is given the model's address. Any other agent would ignore it, and is
            refused once it is made.
        settings: keyword arguments of the factory; they become part of the agent's name. ``k`` is
            how many passages are searched for, unless the factory takes a ``k`` of its own.
        python: the interpreter in which the agent is to live, in a process of its own.
        mcp_map: how the tools of an MCP server are used: a TOML file or a shipped name.
        env: names of environment variables that are passed on to another interpreter, a program
            or an MCP server that is started, which see few others.

    Raises:
        UsageError: when there is no such agent or setting, or the agent cannot be loaded, with
            the remedy.
        MissingPackageError: when the package of a built-in agent is not installed.
    """
    given = dict(settings or {})
    name = _shown_name(agent)
    full_name = name
    if given:
        full_name += f"[{','.join(redact_setting(*setting) for setting in sorted(given.items()))}]"
    own = {key: value for key, value in given.items() if key != DEPTH_SETTING}
    factory = _remote_factory(agent, model, own, python, mcp_map, tuple(env))
    capabilities = Capabilities()
    # A program is told of the model; a server, which runs already, is not.
    given_model = not name.startswith(_URLS)
    takes_address = factory is not None and _can_call_back(name)
    known: ModelAddress | None = None
    if factory is None:
        factory = factory_named(agent) if isinstance(agent, str) else checked_factory(agent, name)
        capabilities = capabilities_of(agent)
        if DEPTH_SETTING in given and (
            answers_itself(factory) or DEPTH_SETTING in parameters_of(factory)
        ):
            own[DEPTH_SETTING] = given.pop(DEPTH_SETTING)
        require_packages(capabilities, name, factory, own)
        given_model = capabilities.needs_model or takes_model(factory, own)
        takes_address = takes_model(factory, own) and not capabilities.needs_model
        known = model.address() if model and takes_address else None
        takes_address = known is not None and not capabilities.shares_model
        factory = _with_arguments(factory, name, model, own, capabilities.needs_model)
    depth = checked_depth(given.get(DEPTH_SETTING, DEPTH), name)

    def opened(address: ModelAddress | None) -> Agent:
        bound = _bound(factory, known, address if takes_address else None)
        return make(bound, name, model, depth, given_model=given_model)

    return AgentFactory(
        full_name,
        opened,
        is_async=_is_async(factory),
        takes_gold=capabilities.takes_gold,
        takes_address=takes_address,
    )


def _bound(factory: Factory, known: ModelAddress | None, given: ModelAddress | None) -> Factory:
    """Return a factory that needs no argument any more.

    Args:
        factory: of this process, or one that makes what lives elsewhere.
        known: where a factory of this process finds the model; None for any other.
        given: where it is to be found now.
    """
    if known is not None:
        return partial(factory, **{MODEL_ARGUMENT: (given or known).setting()})
    return factory if given is None else partial(factory, given)


def _can_call_back(name: str) -> bool:
    """Whether an agent that lives elsewhere can be told of an address on this machine."""
    if name.startswith(_URLS):
        return urlsplit(name).hostname in _LOOPBACK
    return not name.removeprefix(_MCP).strip().startswith(_URLS)


def refuse_ignored_model(
    agent: str | Callable[..., object],
    settings: Mapping[str, object],
    python: str | Path | None = None,
) -> None:
    """Refuse an agent that is known to ignore the model of a run, before anything is made.

    What a function makes, and what lives elsewhere, is not known yet.

    Raises:
        UsageError: when the agent is a class of agents that takes no model.
    """
    name = agent if isinstance(agent, str) else ""
    elsewhere = python is not None or name.startswith((*_URLS, _MCP, _PROGRAM))
    if capabilities_of(agent).needs_model or (elsewhere and not is_shipped(name)):
        return
    shown = _shown_name(agent)
    factory = factory_named(agent) if isinstance(agent, str) else checked_factory(agent, shown)
    if answers_itself(factory) and not takes_model(factory, settings):
        raise ignored_model(shown)


def _shown_name(agent: str | Callable[..., object]) -> str:
    """Return an agent's name as it is recorded: without what a URL or a command keeps secret."""
    if not isinstance(agent, str):
        named: Any = agent if hasattr(agent, "__qualname__") else type(agent)
        return f"{named.__module__}:{named.__qualname__}"
    if agent.startswith((*_URLS, _MCP, _PROGRAM)):
        note_secrets(agent)
    if agent.startswith(_URLS):
        from mabench.remote.http_channel import without_user

        return redact(without_user(agent))
    return redact(agent) if agent.startswith((_MCP, _PROGRAM)) else agent


def _remote_factory(
    agent: str | Callable[..., object],
    model: ReadingModel | None,
    settings: Mapping[str, object],
    python: str | Path | None,
    mcp_map: str | Path | None,
    env: Sequence[str],
) -> Factory | None:
    """Return a factory of agents that live elsewhere; None for an agent of this process."""
    name = agent if isinstance(agent, str) else ""
    _check_parameters(name, settings, python, mcp_map, env)
    if name.startswith(_URLS):
        from mabench.remote.http_channel import http_factory

        return http_factory(name)
    if name.startswith(_MCP):
        from mabench.remote.mcp_channel import mcp_factory

        return mcp_factory(name, None if mcp_map is None else str(mcp_map), env)
    if python is None and not name.startswith(_PROGRAM):
        return None
    from mabench.remote.stdio_channel import interpreter_factory, program_factory

    address = model.address().setting() if model else None
    if python is None:
        return program_factory(name.removeprefix(_PROGRAM), settings, address, env)
    if not name:
        raise UsageError(
            "an agent for another interpreter is named, as package.module:factory",
            parameter="agent",
        )
    return interpreter_factory(python, file_reference(name), settings, address, env)


def _check_parameters(
    name: str,
    settings: Mapping[str, object],
    python: str | Path | None,
    mcp_map: str | Path | None,
    env: Sequence[str],
) -> None:
    """Raise a ``UsageError`` when a parameter does not go with an agent of that name."""
    is_server, is_program = name.startswith((*_URLS, _MCP)), name.startswith(_PROGRAM)
    problem, parameter = None, "python"
    if python and (is_server or is_program):
        problem = "`python` is for agents in Python; programs and servers have their own"
    elif python and capabilities_of(name).needs_model:
        problem = f"{name} reads with the model of the run, in this interpreter; leave out `python`"
    elif mcp_map and not name.startswith(_MCP):
        problem = "`mcp_map` is for memories on MCP servers, named as mcp:COMMAND"
        parameter = "mcp_map"
    elif env and not (python or is_program or name.startswith(_MCP)):
        problem = "`env` is for agents that are started in processes of their own; see `python`"
        parameter = "env"
    elif settings and is_server:
        problem = (
            f"{next(iter(settings))}: a server takes no settings but k; set it up where it runs"
        )
        parameter = "settings"
    if problem:
        raise UsageError(problem, parameter=parameter)


def _with_arguments(
    factory: Factory,
    name: str,
    model: ReadingModel | None,
    settings: Mapping[str, object],
    needs_model: bool,
) -> Factory:
    """Return the factory of an agent of this process with its settings."""
    if needs_model:
        if model is None:
            raise UsageError(
                f"{name} reads with a language model: name one with `model`", parameter="model"
            )
        factory = partial(factory, model)
    given = [MODEL_ARGUMENT] if model and takes_model(factory, settings) else []
    also = "; see `model` and `window`" if needs_model else ""
    return with_settings(factory, name, settings, given, also)


def _is_async(factory: Factory) -> bool:
    made_of = getattr(factory, "func", factory)
    methods = (getattr(made_of, name, None) for name in ("memorize", "answer", "add", "search"))
    return any(map(inspect.iscoroutinefunction, methods))


def make_agent(factory: AgentFactory, address: ModelAddress | None = None) -> Agent:
    """Make a fresh agent and check that it can be examined.

    Args:
        factory: makes it.
        address: where it calls its model, instead of the model's own.

    Raises:
        UsageError: when it cannot be made or lacks a method, with every problem found.
    """
    agent = factory.make(address)
    try:
        problems = attempt(lambda: conformance_problems(agent))
    except Exception as error:
        problems = [f"looking at its methods failed: {described(error)}"]
    if problems:
        raise UsageError(f"{factory.name} is no agent: {'; '.join(problems)}")
    return agent
