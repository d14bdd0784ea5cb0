"""The HTTP contract in Markdown, from ``docs/reference/openapi.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from mabench_site.markdown import code, sentence, table

_FILE = Path(__file__).parents[2] / "reference" / "openapi.yaml"
_JSON = "application/json"
Schema = Mapping[str, Any]


def contract_in_markdown() -> str:
    """Return every path with what it is sent and what it replies."""
    contract = yaml.safe_load(_FILE.read_text("utf-8"))
    paths = (_path(contract, name, entry["post"]) for name, entry in contract["paths"].items())
    return "\n".join(paths)


def _path(contract: Schema, name: str, call: Schema) -> str:
    parts = [f"### {name}\n", f"{sentence(call['summary'])}\n"]
    if "description" in call:
        parts.append(f"{sentence(call['description'])}\n")
    body = _resolved(contract, call["requestBody"])
    reply = _resolved(contract, call["responses"]["200"])
    rows = [("sent", *row) for row in _fields(contract, _content(body))]
    rows += [("reply", *row) for row in _fields(contract, _content(reply))]
    parts.append(table(("In", "Field", "Type", "What it is"), rows))
    if not _content(reply):
        parts.append("The body of the reply does not matter.\n")
    return "\n".join(parts)


def _fields(contract: Schema, schema: Schema) -> Iterator[tuple[str, str, str]]:
    schema = _resolved(contract, schema)
    required = schema.get("required", ())
    for name, entry in schema.get("properties", {}).items():
        told = [sentence(entry.get("description", ""))]
        if name not in required:
            told.append("Optional.")
        if entry.get("properties"):
            inner = ", ".join(code(part) for part in entry["properties"])
            told.append(f"An object with {inner}.")
        yield code(name), _type(contract, entry), " ".join(told).strip()


def _type(contract: Schema, entry: Schema) -> str:
    if "$ref" in entry:
        return str(entry["$ref"].rpartition("/")[2].lower())
    if "enum" in entry:
        return " or ".join(code(value) for value in entry["enum"])
    kinds = entry["type"] if isinstance(entry["type"], list) else [entry["type"]]
    inner = f" of {_type(contract, entry['items'])}s" if "items" in entry else ""
    return " or ".join(f"list{inner}" if kind == "array" else kind for kind in kinds)


def _resolved(contract: Schema, entry: Schema) -> Schema:
    """Return what a reference stands for."""
    while "$ref" in entry:
        found: Any = contract
        for name in entry["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        entry = found
    return entry


def _content(message: Schema) -> Schema:
    found: Schema = message.get("content", {}).get(_JSON, {}).get("schema", {})
    return found
