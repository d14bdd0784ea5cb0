"""The errors that mabench raises on purpose, and the texts of their messages.

Users see a message as one line, without a traceback. For a wrong name it suggests similar names;
for a wrong value it says what is expected.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_args

from mabench.installation import import_lock, install_command
from mabench.printable import shorten
from mabench.redact import redact

if TYPE_CHECKING:
    from pydantic import ValidationError

_MOST_SUGGESTIONS = 3  # In a message.
# How alike two names must be for a suggestion, from 0 to 1: below it, it would be a guess.
_LIKENESS = 0.6
_SHORTEST_BEGINNING = 3  # Characters by which the beginning of a name is recognized.
_LONGEST_SHOWN = 80  # Characters of a wrong value in a message.
# Characters of a message, and of a word in it without spaces, such as a path.
_LONGEST_MESSAGE, _LONGEST_WORD = 2_000, 400
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}+")
# What is expected instead of a value, and pydantic's names of the faults that say so.
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
# What is expected instead of a value, by pydantic's name of the fault.
EXPECTED = {fault: expected for expected, faults in _FAULTS.items() for fault in faults.split()}


class MabenchError(Exception):
    """Something the user can act on; the message says what is wrong and the remedy.

    A message names parameters of the Python interface in backquotes (`out`). The command line
    replaces them by its options. Secrets are removed from the message, and so is the middle of
    what is very long.

    Args:
        message: what is wrong and the remedy.
        parameter: the parameter whose value is wrong, if it is one.
    """

    exit_code = 1

    def __init__(self, message: str, *, parameter: str | None = None) -> None:
        super().__init__(shorten_message(redact(message)))
        self.parameter = parameter


def shorten_message(message: str) -> str:
    """Return a message in which long words, and then the message itself, lose their middle."""
    with_short_words = _LONG_WORD.sub(lambda match: shorten(match[0], _LONGEST_WORD), message)
    return shorten(with_short_words, _LONGEST_MESSAGE)


class UsageError(MabenchError):
    """A wrong argument: an unknown name, arguments that contradict each other."""

    exit_code = 2


class NotMadeError(UsageError):
    """There is an agent of that name, but it could not be made."""


def reason(error: BaseException) -> str:
    """Return the first line of an error's message; the name of its type if it has no message."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror  # The whole message has a number and the path as well.
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def first_of(error: BaseException) -> BaseException:
    """Return the first error in a group of errors, which may hold groups; else the error itself."""
    if isinstance(error, BaseExceptionGroup):
        return first_of(error.exceptions[0])
    return error


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
    """Return up to three ``known`` names that are spelled like ``name`` or begin with it.

    Case makes no difference. Those that are spelled alike come first, the most similar of them
    before the others.
    """
    by_folded: dict[str, list[str]] = {}  # The known names by their form without case.
    for candidate in known:
        by_folded.setdefault(candidate.casefold(), []).append(candidate)
    wanted = name.casefold()
    near = difflib.get_close_matches(wanted, by_folded, n=_MOST_SUGGESTIONS, cutoff=_LIKENESS)
    if len(wanted) >= _SHORTEST_BEGINNING:
        near += [folded for folded in by_folded if folded.startswith(wanted) and folded not in near]
    names = [candidate for folded in near for candidate in by_folded[folded]]
    return names[:_MOST_SUGGESTIONS]


def unknown(what: str, name: str, known: Iterable[str], rest: str | None = None) -> str:
    """Return a message about an unknown name, with suggestions.

    Args:
        what: how the message begins, such as "no command".
        name: the unknown name.
        known: the names that there are.
        rest: how the message ends; by default it lists the known names.
    """
    known = list(known)
    if rest is None:
        rest = f"known: {', '.join(known) or 'none'}"
    suggestions = " or ".join(nearest(name, known))
    if suggestions:
        return f"{what} {name!r}: did you mean {suggestions}? {rest}"
    return f"{what} {name!r}; {rest}"


def faults_of(error: ValidationError, kind: type) -> list[str]:
    """Return everything that is wrong with a value of ``kind``, each with its place.

    ``error`` is what pydantic raised for the value, and ``kind`` the model that it should be.
    """
    return [_describe_fault(fault, kind) for fault in error.errors(include_url=False)]


def _describe_fault(fault: Any, model: Any) -> str:
    """Return what is wrong at one place of a value of a model of pydantic.

    ``fault`` has its ``type``, its place ``loc`` as a tuple of names and indices, the wrong value
    as ``input``, and for a choice what was expected in ``ctx``.
    """
    place = ".".join(str(step) for step in fault["loc"]) or "the file"
    if fault["type"] == "extra_forbidden":
        *outer_steps, name = fault["loc"]
        fields = _list_fields_at(outer_steps, model)
        return unknown(f"{place}: no field named", str(name), fields)
    if fault["type"] == "missing":
        return f"{place}: is missing"
    shown = repr(fault["input"])[:_LONGEST_SHOWN]
    return f"{place}: found {shown}; expected {_describe_expected(fault)}"


def _describe_expected(fault: Any) -> str:
    """Return what was expected in place of a wrong value; of choices, which were likely meant."""
    if fault["type"].startswith("date"):
        return "a date"
    if fault["type"] != "literal_error":
        return EXPECTED.get(fault["type"], "a value of another kind")
    listed = str(fault["ctx"]["expected"])  # As in: 'a', 'b' or 'c'.
    choices = listed.replace("'", "").replace(" or ", ", ").split(", ")
    suggestions = " or ".join(nearest(str(fault["input"]), choices))
    return f"{listed} (did you mean {suggestions}?)" if suggestions else listed


def _list_fields_at(steps: Sequence[str | int], model: Any) -> list[str]:
    """Return the names of the fields at a place within a value of a model; none if unknown.

    ``steps`` lead to the place: the names of fields, and indices in lists.
    """
    for step in steps:
        if isinstance(step, str) and model is not None and step in model.model_fields:
            model = _find_model(model.model_fields[step].annotation)
    return list(model.model_fields) if model is not None else []


def _find_model(annotation: Any) -> Any:
    """Return the first model of pydantic in a type, such as of its items; None if it has none."""
    if hasattr(annotation, "model_fields"):
        return annotation
    for argument in get_args(annotation):
        model = _find_model(argument)
        if model is not None:
            return model
    return None
