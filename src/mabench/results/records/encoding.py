"""How the typed records of a run are written as JSON and read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import AfterValidator, TypeAdapter, ValidationError

from mabench.json_text import Json, from_json, to_json

__all__ = ["IfKnown", "Json", "JsonRecord", "Number", "omitted_fields", "parse", "record_of"]

T = TypeVar("T")
_OMITTED = "written only when it is known"
# A field that is left out of the JSON while it is None or False.
IfKnown = Annotated[T, _OMITTED]

_LARGEST = 1e15


def _check_size(value: int | float) -> int | float:
    if abs(value) > _LARGEST:
        raise ValueError(f"no figure is beyond {_LARGEST:g}")
    return value


# A number as it was written: 1 stays 1, and is not written again as 1.0. What is added up must
# not overflow.
Number = Annotated[int | float, AfterValidator(_check_size)]

# Kept for each kind of records, since making them takes longer than reading a record.
_READERS: dict[type, TypeAdapter[Any]] = {}
_OMITTED_FIELDS: dict[type, frozenset[str]] = {}


@dataclass(frozen=True, slots=True)
class JsonRecord:
    """A frozen dataclass that is kept as JSON, its fields in their order.

    Fields can also be read as items, as in the JSON: ``run.summary["sources"]``.
    """

    def __getitem__(self, name: str) -> Any:
        """Return a field by its name."""
        if name not in self.__dataclass_fields__:
            raise KeyError(name)
        return getattr(self, name)

    def as_dict(self) -> dict[str, Json]:
        """Return the fields by name, as JSON has them."""
        omitted = omitted_fields(type(self))
        values = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return {
            name: _plain(value)
            for name, value in values
            if value or name not in omitted or not (value is None or value is False)
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return the record as JSON, on one line without ``indent``."""
        return to_json(self.as_dict(), indent)


def _plain(value: object) -> Json:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, JsonRecord):
        return value.as_dict()
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    raise TypeError(f"{type(value).__name__} is nothing that JSON can hold")


def omitted_fields(kind: type) -> frozenset[str]:
    """Return the names of the fields of a kind of records that are ``IfKnown``."""
    if kind not in _OMITTED_FIELDS:
        hints = get_type_hints(kind, include_extras=True)
        marks = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
        _OMITTED_FIELDS[kind] = frozenset(name for name in marks if _OMITTED in marks[name])
    return _OMITTED_FIELDS[kind]


def parse(kind: type[T], content: str | bytes) -> T:
    """Read a record of a kind from JSON; unknown fields are ignored.

    Raises:
        ValueError: when it is not one, saying in a few words why.
    """
    try:
        value = from_json(content)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error
    return record_of(kind, value)


def record_of(kind: type[T], value: Json) -> T:
    """Return a record of a kind from a JSON value; raises as ``parse`` does."""
    if kind not in _READERS:
        _READERS[kind] = TypeAdapter(kind)
    try:
        record: T = _READERS[kind].validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "all of it"
        raise ValueError(f"{place}: {first['msg']}") from error
    return record
