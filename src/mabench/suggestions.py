"""What to say of names and values that are wrong: the nearest names, and what is expected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
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
    "float_parsing": "a number",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "dict_type": "a table",
    "greater_than_equal": "a larger number",
    "too_long": "a shorter list",
    "too_short": "a longer list",
}


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three ``known`` names that are spelled like ``name``, or begin with it."""
    spelled: dict[str, list[str]] = {}
    for candidate in known:
        spelled.setdefault(candidate.casefold(), []).append(candidate)
    wanted = name.casefold()
    near = difflib.get_close_matches(wanted, spelled, n=_MOST, cutoff=_LIKENESS)
    if len(wanted) >= _SHORTEST_BEGINNING:
        near += [folded for folded in spelled if folded.startswith(wanted) and folded not in near]
    return [candidate for folded in near for candidate in spelled[folded]][:_MOST]


def unknown(what: str, name: str, known: Iterable[str], rest: str | None = None) -> str:
    """Return a message about an unknown name; ``rest`` lists all that are ``known`` by default."""
    known = list(known)
    if rest is None:
        rest = f"known: {', '.join(known) or 'none'}"
    near = " or ".join(nearest(name, known))
    return f"{what} {name!r}: did you mean {near}? {rest}" if near else f"{what} {name!r}; {rest}"


def faults_of(error: ValidationError, kind: type) -> list[str]:
    """Return all that is wrong with what was to be read as ``kind``, each with its place."""
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
