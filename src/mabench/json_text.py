"""The one form of JSON that mabench writes and reads, and the typed records that are kept in it.

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
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
# Integers of more digits than this are no figures of ours, and overflow what adds them up.
_MOST_DIGITS = 18
_REPLACEMENT = "\ufffd"


class DuplicateKeyError(ValueError):
    """An object has a key twice, and nothing says which value is meant."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} occurs twice")
        self.key = key


def to_json(value: object, indent: int | None = None) -> str:
    """Return a value as JSON that UTF-8 can hold; halves of a character that meet become it.

    A time becomes ISO 8601 text; what is no JSON otherwise raises ``TypeError``.
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, default=_write_time)
    if not has_surrogates(text):
        return text
    whole = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", whole)


def _write_time(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be stored as JSON")


def from_json(content: str | bytes, *, distinct_keys: bool = False) -> Json:
    """Return the value of a JSON text, or of its UTF-8; ``to_json`` undone.

    UTF-8 may hold lone surrogates byte by byte, as other programs write them. Where a key is
    twice, its last value counts unless keys must be ``distinct_keys``. Raises ``DuplicateKeyError``
    when a key occurs twice where they must be distinct, and ``ValueError`` when it is no JSON, is
    nested too deep, or holds a number that is not finite or an integer of more than 18 digits.
    """
    if isinstance(content, bytes):
        content = content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogatepass")
    decoder = _STRICT if distinct_keys else _DECODER
    try:
        value: Json = decoder.decode(content)
    except RecursionError:
        raise ValueError("nested too deeply") from None
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
    if not math.isfinite(value):
        raise ValueError(f"{digits[:20]} is not a JSON number")
    return value


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise DuplicateKeyError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return fields


_decoder = partial(
    json.JSONDecoder, parse_int=_integer, parse_float=_finite, parse_constant=_finite
)
_DECODER, _STRICT = _decoder(), _decoder(object_pairs_hook=_distinct)


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
        # A value of another type than declared is written as it is, or refused by the JSON.
        return _adapter(kind).dump_python(self, warnings=False)


def _with_lists(value: Any) -> Any:
    """Return plain values as they are read again: lists for tuples, and texts for times."""
    if isinstance(value, dict):
        return {name: _with_lists(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_with_lists(part) for part in value]
    return value.isoformat() if isinstance(value, datetime) else value


def omitted_fields(kind: type) -> frozenset[str]:
    """Return the names of the fields of a kind of records that are ``IfKnown`` or ``IfTrue``."""
    omitted = set()
    for name, hint in get_type_hints(kind, include_extras=True).items():
        marks = getattr(hint, "__metadata__", ())
        if _OMITTED_IF_UNKNOWN in marks or _OMITTED_IF_FALSE in marks:
            omitted.add(name)
    return frozenset(omitted)


def parse(kind: type[_T], content: str | bytes) -> _T:
    """Read a record of a kind from JSON; unknown fields are ignored; raises ``ValueError``."""
    try:
        value = from_json(content)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error
    return record_of(kind, value)


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    """Return what reads and writes records of a kind; making it takes longer than reading one."""
    return TypeAdapter(kind)


def record_of(kind: type[_T], value: Json) -> _T:
    """Return a record of a kind from a JSON value; raises as ``parse`` does."""
    declared: Any = kind
    try:
        record: _T = _adapter(declared).validate_python(value)
    except ValueError as error:
        details: Any = error  # A ValidationError of pydantic.
        first = details.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "all of it"
        raise ValueError(f"{place}: {first['msg']}") from error
    return record
