"""The errors that mabench raises on purpose: one readable line each, never a traceback.

For wrong names and values they say the nearest names, and what is expected.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_args

from mabench.installation import import_lock, install_command
from mabench.printable import shorten
from mabench.redact import redact

if TYPE_CHECKING:
    from pydantic import ValidationError

# Suggestions of a message.
_MOST_SUGGESTIONS = 3
# Of 1; below it, a suggestion is a guess.
_LIKENESS = 0.6
_SHORTEST_BEGINNING = 3
# Characters of a wrong value.
_LONGEST_SHOWN = 80
# Characters of a message, and of an argument or a path in it.
_LONGEST_MESSAGE, _LONGEST_PART = 2_000, 400
_LONG_PART = re.compile(rf"\S{{{_LONGEST_PART + 1},}}+")
# What is expected instead of a value, with pydantic's names of such faults.
_FAULTS = {
    "a string": "string_type",
    "text without lone surrogates, which UTF-8 cannot hold": "string_unicode",
    "a list": "list_type tuple_type",
    "true or false": "bool_type bool_parsing",
    "a whole number": "int_type int_parsing int_from_float",
    "a number": "float_type float_parsing",
    "a table": "model_type model_attributes_type dict_type",
    "a larger number": "greater_than_equal",
    "a shorter list": "too_long",
    "a longer list": "too_short",
}
EXPECTED = {kind: words for words, kinds in _FAULTS.items() for kind in kinds.split()}


class MabenchError(Exception):
    """Something the user can act on; the message says what is wrong and the remedy.

    A message names parameters of the Python interface in backquotes (`out`), never options of
    the command line, which replaces them by its own names. Secrets are removed from it, and the
    middle of what is very long.

    Args:
        message: what is wrong and the remedy.
        parameter: the parameter whose value is wrong, if it is one.
    """

    exit_code = 1

    def __init__(self, message: str, *, parameter: str | None = None) -> None:
        super().__init__(shorten_message(redact(message)))
        self.parameter = parameter


def shorten_message(message: str) -> str:
    """Return a message without its middle, or those of arguments in it, if they are long."""
    parts = _LONG_PART.sub(lambda part: shorten(part[0], _LONGEST_PART), message)
    return shorten(parts, _LONGEST_MESSAGE)


class UsageError(MabenchError):
    """A wrong argument: an unknown name, arguments that contradict each other."""

    exit_code = 2


class NotMadeError(UsageError):
    """There is an agent of that name, but it could not be made."""


def reason(error: BaseException) -> str:
    """Return the first line of an error's message, without a number; its type if it has none."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def first_of(error: BaseException) -> BaseException:
    """Return the first failure in a group, at any depth; other errors are returned as they are."""
    return first_of(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def ignored_model(agent: str) -> UsageError:
    """Return the error for a model that was given to an agent which would not use it."""
    return UsageError(
        f"{agent} makes its own answers and would ignore `model`; leave it out (only a factory "
        "with an argument named model receives it)",
        parameter="model",
    )


class DataError(MabenchError):
    """A file or a row that cannot be read as MemoryAgentBench data."""


class MissingPackageError(MabenchError):
    """An optional package is not installed; the message names the extra that brings it."""


def require(module: str, extra: str) -> ModuleType:
    """Import a module that an extra installs.

    ``installation.can_import`` tells whether that will work, without importing the module.

    Raises:
        MissingPackageError: when it is not installed.
    """
    try:
        with import_lock:
            return importlib.import_module(module)
    except ImportError as error:
        raise MissingPackageError(
            f"{module.partition('.')[0]} is not installed; run: {install_command(extra)}"
        ) from error


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three ``known`` names that are spelled like ``name`` or begin with it."""
    spelled: dict[str, list[str]] = {}
    for candidate in known:
        spelled.setdefault(candidate.casefold(), []).append(candidate)
    wanted = name.casefold()
    near = difflib.get_close_matches(wanted, spelled, n=_MOST_SUGGESTIONS, cutoff=_LIKENESS)
    if len(wanted) >= _SHORTEST_BEGINNING:
        near += [folded for folded in spelled if folded.startswith(wanted) and folded not in near]
    return [candidate for folded in near for candidate in spelled[folded]][:_MOST_SUGGESTIONS]


def unknown(what: str, name: str, known: Iterable[str], rest: str | None = None) -> str:
    """Return a message about an unknown name; by default ``rest`` lists all ``known`` ones."""
    known = list(known)
    if rest is None:
        rest = f"known: {', '.join(known) or 'none'}"
    near = " or ".join(nearest(name, known))
    return f"{what} {name!r}: did you mean {near}? {rest}" if near else f"{what} {name!r}; {rest}"


def faults_of(error: ValidationError, kind: type) -> list[str]:
    """Return everything that is wrong with a value of ``kind``, each with its place."""
    return [_fault(fault, kind) for fault in error.errors(include_url=False)]


def _fault(fault: Any, kind: Any) -> str:
    place = ".".join(map(str, fault["loc"])) or "the file"
    if fault["type"] == "extra_forbidden":
        *around, last = fault["loc"]
        for step in around:
            if isinstance(step, str) and kind is not None and step in kind.model_fields:
                kind = _model_in(kind.model_fields[step].annotation)
        fields = list(kind.model_fields) if kind is not None else []
        return unknown(f"{place}: no field named", str(last), fields)
    if fault["type"] == "missing":
        return f"{place}: is missing"
    value = fault["input"]
    if fault["type"] == "literal_error":
        expected = str(fault["ctx"]["expected"])
        near = nearest(str(value), expected.replace("'", "").replace(" or ", ", ").split(", "))
        expected += f" (did you mean {' or '.join(near)}?)" if near else ""
    else:
        expected = EXPECTED.get(fault["type"], "a value of another kind")
        expected = "a date" if fault["type"].startswith("date") else expected
    return f"{place}: found {repr(value)[:_LONGEST_SHOWN]}; expected {expected}"


def _model_in(annotation: Any) -> Any:
    if hasattr(annotation, "model_fields"):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)
