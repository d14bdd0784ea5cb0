"""Writes and reads JSON in the one form of mabench, and the typed records that are kept in it.

The text is valid UTF-8, whatever a record holds. A lone surrogate (half of an emoji that was cut)
is no character, and UTF-8 cannot hold it. JSON can, as an escape: only such halves are escaped, so
that files stay readable to people.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import AfterValidator, Field, TypeAdapter

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")  # Together one character.
# Integers of more digits than this are no figures of ours, and overflow what adds them up.
_MOST_DIGITS = 18
_REPLACEMENT = "\ufffd"
_LONGEST_SHOWN = 20  # Characters of a wrong number in a message.


class DuplicateKeyError(ValueError):
    """An object has a key twice, and nothing says which value is meant."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} occurs twice")
        self.key = key


def to_json(value: object, indent: int | None = None) -> str:
    """Return a value as JSON that UTF-8 can hold.

    A time becomes ISO 8601 text. Two surrogates that are a character become it; a lone one is
    escaped.

    Raises:
        TypeError: when the value is no JSON and no time.
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, default=_write_time)
    if not has_surrogates(text):
        return text
    without_pairs = _SURROGATE_PAIR.sub(_join_pair, text)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", without_pairs)


def _join_pair(pair: re.Match[str]) -> str:
    """Return the character of two surrogates."""
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _write_time(value: object) -> str:
    """Return a time as text; it is called for each value that is no JSON."""
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be stored as JSON")


def from_json(content: str | bytes, *, distinct_keys: bool = False) -> Json:
    """Return the value of a JSON text.

    Args:
        content: the text, or its UTF-8, which may hold lone surrogates as other programs write
            them.
        distinct_keys: whether an object that has a key twice is refused; else the last value of
            the key counts.

    Raises:
        DuplicateKeyError: when a key occurs twice that must be distinct.
        ValueError: when it is no JSON, is nested too deep, or holds a number that is not finite or
            an integer of more than 18 digits.
    """
    if isinstance(content, bytes):
        content = content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogatepass")
    decoder = _STRICT_DECODER if distinct_keys else _DECODER
    try:
        value: Json = decoder.decode(content)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def has_surrogates(text: str) -> bool:
    """Return whether a text holds surrogates, so that UTF-8 cannot hold it."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def without_surrogates(text: str) -> str:
    """Return a text that UTF-8 can hold: each surrogate becomes a replacement character."""
    return _SURROGATE.sub(_REPLACEMENT, text) if has_surrogates(text) else text


def _read_integer(digits: str) -> int:
    """Return a whole number of a JSON text; refuse one with too many digits."""
    if len(digits.lstrip("-")) > _MOST_DIGITS:
        raise ValueError(f"an integer of more than {_MOST_DIGITS} digits")
    return int(digits)


def _read_finite(text: str) -> float:
    """Return a number of a JSON text; refuse NaN and what is infinite."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:_LONGEST_SHOWN]} is not a JSON number")
    return value


def _read_distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return an object of a JSON text from its keys and values; refuse one with a key twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        [(most_frequent, _)] = counts.most_common(1)
        raise DuplicateKeyError(most_frequent)
    return fields


_make_decoder = partial(
    json.JSONDecoder,
    parse_int=_read_integer,
    parse_float=_read_finite,
    parse_constant=_read_finite,  # For NaN, Infinity and -Infinity.
)
_DECODER = _make_decoder()
_STRICT_DECODER = _make_decoder(object_pairs_hook=_read_distinct)


_T = TypeVar("_T")


def _is_unknown(value: object) -> bool:
    return value is None


def _is_false(value: bool) -> bool:
    return not value


_OMITTED_IF_UNKNOWN: Any = Field(exclude_if=_is_unknown)
_OMITTED_IF_FALSE: Any = Field(exclude_if=_is_false)
# A field that is left out of the JSON while it is None. What is known to be False is written.
IfKnown = Annotated[_T, _OMITTED_IF_UNKNOWN]
# A field that is left out of the JSON while it is False, and never None.
IfTrue = Annotated[bool, _OMITTED_IF_FALSE]

# Figures beyond this are none of ours, and overflow what adds them up.
_LARGEST = 1e15


def _check_size(value: float) -> float:
    """Return a figure unchanged; refuse one that is too large."""
    if abs(value) > _LARGEST:
        raise ValueError(f"no figure is beyond {_LARGEST:g}")
    return value


# A number as it was written: 1 stays 1, and is not written again as 1.0.
Number = Annotated[int | float, AfterValidator(_check_size)]


@dataclass(frozen=True, slots=True)
class JsonRecord:
    """A frozen dataclass that is kept as JSON, its fields in their order.

    Fields can also be read as items, as in the JSON: ``run.summary["sources"]``. What the
    reference says of a field is the comment behind it, or above it and its neighbours.
    """

    def __getitem__(self, name: str) -> Any:
        """Return a field by its name."""
        if name not in self.__dataclass_fields__:
            raise KeyError(name)
        return getattr(self, name)

    def as_dict(self) -> dict[str, Json]:
        """Return the fields by name, as JSON has them."""
        fields: dict[str, Json] = _with_lists(self._dump())
        return fields

    def to_json(self, indent: int | None = None) -> str:
        """Return the record as JSON, on one line without ``indent``."""
        return to_json(self._dump(), indent)

    def _dump(self) -> Any:
        """Return the fields by name, with tuples where JSON has lists."""
        kind: Any = type(self)
        # Without warnings of values that have another type than declared: they are written as
        # they are, or ``to_json`` refuses them.
        return _adapter(kind).dump_python(self, warnings=False)


def _with_lists(value: Any) -> Any:
    """Return a value as it is when it is read from JSON again.

    Tuples become lists and times become texts, also within lists and dicts.
    """
    if isinstance(value, dict):
        return {name: _with_lists(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_lists(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else value


def omitted_fields(kind: type) -> frozenset[str]:
    """Return the names of the fields of a type of records that are ``IfKnown`` or ``IfTrue``."""
    omitted = set()
    for name, hint in get_type_hints(kind, include_extras=True).items():
        marks = getattr(hint, "__metadata__", ())
        if _OMITTED_IF_UNKNOWN in marks or _OMITTED_IF_FALSE in marks:
            omitted.add(name)
    return frozenset(omitted)


def parse(kind: type[_T], content: str | bytes) -> _T:
    """Return a record of the type ``kind`` from JSON; unknown fields are ignored.

    Raises:
        ValueError: when it is no JSON, or no such record; the message says where.
    """
    try:
        value = from_json(content)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error
    return record_of(kind, value)


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    """Return what reads and writes records of a type.

    It is kept, since making it takes longer than reading a record.
    """
    return TypeAdapter(kind)


def record_of(kind: type[_T], value: Json) -> _T:
    """Return a record of the type ``kind`` from a value that was read from JSON.

    Raises:
        ValueError: when it is no such record; the message says where.
    """
    any_kind: Any = kind  # For the type checker.
    try:
        record: _T = _adapter(any_kind).validate_python(value)
    except ValueError as error:
        validation_error: Any = error  # Of pydantic.
        fault = validation_error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in fault["loc"]) or "all of it"
        raise ValueError(f"{place}: {fault['msg']}") from error
    return record
