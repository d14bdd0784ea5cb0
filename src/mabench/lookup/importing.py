"""Objects named as ``package.module:attribute``: imported, or refused with a hint."""

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

# What neither a module nor what is in it can be called.
_OF_NO_NAME = re.compile(r"[\x00-\x20\x7f\[\]=]")
# What each module brought with it when it was imported here.
BROUGHT: dict[str, frozenset[str]] = {}


def import_object(name: str, kind: str) -> object:
    """Return what ``package.module:attribute`` names; the current directory is searched first."""
    check_object_name(name, kind)
    module_name, _, attribute = name.partition(":")
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
    module = _import(module_name)
    try:
        return reduce(getattr, attribute.split("."), module)
    except AttributeError as error:
        near = nearest(attribute, [own for own in vars(module) if not own.startswith("_")])
        hint = f"; expected a {kind} named {attribute}"
        hint = f": did you mean {' or '.join(near)}?" if near else hint
        raise agent_error(f"{message_of(error)}{hint}") from error


def check_object_name(name: str, kind: str) -> None:
    """Raise a ``UsageError`` for what no ``module:attribute``, or ``FILE.py:attribute``, can be."""
    module_name, _, attribute = name.rpartition(":")
    parts = [*module_name.split("."), *attribute.split(".")]
    is_file = module_name.endswith(".py") and "\0" not in name and attribute
    if not (is_file or all(map(_could_be_name, parts))):
        shown = redact_agent(name)  # Settings may be behind it.
        raise agent_error(f"{shown!r} names no {kind}; write it as package.module:{kind}")


def _could_be_name(part: str) -> bool:
    return part != "" and _OF_NO_NAME.search(part) is None


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
            rest = f"give a module that is installed or in {here}"
            raise agent_error(unknown("no module named", error.name, modules, rest)) from error
        raise agent_error(f"importing {name} failed: {message_of(error)}; install it") from error
    except KeyboardInterrupt:
        raise  # The user's: importing can take long.
    except BaseException as error:
        failure = f"importing {name} failed: {summarize_error(error)}"
        raise agent_error(f"{failure}; correct {name}") from error
    if name not in before:
        BROUGHT[name] = frozenset(sys.modules) - before
    return module


def agent_error(message: str) -> UsageError:
    """Return an error about the agent that was named."""
    return UsageError(message, parameter="agent")


def check_factory(factory: object, name: str) -> Callable[..., object]:
    """Return ``factory`` if it can make agents, else raise a ``UsageError`` about ``name``."""
    problem = "an async function; give a class or a function (its methods may be async)"
    if not callable(factory):
        instance = f"an instance of {type(factory).__name__}, but every row needs a fresh agent"
        problem = f"{instance}; give a class or a function"
    elif not inspect.iscoroutinefunction(factory):
        return factory
    raise UsageError(f"{name} is {problem}", parameter="agent")
