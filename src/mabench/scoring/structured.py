"""Answers that come as JSON, or as what models write for it: Python literals, cut-off objects.

Strict JSON is read by the standard library. Anything else is read by a scanner that forgives
single quotes, bare words, quotation marks inside a string and an end that is missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

# A value: a text, a number, a truth value, nothing, or a list or an object of them.
Value = object

_ANSWER_FIELD = re.compile(
    r"(?:(?:final|correct|predicted|best|chosen|my|next|the|most_likely)_)*"
    r"(?:answer|label|class|category|intent|prediction|choice|option|selected|selection|event"
    r"|output|response|result|results|verdict|value|conclusion|culprit|killer|current|latest|updated)"
    r"(?:_(?:letter|text|id|option|label|choice|number|index|event|value|key|name|class))?"
)
_PREFERRED = re.compile(r"(?:final|correct)_|answer(?!_text)")
_FIELD_PARTS = re.compile(r"(?<=[a-z])(?=[A-Z])|[\s\-]+")
_MOST_VALUES = 2000
_DEEPEST = 12
# The end of a string is a quotation mark before what may follow a value or name, or the end.
_STRING_ENDS = {quote: re.compile(rf"(?<!\\){quote}(?=\s*(?:[,}}\]:]|\Z))") for quote in ("'", '"')}
_TOKEN = re.compile(r"[{}\[\]\"']|[^\s,:{}\[\]\"'][^,:{}\[\]\n]*")
_OPENING = re.compile(
    r"""\{\s*(?:["']?[^\W\d_][\w \-]{0,40}["']?\s*:|["']\d)|\[\s*(?:["'{]|\d+\s*[,\]])"""
)
_ESCAPE = re.compile(r"\\(?:[\"nt\\/]|u[0-9a-fA-F]{4})")
_MOST_OPENINGS = 50
_WORD = re.compile(r"[^\W_]")


def structured_values(text: str) -> list[Value]:
    """Return the objects and lists that stand in ``text``, in order, as far as they are read.

    A list counts only where it is all that is said: brackets stand in other texts too. Of many
    places where a value may open, the first and the last are looked at.
    """
    values: list[Value] = []
    end = 0
    openings = [match.start() for match in _OPENING.finditer(text)]
    for opening in openings[:_MOST_OPENINGS] + openings[_MOST_OPENINGS:][-_MOST_OPENINGS:]:
        if opening < end:
            continue
        try:
            value, end = json.JSONDecoder().raw_decode(text, opening)
        except (ValueError, RecursionError):
            value, end = _scanned(text, opening)
        before = text[:opening].rstrip("`*#\n ")
        leads_in = not before or before.endswith(":") or "```" in text[:opening]
        if isinstance(value, dict) or (not values and leads_in and not _WORD.search(text, end)):
            values.append(value)
    return values


def answer_field(value: Value) -> str | None:
    """Return the answer that an object or list holds, as text; None when it holds none.

    A field named for something else (a reasoning) counts if it is the only one, as does an item.
    """
    held_by = value.items() if isinstance(value, dict) else ()
    fields = {_FIELD_PARTS.sub("_", str(name).strip()).casefold(): held for name, held in held_by}
    named = sorted(filter(_ANSWER_FIELD.fullmatch, fields), key=lambda n: not _PREFERRED.match(n))
    if named:
        return _text(fields[named[0]])
    only = list(fields.values()) or (value if isinstance(value, list) else [])
    return _text(only[0]) if len(only) == 1 else None


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


def _scanned(text: str, start: int) -> tuple[Value, int]:
    """Return what was meant for the JSON value that opens at ``start``, and where it ends."""
    open_values: list[tuple[str, list[Value]]] = []
    value: Value = None
    for _ in range(_MOST_VALUES):
        token = _TOKEN.search(text, start)
        if token is None:
            break
        start = token.end()
        if token[0] in ("{", "["):
            open_values.append((token[0], []))
            if len(open_values) <= _DEEPEST:
                continue
        if token[0] in ("{", "[", "}", "]"):
            value = _built(*open_values.pop())
        elif end_of := _STRING_ENDS.get(token[0]):
            end = end_of.search(text, start)
            stop = end.start() if end else len(text)
            value = _ESCAPE.sub(lambda e: str(json.loads(f'"{e[0]}"')), text[start:stop])
            start = stop + 1
        else:
            word = token[0].strip()
            value = None if word.casefold() in ("null", "none") else word
        if not open_values:
            return value, start
        open_values[-1][1].append(value)
    while open_values:
        value = _built(*open_values.pop())
        for _, items in open_values[-1:]:
            items.append(value)
    return value, len(text)


def _built(opener: str, items: list[Value]) -> Value:
    """Return a list, or an object of names and values in turn; of one name the first counts."""
    if opener == "[" or len(items) == 1:  # ``{{43}}`` is 43.
        return items[0] if opener == "{" else items
    fields: dict[str, Value] = {}
    for name, held in zip(items[::2], items[1::2], strict=False):
        fields.setdefault(str(name), held)
    return fields
