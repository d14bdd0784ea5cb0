"""The one form of JSON that mabench writes and reads: valid UTF-8, whatever a text holds.

A lone surrogate (half of an emoji that was cut) is no character, and UTF-8 cannot hold it. JSON
can, as an escape: only such halves are escaped, so that files stay readable to people.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections import Counter
from typing import NoReturn

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
# Integers of more digits than this are no figures of ours, and overflow what adds them up.
_MOST_DIGITS = 18
_REPLACEMENT = "\ufffd"


class DuplicateKeyError(ValueError):
    """An object has a key twice, and nothing says which value is meant."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} stands there twice")
        self.key = key


def to_json(value: object, indent: int | None = None) -> str:
    """Return a value as JSON that UTF-8 can hold.

    Both halves of a character, one after the other, become the character.
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    if not has_surrogates(text):
        return text
    whole = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", whole)


def from_json(content: str | bytes, *, distinct_keys: bool = False) -> Json:
    """Return the value of a JSON text, or of its UTF-8; ``to_json`` undone.

    UTF-8 may hold lone surrogates byte by byte, as other programs write them. Where a key stands
    twice, its last value counts unless keys must be ``distinct_keys``.

    Raises:
        DuplicateKeyError: when a key stands twice where they must be distinct.
        ValueError: when it is no JSON, is nested too deep, or holds a number that is not finite
            or an integer of more than 18 digits.
    """
    if isinstance(content, bytes):
        content = content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogatepass")
    decoder = _STRICT if distinct_keys else _DECODER
    try:
        value: Json = decoder.decode(content)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value


def has_surrogates(text: str) -> bool:
    """Whether a text holds lone surrogates, so that UTF-8 cannot hold it."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def without_surrogates(text: str) -> str:
    """Return a text for readers that take UTF-8 alone: a mark stands for each lone surrogate."""
    return _SURROGATE.sub(_REPLACEMENT, text) if has_surrogates(text) else text


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > _MOST_DIGITS:
        raise ValueError(f"an integer of more than {_MOST_DIGITS} digits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _refuse(digits)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name[:20]} is no number that JSON has")


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise DuplicateKeyError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return fields


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_finite, parse_constant=_refuse)
_STRICT = json.JSONDecoder(
    parse_int=_integer, parse_float=_finite, parse_constant=_refuse, object_pairs_hook=_distinct
)
