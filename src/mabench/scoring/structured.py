"""Answers that come as JSON, or as what models write for it: Python literals, cut-off objects.

Strict JSON is read by the standard library. Anything else is read by a scanner that forgives
single quotes, bare words, quotation marks inside a string and an end that is missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

# A value: a text, a number, a truth value, nothing, or a list or an object of them.
Value = object

_ANSWER_FIELD = re.compile(
    r"(?:(?:final|correct|predicted|best|chosen|my|next|the|most_likely)_)*"
    r"(?:answer|label|class|category|intent|prediction|choice|option|selected|selection|event"
    r"|output|response|result|results|verdict|value|conclusion|culprit|killer)"
    r"(?:_(?:letter|text|id|option|label|choice|number|index|event|value|key|name|class))?"
)
_PREFERRED = re.compile(r"(?:final|correct)_|answer(?!_text)")
_MOST_VALUES = 2000
_DEEPEST = 12
_SPACE = re.compile(r"[\s,:]*")
# The end of a string is a quotation mark before what may follow a value or name, or the end.
_STRING_ENDS = {quote: re.compile(rf"(?<!\\){quote}(?=\s*(?:[,}}\]:]|\Z))") for quote in ("'", '"')}
_BARE = re.compile(r"[^\s,:{}\[\]\"'][^,:{}\[\]\n]*")
_OPENING = re.compile(
    r"""\{\s*(?:["']?[^\W\d_][\w \-]{0,40}["']?\s*:|["']\d)|\[\s*(?:["'{]|\d+\s*[,\]])"""
)
_ESCAPES = {r"\"": '"', r"\'": "'", r"\n": "\n", r"\t": "\t", r"\\": "\\", r"\/": "/"}
_ESCAPE = re.compile(r"\\(?:[\"'nt\\/]|u([0-9a-fA-F]{4}))")
_MOST_OPENINGS = 50
_WORD = re.compile(r"[^\W_]")


def structured_values(text: str) -> list[Value]:
    """Return the objects and lists that stand in ``text``, in order, as far as they are read.

    A list counts only where it is all that is said: brackets stand in other texts too.
    """
    values: list[Value] = []
    end = 0
    for opening in _openings(text):
        if opening >= end:
            value, end = _value_at(text, opening)
            if is_object(value) or (
                not values and _leads_in(text[:opening]) and not _WORD.search(text, end)
            ):
                values.append(value)
    return values


def answer_field(value: Value) -> str | None:
    """Return the answer that an object or list holds, as text; None when it holds none.

    Fields named for something else (a reasoning, a confidence) are not read, unless there is
    one field only. A list gives its only item.
    """
    fields = {_field_name(name): held for name, held in value.items()} if is_object(value) else {}
    named = [(name, held) for name, held in fields.items() if _ANSWER_FIELD.fullmatch(name)]
    named.sort(key=lambda item: _PREFERRED.match(item[0]) is None)
    if named:
        return _text(named[0][1])
    if fields and len(fields) == 1:
        return _text(next(iter(fields.values())))
    if isinstance(value, list) and len(value) == 1:
        return _text(value[0])
    return None


def _leads_in(before: str) -> bool:
    return not before.strip("`*#\n ") or before.rstrip("`*#\n ").endswith(":") or "```" in before


def is_object(value: Value) -> TypeGuard[dict[str, Value]]:
    """Say whether a value is an object, so that it has fields."""
    return isinstance(value, dict)


def _field_name(name: object) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[\s\-]+", "_", str(name).strip()).casefold()


def _text(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return answer_field(value) or ". ".join(str(held) for held in value.values() if held)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n".join(map(_text, value))
    return str(value)


def _openings(text: str) -> Iterator[int]:
    """Yield where objects and lists may open: the first and the last of many."""
    found = [match.start() for match in _OPENING.finditer(text)]
    if len(found) > 2 * _MOST_OPENINGS:
        found = found[:_MOST_OPENINGS] + found[-_MOST_OPENINGS:]
    return iter(found)


def _value_at(text: str, start: int) -> tuple[Value, int]:
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return _Scanner(text).read(start)
    return value, end


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _ESCAPES[escape[0]]


class _Scanner:
    """Reads what was meant for JSON, from a place on, without going back."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._left = _MOST_VALUES

    def read(self, start: int) -> tuple[Value, int]:
        """Return the value that begins at ``start`` and where it ends."""
        return self._value(start, _DEEPEST)

    def _value(self, place: int, depth: int) -> tuple[Value, int]:
        self._left -= 1
        opener = self._text[place : place + 1]
        if depth and opener in ("{", "["):
            return (self._object if opener == "{" else self._list)(place + 1, depth - 1)
        if opener in ("'", '"'):
            return self._string(place + 1, opener)
        bare = _BARE.match(self._text, place)
        if bare is None:
            return None, place + 1
        word = bare[0].strip()
        return {"null": None, "none": None}.get(word.casefold(), word), bare.end()

    def _object(self, place: int, depth: int) -> tuple[Value, int]:
        fields: dict[str, Value] = {}
        while True:
            place = self._skip(place)
            if self._at_end(place) or self._text[place] in "}]":
                return fields, place + 1
            name, place = self._value(place, 0)
            place = self._skip(place)
            if self._at_end(place):
                return fields, place
            held, place = self._value(place, depth)
            fields.setdefault(str(name), held)

    def _list(self, place: int, depth: int) -> tuple[Value, int]:
        items: list[Value] = []
        while True:
            place = self._skip(place)
            if self._at_end(place) or self._text[place] in "}]":
                return items, place + 1
            item, place = self._value(place, depth)
            items.append(item)

    def _string(self, place: int, quote: str) -> tuple[str, int]:
        end = _STRING_ENDS[quote].search(self._text, place)
        stop = end.start() if end else len(self._text)
        string = _ESCAPE.sub(_unescaped, self._text[place:stop])
        return string, stop + 1

    def _skip(self, place: int) -> int:
        space = _SPACE.match(self._text, place)
        return space.end() if space else place

    def _at_end(self, place: int) -> bool:
        return place >= len(self._text) or self._left <= 0
