"""Imports objects that are named as ``package.module:attribute``, or says what to write."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable
from functools import reduce
from pathlib import Path

from mabench.contract.answers import message_of, summarize_error
from mabench.errors import UsageError, nearest, unknown
from mabench.lookup.file_hints import expand_home
from mabench.redact import redact_agent

# Characters that no name of a module or an attribute contains.
_NOT_IN_NAMES = re.compile(r"[\x00-\x20\x7f\[\]=]")
# The modules that were imported together with each module that was imported here.
MODULES_IMPORTED_WITH: dict[str, frozenset[str]] = {}


def import_object(name: str, kind: str) -> object:
    """Import the object that ``package.module:attribute`` names.

    The current folder is searched first. ``kind`` is what it should be, for errors.

    Raises:
        UsageError: when there is no such object, or importing its module fails.
    """
    check_object_name(name, kind)
    module_name, _, attribute = name.partition(":")
    # ``localhost:8000`` and ``htp://localhost`` are meant to be addresses.
    if attribute.isdigit() or attribute.startswith("//"):
        address = f"http://{name.partition('://')[2] or name}"
        raise agent_error(f"{name!r} names no {kind}; write the address of a server as {address}")
    if module_name.endswith(".py"):
        path = expand_home(module_name)
        folder = path.absolute().parent
        where = f"start in {folder} and " if folder != Path.cwd() else ""
        problem = f"only `python` takes a file; {where}write {path.stem}:{attribute}"
        if not path.is_file():
            problem = f"no file {module_name}; write package.module:{attribute}, without .py"
        raise agent_error(f"{name!r}: {problem}")
    module = _import_module(module_name)
    try:
        return reduce(getattr, attribute.split("."), module)
    except AttributeError as error:
        public = [own for own in vars(module) if not own.startswith("_")]
        near = nearest(attribute, public)
        hint = f"; expected a {kind} named {attribute}"
        if near:
            hint = f": did you mean {' or '.join(near)}?"
        raise agent_error(f"{message_of(error)}{hint}") from error


def check_object_name(name: str, kind: str) -> None:
    """Raise a ``UsageError`` unless a name is ``module:attribute`` or ``FILE.py:attribute``."""
    module_name, _, attribute = name.rpartition(":")
    parts = [*module_name.split("."), *attribute.split(".")]
    is_file = module_name.endswith(".py") and "\0" not in name and attribute
    if not (is_file or all(map(_could_be_name, parts))):
        shown = redact_agent(name)  # It may contain settings.
        raise agent_error(f"{shown!r} names no {kind}; write it as package.module:{kind}")


def _could_be_name(part: str) -> bool:
    """Return whether a part of a dotted name could be the name of a module or an attribute."""
    return part != "" and _NOT_IN_NAMES.search(part) is None


def _import_module(name: str) -> object:
    """Import a module, and turn every error of its code into a ``UsageError``."""
    here = str(Path.cwd())
    if here not in sys.path:
        # It stays there: the user's module may import others later.
        sys.path.insert(0, here)
    before = {*sys.modules}
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        # The module itself is missing, or its package; else it imports a module that is missing.
        if error.name and f"{name}.".startswith(f"{error.name}."):
            modules = [path.stem for path in Path(here).glob("*.py")]
            rest = f"give a module that is installed or in {here}"
            raise agent_error(unknown("no module named", error.name, modules, rest)) from error
        raise agent_error(f"importing {name} failed: {message_of(error)}; install it") from error
    except KeyboardInterrupt:
        raise  # Importing can take long, so the user may have interrupted it.
    except BaseException as error:
        failure = f"importing {name} failed: {summarize_error(error)}"
        raise agent_error(f"{failure}; correct {name}") from error
    if name not in before:
        MODULES_IMPORTED_WITH[name] = frozenset(sys.modules) - before
    return module


def agent_error(message: str) -> UsageError:
    """Return an error about the agent that was named."""
    return UsageError(message, parameter="agent")


def check_factory(factory: object, name: str) -> Callable[..., object]:
    """Return ``factory`` if it can make agents, else raise a ``UsageError`` about ``name``."""
    if not callable(factory):
        instance = f"an instance of {type(factory).__name__}, but every row needs a fresh agent"
        raise agent_error(f"{name} is {instance}; give a class or a function")
    if inspect.iscoroutinefunction(factory):
        remedy = "give a class or a function (its methods may be async)"
        raise agent_error(f"{name} is an async function; {remedy}")
    return factory
