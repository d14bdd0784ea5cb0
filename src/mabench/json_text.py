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
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from typing import Annotated, Any, TypeVar, get_type_hints

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
    """Return a value as JSON that UTF-8 can hold; halves of a character that meet become it."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    if not has_surrogates(text):
        return text
    whole = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", whole)


def from_json(content: str | bytes, *, distinct_keys: bool = False) -> Json:
    """Return the value of a JSON text, or of its UTF-8; ``to_json`` undone.

    UTF-8 may hold lone surrogates byte by byte, as other programs write them. Where a key stands
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
_OMITTED = "written only when it is known"
# A field that is left out of the JSON while it is None or False.
IfKnown = Annotated[_T, _OMITTED]

# Figures beyond this are none of ours, and overflow what adds them up.
_LARGEST = 1e15


class _SizeCheck:
    """Refuses figures that are too large; it imports pydantic late, which takes long."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core.core_schema import no_info_after_validator_function

        def check(value: float) -> float:
            if abs(value) > _LARGEST:
                raise ValueError(f"no figure is beyond {_LARGEST:g}")
            return value

        return no_info_after_validator_function(check, handler(source))


# A number as it was written: 1 stays 1, and is not written again as 1.0.
Number = Annotated[int | float, _SizeCheck()]


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
        omitted = omitted_fields(type(self))
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {
            name: _plain(value)
            for name, value in values.items()
            if name not in omitted or not (value is None or value is False)
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return the record as JSON, on one line without ``indent``."""
        return to_json(self.as_dict(), indent)


def _plain(value: object) -> Json:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, JsonRecord):
        return value.as_dict()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    raise TypeError(f"{type(value).__name__} cannot be stored as JSON")


_OMITTED_FIELDS: dict[type, frozenset[str]] = {}


def omitted_fields(kind: type) -> frozenset[str]:
    """Return the names of the fields of a kind of records that are ``IfKnown``."""
    if kind not in _OMITTED_FIELDS:
        hints = get_type_hints(kind, include_extras=True).items()
        marked = (name for name, hint in hints if _OMITTED in getattr(hint, "__metadata__", ()))
        _OMITTED_FIELDS[kind] = frozenset(marked)
    return _OMITTED_FIELDS[kind]


def parse(kind: type[_T], content: str | bytes) -> _T:
    """Read a record of a kind from JSON; unknown fields are ignored; raises ``ValueError``."""
    try:
        value = from_json(content)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error
    return record_of(kind, value)


@cache
def _reader(kind: type) -> Any:
    """Return what reads a kind of records; making it takes longer than reading a record."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def record_of(kind: type[_T], value: Json) -> _T:
    """Return a record of a kind from a JSON value; raises as ``parse`` does."""
    declared: Any = kind
    try:
        record: _T = _reader(declared).validate_python(value)
    except ValueError as error:
        details: Any = error  # A ValidationError of pydantic.
        first = details.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "all of it"
        raise ValueError(f"{place}: {first['msg']}") from error
    return record
