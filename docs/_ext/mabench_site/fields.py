"""Records that are written or printed, in Markdown, from the JSON Schemas of their types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from mabench_site.markdown import code, sentence, slug, table
from mabench_site.schemas import schemas

Schema = Mapping[str, Any]


def fields_in_markdown() -> str:
    """Return all files with their fields, each with the objects that stand in it."""
    return "\n".join(_file(name, schema) for name, schema in schemas().items())


def undescribed_fields() -> list[str]:
    """Return the fields of which the types do not say what they mean."""
    return [
        f"{name}: the field {field} has no description"
        for name, schema in schemas().items()
        for part in (schema, *_definitions(schema).values())
        for field, entry in _properties(part).items()
        if not entry.get("description")
    ]


def _file(name: str, schema: Schema) -> str:
    stem = PurePath(name).stem
    link = f"[{stem}.schema.json](schemas/{stem}.schema.json)"
    parts = [
        f"## {name}\n",
        f"{sentence(schema['description'])} Schema: {link}.\n",
        _fields(name, schema),
    ]
    for kind, part in _definitions(schema).items():
        parts += [
            f"### {kind} ({name})\n",
            f"{sentence(part['description'])}\n",
            _fields(name, part),
        ]
    return "\n".join(parts)


def _fields(file: str, schema: Schema) -> str:
    required = schema.get("required", ())
    rows = [
        (
            code(field),
            _type(file, entry),
            sentence(entry.get("description", ""))
            + ("" if field in required else f" {_omission(entry)}"),
        )
        for field, entry in _properties(schema).items()
    ]
    return table(("Field", "Type", "What it is"), rows)


def _omission(entry: Schema) -> str:
    """Return when a field that need not be there is left out."""
    return "Omitted if false." if entry.get("type") == "boolean" else "Omitted if unknown."


def _type(file: str, entry: Schema) -> str:
    """Return the type of a value in words; objects are links to their fields."""
    return " or ".join(dict.fromkeys(_types(file, entry)))


def _types(file: str, entry: Schema) -> Iterator[str]:
    if "$ref" in entry:
        kind = entry["$ref"].rpartition("/")[2]
        yield f"[{kind}](#{slug(f'{kind} ({file})')})"
    elif "anyOf" in entry:
        for part in entry["anyOf"]:
            yield from _types(file, part)
    elif "const" in entry or "enum" in entry:
        yield from (f'"{value}"' for value in entry.get("enum", [entry.get("const")]))
    else:
        kinds = entry.get("type", "any value")
        for kind in kinds if isinstance(kinds, list) else [kinds]:
            if kind == "array":
                inner = entry.get("items", {})
                yield f"list of {_several(_type(file, inner))}" if inner else "list"
            elif kind == "object" and isinstance(entry.get("additionalProperties"), dict):
                yield f"object of {_several(_type(file, entry['additionalProperties']))}"
            else:
                yield kind


def _several(kind: str) -> str:
    """Return a type in the plural; a link, or several types, as they are."""
    return f"{kind}s" if kind in ("integer", "number", "string", "boolean") else kind


def _definitions(schema: Schema) -> Mapping[str, Schema]:
    found: Mapping[str, Schema] = schema.get("$defs", {})
    return {name: part for name, part in found.items() if "properties" in part}


def _properties(schema: Schema) -> Mapping[str, Schema]:
    found: Mapping[str, Schema] = schema.get("properties", {})
    return found
