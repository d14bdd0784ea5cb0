"""Factories of agents: found by ``package.module:factory``, checked, and called."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Collection, Mapping
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.contract.interfaces import Agent
from mabench.errors import MabenchError, UsageError, ignored_model

if TYPE_CHECKING:
    from mabench.models import ReadingModel

Factory = Callable[[], object]
_MODEL = "model"
_AGENT = ("memorize", "answer")
DEPTH = 10  # The published depth of BM25 and of the embedding memories.


def import_object(name: str, kind: str) -> object:
    """Return the ``kind`` of thing, such as a factory, that ``package.module:attribute`` names.

    The current directory is searched first.

    Raises:
        UsageError: when the module cannot be imported or has no such attribute.
    """
    module_name, _, attribute = name.partition(":")
    if not module_name or not attribute:
        raise _agent_error(f"{name!r} names no {kind}; write it as package.module:{kind}")
    module = _import(module_name)
    try:
        return reduce(getattr, attribute.split("."), module)
    except AttributeError as error:
        raise _agent_error(f"{_one_line(error)}; expected a {kind} named {attribute}") from error


def _import(name: str) -> object:
    here = str(Path.cwd())
    if here not in sys.path:
        # Stays there: what the user's module imports later must be found as well.
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise _agent_error(
                f"no module named {error.name}; give one that is installed or lies in {here}"
            ) from error
        raise _agent_error(f"importing {name} failed: {_one_line(error)}; install it") from error
    except (Exception, SystemExit) as error:
        failure = f"importing {name} failed: {described(error)}"
        raise _agent_error(f"{failure}; correct {name}") from error


def checked_factory(factory: object, name: str) -> Factory:
    """Return ``factory`` if it can make agents: a class or function that needs no argument.

    Raises:
        UsageError: when it cannot, saying why; ``name`` is what to call it.
    """
    remedy = "give a class or a function that needs no argument"
    if not callable(factory):
        kind = type(factory).__name__
        raise _agent_error(
            f"{name} is an instance of {kind}, but every row needs a fresh agent; {remedy}"
        )
    if inspect.iscoroutinefunction(factory):
        raise _agent_error(f"{name} is an async function; {remedy} (its methods may be async)")
    try:
        inspect.signature(factory).bind()
    except TypeError as error:
        raise _agent_error(f"{name} cannot be called: {_one_line(error)}; {remedy}") from error
    except ValueError:  # Compiled code does not always say what it takes.
        pass
    return factory


def with_settings(
    factory: Factory, name: str, settings: Mapping[str, object], also: str = ""
) -> Factory:
    """Return ``factory`` with ``settings`` as its keyword arguments.

    Raises:
        UsageError: when it has no such setting; the message names those that it has, and
            ``also``.
    """
    parameters = inspect.signature(factory).parameters.values()
    known = [
        one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    ]
    unknown = [setting for setting in settings if setting not in known]
    if unknown and not any(one.kind is one.VAR_KEYWORD for one in parameters):
        raise UsageError(
            f"{name} has no setting {unknown[0]!r}; known: {', '.join(known) or 'none'}{also}",
            parameter="settings",
        )
    return partial(factory, **settings)


def parameters_of(factory: Factory) -> Collection[str]:
    """Return the names of the arguments that a factory takes; none where that cannot be told."""
    try:
        return inspect.signature(factory).parameters.keys()
    except (TypeError, ValueError):  # Compiled code does not always say what it takes.
        return ()


def checked_depth(depth: object, name: str) -> int:
    """Return how many passages are searched for.

    Raises:
        UsageError: when it is no whole number of at least 1.
    """
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        raise UsageError(
            f"{name}: k={depth} must be a whole number of at least 1", parameter="settings"
        )
    return depth


def takes_model(factory: Factory, settings: Mapping[str, object]) -> bool:
    """Whether a factory is given the address of the model; not where it is set to another."""
    return _MODEL in parameters_of(factory) and _MODEL not in settings


def answers_itself(factory: Factory) -> bool:
    """Whether a factory is known to make agents, not memories: it is a class of them."""
    made_of = getattr(factory, "func", factory)
    return isinstance(made_of, type) and all(hasattr(made_of, method) for method in _AGENT)


def make(
    factory: Factory,
    name: str,
    model: ReadingModel | None = None,
    depth: int = DEPTH,
    *,
    given_model: bool = False,
) -> Agent:
    """Call ``factory``; a memory becomes a retrieval agent with a reader.

    Args:
        factory: makes an agent or a memory.
        name: what messages call it.
        model: reads for a memory; without one, the reader of this package that needs none.
        depth: how many passages the reader is shown.
        given_model: whether the factory itself was given the model.

    Raises:
        UsageError: when the factory raises, or the agent would ignore the model; errors that
            are mabench's own pass unchanged.
    """
    from mabench.agents.readers import ModelReader, SkillReader
    from mabench.agents.retrieval import RetrievalAgent

    try:
        thing = factory()
    except MabenchError:
        raise
    except ImportError as error:
        raise UsageError(f"{name} cannot be made: {_one_line(error)}") from error
    except Exception as error:
        raise UsageError(
            f"making {name} failed: {described(error)}; correct its factory"
        ) from error
    if _has(thing, "add", "search") and not _has(thing, *_AGENT):
        reader = ModelReader(model) if model else SkillReader()
        return RetrievalAgent(thing, reader, depth)  # type: ignore[arg-type]
    if model and not given_model and _has(thing, *_AGENT):
        raise ignored_model(name)
    return thing  # type: ignore[return-value]  # conformance_problems() says whether it is one.


def _has(thing: object, *methods: str) -> bool:
    return not isinstance(thing, type) and all(hasattr(thing, method) for method in methods)


def described(error: BaseException) -> str:
    """Return the kind and the message of an error in one line."""
    return f"{type(error).__name__}: {_one_line(error)}"


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _agent_error(message: str) -> UsageError:
    return UsageError(message, parameter="agent")
