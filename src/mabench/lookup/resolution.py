"""From what names an agent, and where it lives, to what makes it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mabench.contract.answers import attempt, is_ctrl_c, message_of, summarize_error
from mabench.contract.interfaces import Agent, conformance_problems
from mabench.contract.methods import KINDS
from mabench.errors import MabenchError, NotMadeError, UsageError, ignored_model, unknown
from mabench.lookup.names import (
    Capabilities,
    check_factory,
    check_object_name,
    factory_named,
    is_shipped,
    place_of,
)
from mabench.redact import redact_agent, redact_setting
from mabench.specs import AgentSpec

if TYPE_CHECKING:
    from mabench.models import ModelAddress, ReadingModel

# How what lives elsewhere begins its name; what is made by `python` has any other name.
_PREFIXES = {"stdio:": "stdio", "mcp:": "mcp", "http://": "http", "https://": "http"}
DEPTH = 10  # The published depth of BM25 and of the embedding memories.
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class _Maker:
    """A factory of agents or memories with its name: what it takes, is given, and makes."""

    def __init__(self, factory: Callable[..., object], name: str) -> None:
        self.factory, self._name = factory, name
        self._parameters: Collection[inspect.Parameter] | None
        try:
            self._parameters = inspect.signature(factory).parameters.values()
        except (TypeError, ValueError):  # Compiled code does not always say what it takes.
            self._parameters = None
        # The arguments that it takes by name; none where that cannot be told.
        self.arguments = [p.name for p in self._parameters or () if p.kind in _NAMED]
        # What it is without what it was given: the class of what it makes, where it is one.
        self.product = cls = getattr(factory, "func", factory)
        # Whether it is known to make agents, not memories: it is a class of them.
        methods = KINDS["agent"]
        self.answers_itself = isinstance(cls, type) and all(hasattr(cls, m) for m in methods)

    def takes(self, argument: str, settings: Mapping[str, object]) -> bool:
        """Return whether it is given a model's address or a folder; not if it is set to another."""
        return argument in self.arguments and argument not in settings

    def given(self, *arguments: object, **settings: object) -> _Maker:
        """Return it with arguments that it is not to be called with any more."""
        return _Maker(partial(self.factory, *arguments, **settings), self._name)

    def bind(
        self, settings: Mapping[str, object], others: Collection[str] = (), hint: str = ""
    ) -> _Maker:
        """Return it with ``settings``, to be given ``others`` beside them.

        Raises ``UsageError`` when it has no such setting, with a ``hint``, or lacks an argument.
        """
        name = self._name
        if self._parameters is None:
            return self.given(**settings)
        strange = [setting for setting in settings if setting not in self.arguments]
        if strange and not self._takes_any:
            raise self._no_setting(strange[0], hint)
        required = [p for p in self._parameters if p.default is p.empty]
        given = {*settings, *others}
        lacking = [p.name for p in required if p.kind in _NAMED and p.name not in given]
        if lacking == ["model"]:
            problem = f"{name} needs a language model: name one with `model`"
            raise UsageError(problem, parameter="model")
        if lacking:
            remedy = " ".join(f"`settings` {argument}=VALUE" for argument in lacking)
            problem = f"{name} needs {', '.join(lacking)}: give {remedy}"
            raise UsageError(problem, parameter="settings")
        if any(parameter.kind is parameter.POSITIONAL_ONLY for parameter in required):
            raise UsageError(
                f"{name} cannot be called: one of its arguments cannot be passed by name; give a "
                "class or a function whose arguments have names",
                parameter="agent",
            )
        return self.given(**settings) if settings else self

    def make(self, model: ReadingModel | None, depth: int, has_model: bool) -> Agent:
        """Make an agent; a memory becomes one with a reader, which is shown ``depth`` passages.

        Raises ``NotMadeError`` when the factory raises; errors that are mabench's own pass
        unchanged. Raises ``UsageError`` when the agent would ignore the model, unless it
        ``has_model``.
        """
        from mabench.agents import RetrievalAgent, reader_for

        name = self._name
        try:
            thing = self.factory()
            known = {} if isinstance(thing, type) else KINDS
            kinds = [kind for kind, own in known.items() if all(hasattr(thing, m) for m in own)]
            if kinds == ["memory"]:
                if problems := conformance_problems(thing, "memory"):
                    raise UsageError(f"{name} is not a memory: {'; '.join(problems)}")
                return RetrievalAgent(thing, reader_for(model), depth)  # type: ignore[arg-type]
            if model and not has_model and kinds:
                raise ignored_model(name)
        except MabenchError:
            raise
        except ImportError as error:
            raise NotMadeError(f"{name} cannot be created: {message_of(error)}") from error
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            # A factory that seems to take any setting may refuse one.
            if isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
                for setting in getattr(self.factory, "keywords", ()):
                    if f"'{setting}'" in str(error):
                        raise self._no_setting(setting) from error
            reason = f"creating {name} failed: {summarize_error(error)}"
            raise NotMadeError(f"{reason}; correct its factory") from error
        return thing  # type: ignore[return-value]  # conformance_problems() says whether it is one.

    @property
    def _takes_any(self) -> bool:
        return any(p.kind is p.VAR_KEYWORD for p in self._parameters or ())

    def _no_setting(self, setting: str, hint: str = "") -> UsageError:
        names = dict.fromkeys(self.arguments)
        # Where a constructor passes on any, its bases take more.
        maker, cls = self, self.product
        for base in cls.__mro__[1:] if isinstance(cls, type) else ():
            if not maker._takes_any:
                break
            maker = _Maker(base, self._name)
            names |= dict.fromkeys(maker.arguments)
        if not self.answers_itself:
            names |= {"k": None}
        rest = f"known: {', '.join(names) or 'none'}{hint}"
        problem = unknown(f"{self._name} has no setting", setting, names, rest)
        return UsageError(problem, parameter="settings")


@dataclass(frozen=True, slots=True)
class AgentFactory:
    """Makes a fresh agent for each row."""

    name: str  # With its settings, as it is recorded.
    maker: _Maker  # Lacks nothing but the address of a model, and a folder.
    model: ReadingModel | None  # It reads for memories, which are shown so many passages:
    depth: int = DEPTH
    _: KW_ONLY
    has_model: bool = False  # It is told of the model by itself.
    address: ModelAddress | None = None  # Where a factory of this process finds the model.
    takes_address: bool = False  # It is told where it calls a model by itself.
    takes_folder: bool = False  # It is given an empty folder of its own.
    takes_limit: bool = False  # It is told how many seconds making may take, and keeps to that.
    is_async: bool = False  # It is a class with an async method, to be made in the event loop.
    takes_gold: bool = False  # It is our oracle, which is handed each gold before the question.

    def make_agent(
        self,
        address: ModelAddress | None = None,
        folder: Path | None = None,
        seconds: float | None = None,
    ) -> Agent:
        """Make a fresh agent; a ``UsageError`` says all that it lacks, or why it cannot be made.

        It calls models at ``address``, and stores in ``folder``, where its factory takes them. A
        program that is not ready within ``seconds`` is ended, and a ``NotMadeError`` says so.
        """
        maker, metered = self.maker, address if self.takes_address else None
        if self.takes_folder:
            maker = maker.given(folder=folder)
        if self.takes_limit:
            maker = maker.given(seconds=seconds)
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


def resolve(spec: AgentSpec, model: ReadingModel | None = None) -> AgentFactory:
    """Find an agent by name, or take a factory, which needs no argument, as it is.

    The ``model`` reads for memories and for ``long-context``; a factory that takes an argument
    ``model`` is given its address, and any other agent is refused once it is made. The settings are
    keyword arguments of the factory, part of the name; ``k`` is how many passages are searched for,
    unless the factory takes a ``k`` of its own.

    Raises:
        UsageError: when there is no such agent or setting, or the agent cannot be loaded.
        MissingPackageError: when the package of a built-in agent is not installed.
    """
    agent, settings = spec.agent, dict(spec.settings)
    name = full_name = _name_of(agent)
    if settings:
        listed = (redact_setting(*setting) for setting in sorted(settings.items()))
        full_name += f"[{','.join(listed)}]"
    transport = _transport_of(agent, spec.python)
    spec = replace(spec, settings={key: v for key, v in settings.items() if key != "k"})
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
        problem = "an agent for another interpreter is named, as package.module:factory"
        raise UsageError(problem, parameter="agent")
    if transport == "http":
        from mabench.remote.http_channel import http_factory

        maker = _Maker(http_factory(spec.agent), name)
        # It runs already, and is told of no model; whether of an address on this machine.
        calls_back = urlsplit(name).hostname in _LOOPBACK
        return AgentFactory(name, maker, model, takes_address=calls_back)
    if transport == "mcp":
        from mabench.remote.mcp_channel import mcp_factory

        calls_back = _transport_of(name.removeprefix("mcp:").strip()) != "http"
        mcp_map = None if spec.mcp_map is None else str(spec.mcp_map)
        maker = _Maker(mcp_factory(spec.agent, mcp_map, spec.env), name)
        return AgentFactory(
            name, maker, model, has_model=True, takes_address=calls_back, takes_limit=True
        )
    from mabench.remote.stdio_channel import process_factory

    if spec.python and ":" in spec.agent:
        check_object_name(spec.agent, "factory")

    address = model.address().setting() if model else None
    place = place_of(spec.agent) if spec.python else spec.agent.removeprefix("stdio:")
    maker = _Maker(process_factory(place, spec.python, spec.settings, address, spec.env), name)
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
    name = agent if isinstance(agent, str) else ""
    known = (transport for prefix, transport in _PREFIXES.items() if name.startswith(prefix))
    return next(known, "" if python is None else "python")


def _name_of(agent: str | Callable[..., object]) -> str:
    """Return an agent's name as it is recorded: without what a URL or a command keeps secret."""
    if not isinstance(agent, str):
        named: Any = agent if hasattr(agent, "__qualname__") else type(agent)
        return f"{named.__module__}:{named.__qualname__}"
    transport = _transport_of(agent)
    if not transport:
        return agent
    name = redact_agent(agent)
    if transport == "http":
        from mabench.remote.http_channel import without_user

        name = redact_agent(without_user(agent))
    return name


def _local_maker(agent: str | Callable[..., object]) -> _Maker:
    name = _name_of(agent)
    factory = factory_named(agent) if isinstance(agent, str) else check_factory(agent, name)
    return _Maker(factory, name)


def _check_parameters(transport: str, spec: AgentSpec) -> None:
    if spec.python and transport != "python":
        which, problem = "python", "is for Python agents; programs and servers bring their own"
    elif spec.python and Capabilities.of(spec.agent).needs_model:
        reads = f"{spec.agent} reads with the model of the run, in this interpreter"
        raise UsageError(f"{reads}; leave out `python`", parameter="python")
    elif spec.mcp_map and transport != "mcp":
        which, problem = "mcp_map", "is for memories on MCP servers, named as mcp:COMMAND"
    elif spec.env and transport in ("", "http"):
        problem = "is for agents that are started in processes of their own; see `python`"
        which = "env"
    elif spec.settings and transport in ("http", "mcp"):
        remedy = "a server takes no settings but k; set it up where it runs"
        raise UsageError(f"{next(iter(spec.settings))}: {remedy}", parameter="settings")
    else:
        return
    raise UsageError(f"`{which}` {problem}", parameter=which)
