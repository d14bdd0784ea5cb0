"""What to say of names and values that are wrong: the nearest names, and what is expected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, get_args

if TYPE_CHECKING:
    from pydantic import ValidationError

_MOST = 3
_LIKENESS = 0.6  # Of 1; below it, a suggestion is rather a guess.
_SHORTEST_BEGINNING = 3
_LONGEST_SHOWN = 80
# What is expected where a value is of another kind, by pydantic's name of the fault.
EXPECTED = {
    "string_type": "a string",
    "string_unicode": "text without lone surrogates, which UTF-8 cannot hold",
    "list_type": "a list",
    "tuple_type": "a list",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "dict_type": "a table",
    "greater_than_equal": "a larger number",
    "too_long": "a shorter list",
    "too_short": "a longer list",
}


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three of the ``known`` names that are spelled like ``name``, the likest first.

    Names that begin with ``name`` come next. Upper and lower case count as the same letter.
    """
    spelled: dict[str, list[str]] = {}
    for one in known:
        spelled.setdefault(one.casefold(), []).append(one)
    wanted = name.casefold()
    near = difflib.get_close_matches(wanted, spelled, n=_MOST, cutoff=_LIKENESS)
    if len(wanted) >= _SHORTEST_BEGINNING:
        near += [one for one in spelled if one.startswith(wanted) and one not in near]
    return [one for folded in near for one in spelled[folded]][:_MOST]


def unknown(what: str, name: str, known: Iterable[str], rest: str | None = None) -> str:
    """Return a message about an unknown name, such as ``unknown source 'x': did you mean y? ...``.

    Args:
        what: what to say of the name.
        name: the name.
        known: the names that there are.
        rest: how to find the right name; all of ``known`` when None.
    """
    known = list(known)
    if rest is None:
        rest = f"known: {', '.join(known) or 'none'}"
    near = nearest(name, known)
    if not near:
        return f"{what} {name!r}; {rest}"
    return f"{what} {name!r}: did you mean {' or '.join(near)}? {rest}"


def faults_of(error: ValidationError, kind: type) -> list[str]:
    """Return all that is wrong with what someone wrote, each with its place, in our words.

    Args:
        error: what pydantic found.
        kind: the model that was to be read, which knows the names of fields.
    """
    return [_fault(fault, kind) for fault in error.errors(include_url=False)]


def _fault(fault: Any, kind: type) -> str:
    place = ".".join(map(str, fault["loc"])) or "the file"
    if fault["type"] == "extra_forbidden":
        *around, last = fault["loc"]
        return unknown(f"{place}: no field named", str(last), _fields_at(kind, around))
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


def _fields_at(kind: Any, steps: Sequence[int | str]) -> list[str]:
    """Return the names of the fields that a model has at a place."""
    for step in steps:
        if isinstance(step, str) and kind is not None and step in kind.model_fields:
            kind = _model_in(kind.model_fields[step].annotation)
    return list(kind.model_fields) if kind is not None else []


def _model_in(annotation: Any) -> Any:
    """Return the model that a type is or holds; None where there is none."""
    if hasattr(annotation, "model_fields"):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)
