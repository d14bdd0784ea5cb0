"""Factories of agents: found by ``package.module:factory``, checked, and called."""

from __future__ import annotations

import importlib
import inspect
import sys
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.contract import raised
from mabench.contract.interfaces import Agent
from mabench.contract.raised import is_ctrl_c, text_of
from mabench.errors import MabenchError, UsageError, ignored_model
from mabench.lookup.arguments import AGENT_METHODS, Factory, refused_setting
from mabench.redact import redact
from mabench.suggestions import nearest, unknown

if TYPE_CHECKING:
    from mabench.models import ReadingModel


class NotMadeError(UsageError):
    """What makes an agent raised an error."""


_LONGEST = 200  # Characters of an error in a message.
DEPTH = 10  # The published depth of BM25 and of the embedding memories.
# What each module brought with it when it was imported here.
BROUGHT: dict[str, frozenset[str]] = {}


def import_object(name: str, kind: str) -> object:
    """Return the ``kind`` of thing, such as a factory, that ``package.module:attribute`` names.

    The current directory is searched first.

    Raises:
        UsageError: when the module cannot be imported or has no such attribute.
    """
    module_name, _, attribute = name.partition(":")
    if not module_name or not attribute:
        raise _agent_error(f"{name!r} names no {kind}; write it as package.module:{kind}")
    if module_name.endswith(".py"):
        raise _agent_error(_of_file(name, module_name, attribute))
    module = _import(module_name)
    try:
        return reduce(getattr, attribute.split("."), module)
    except AttributeError as error:
        near = nearest(attribute, [one for one in vars(module) if not one.startswith("_")])
        hint = f": did you mean {' or '.join(near)}?" if near else ""
        raise _agent_error(
            f"{_one_line(error)}; expected a {kind} named {attribute}{hint}"
        ) from error


def _of_file(name: str, file: str, attribute: str) -> str:
    """Say how a thing in a file is named: FILE.py:NAME is for other interpreters."""
    path = Path(file).expanduser()
    if not path.is_file():
        return f"{name!r}: no file {file}; write package.module:{attribute}, without .py"
    folder = path.resolve().parent
    where = f"start in {folder} and " if folder != Path.cwd().resolve() else ""
    return (
        f"{name!r} names a file, which only an interpreter of its own takes (`python`); "
        f"{where}write {path.stem}:{attribute}"
    )


def _import(name: str) -> object:
    here = str(Path.cwd())
    if here not in sys.path:
        # Stays there: what the user's module imports later must be found as well.
        sys.path.insert(0, here)
    before = {*sys.modules}
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            modules = [path.stem for path in Path(here).glob("*.py")]
            rest = f"give one that is installed or lies in {here}"
            raise _agent_error(unknown("no module named", error.name, modules, rest)) from error
        raise _agent_error(f"importing {name} failed: {_one_line(error)}; install it") from error
    except KeyboardInterrupt:
        raise  # The user's: importing can take long.
    except BaseException as error:
        failure = f"importing {name} failed: {described(error)}"
        raise _agent_error(f"{failure}; correct {name}") from error
    if name not in before:
        BROUGHT[name] = frozenset(sys.modules) - before
    return module


def checked_factory(factory: object, name: str) -> Factory:
    """Return ``factory`` if it can make agents: a class or a function.

    Raises:
        UsageError: when it cannot, saying why; ``name`` is what to call it.
    """
    remedy = "give a class or a function"
    if not callable(factory):
        kind = type(factory).__name__
        raise _agent_error(
            f"{name} is an instance of {kind}, but every row needs a fresh agent; {remedy}"
        )
    if inspect.iscoroutinefunction(factory):
        raise _agent_error(f"{name} is an async function; {remedy} (its methods may be async)")
    made: Factory = factory
    return made


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
        NotMadeError: when the factory raises; errors that are mabench's own pass unchanged.
        UsageError: when the agent would ignore the model.
    """
    from mabench.agents.readers import ModelReader, reader_without_model
    from mabench.agents.retrieval import RetrievalAgent

    try:
        thing = factory()
        answers = _has(thing, *AGENT_METHODS)
        if _has(thing, "add", "search") and not answers:
            reader = ModelReader(model) if model else reader_without_model()
            return RetrievalAgent(thing, reader, depth)  # type: ignore[arg-type]
        if model and not given_model and answers:
            raise ignored_model(name)
    except MabenchError:
        raise
    except ImportError as error:
        raise NotMadeError(f"{name} cannot be made: {_one_line(error)}") from error
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        refused = refused_setting(error, factory, name) if isinstance(error, TypeError) else None
        raise refused or NotMadeError(
            f"making {name} failed: {described(error)}; correct its factory"
        ) from error
    return thing  # type: ignore[return-value]  # conformance_problems() says whether it is one.


def _has(thing: object, *methods: str) -> bool:
    return not isinstance(thing, type) and all(hasattr(thing, method) for method in methods)


def described(error: BaseException) -> str:
    """Return the kind and the message of an error in one line."""
    return " ".join(redact(raised.describe_error(error)).split())[:_LONGEST]


def _one_line(error: BaseException) -> str:
    return " ".join(redact(text_of(error)).split())[:_LONGEST] or type(error).__name__


def _agent_error(message: str) -> UsageError:
    return UsageError(message, parameter="agent")
