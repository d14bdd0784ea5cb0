"""How the typed objects of a run are kept as JSON, read back, and described by a JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from inspect import cleandoc
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import AfterValidator, TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from mabench.json_text import Json, from_json, to_json

__all__ = ["IfKnown", "Json", "JsonRecord", "Number", "parse", "record_of", "schema_of"]

T = TypeVar("T")
_OMITTED = "written only when it is known"
# A field that is left out of the JSON while it is None or False.
IfKnown = Annotated[T, _OMITTED]

_LARGEST = 1e15


def _moderate(value: int | float) -> int | float:
    if abs(value) > _LARGEST:
        raise ValueError(f"no figure is beyond {_LARGEST:g}")
    return value


# A number as it was written: 1 stays 1, and is not written again as 1.0. What is added up must
# not overflow.
Number = Annotated[int | float, AfterValidator(_moderate)]

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
        omitted = _omitted(type(self))
        values = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return {
            name: _plain(value)
            for name, value in values
            if value or name not in omitted or not (value is None or value is False)
        }

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
        return to_json(self.as_dict())


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


def _omitted(kind: type) -> frozenset[str]:
    """Return the names of the fields that are ``IfKnown``."""
    if kind not in _OMITTED_FIELDS:
        hints = get_type_hints(kind, include_extras=True)
        marks = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
        _OMITTED_FIELDS[kind] = frozenset(name for name in marks if _OMITTED in marks[name])
    return _OMITTED_FIELDS[kind]


def parse(kind: type[T], content: str | bytes) -> T:
    """Read a record of a kind from JSON; fields that it does not know are passed over.

    Raises:
        ValueError: when it is none, saying in a few words why.
    """
    try:
        value = from_json(content)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error
    return record_of(kind, value)


def record_of(kind: type[T], value: Json) -> T:
    """Return a record of a kind from what JSON held; raises as ``parse`` does."""
    if kind not in _READERS:
        _READERS[kind] = TypeAdapter(kind)
    try:
        made: T = _READERS[kind].validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "all of it"
        raise ValueError(f"{place}: {first['msg']}") from error
    return made


def schema_of(kind: type) -> dict[str, Json]:
    """Return the JSON Schema of the records of a kind, as this version writes them."""
    schema = TypeAdapter(kind).json_schema(mode="serialization", schema_generator=_Closed)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


class _Closed(GenerateJsonSchema):
    """Schemas of dataclasses that take no other fields and have the docstrings' descriptions."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        kind = schema["cls"]
        properties = super().dataclass_schema(schema)["properties"]
        about, described = _documented(kind)
        for name, entry in properties.items():
            entry.pop("default", None)
            entry.pop("title", None)
            if name in _omitted(kind):
                properties[name] = entry = _not_null(entry)
            if name in described:
                entry["description"] = described[name]
        return {
            "type": "object",
            "description": about,
            "properties": properties,
            "required": [name for name in properties if name not in _omitted(kind)],
            "additionalProperties": False,
        }

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        inner = self.generate_inner(schema["schema"])
        if {*inner} == {"type"}:
            kinds = inner["type"] if isinstance(inner["type"], list) else [inner["type"]]
            return {"type": [*kinds, "null"]}
        return {"anyOf": [inner, {"type": "null"}]}

    def union_schema(self, schema: core_schema.UnionSchema) -> JsonSchemaValue:
        parts = super().union_schema(schema)["anyOf"]
        kinds = [part["type"] for part in parts]
        kinds = [kind for kind in kinds if kind != "integer" or "number" not in kinds]
        return {"type": kinds if len(kinds) > 1 else kinds[0]}


def _not_null(entry: JsonSchemaValue) -> JsonSchemaValue:
    """Return a schema without null, which a field that is omitted never holds."""
    if "anyOf" in entry:
        (other,) = [part for part in entry["anyOf"] if part != {"type": "null"}]
        return dict(other)
    kinds = entry.get("type")
    return {**entry, "type": kinds[0]} if isinstance(kinds, list) else entry


def _documented(kind: type) -> tuple[str, dict[str, str]]:
    """Return the first paragraph of a docstring and what it says of each attribute."""
    about, _, attributes = cleandoc(kind.__doc__ or "").partition("\n\nAttributes:\n")
    entries = re.findall(r"^    (\S[^:]*): (.*(?:\n     .*)*)", attributes, re.MULTILINE)
    described = {
        name: " ".join(text.split()).replace("None", "null")
        for names, text in entries
        for name in names.split(", ")
    }
    for base in kind.__bases__:
        if is_dataclass(base):
            described = {**_documented(base)[1], **described}
    return " ".join(about.partition("\n\n")[0].split()), described
