"""The JSON Schemas of what mabench writes and prints, generated from the types of these records."""

from __future__ import annotations

from functools import cache
from inspect import cleandoc, get_annotations, getsource
from pathlib import Path

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from mabench.comparison import Plan
from mabench.json_text import Json, JsonRecord, omitted_fields, to_json
from mabench.results import (
    CallRecord,
    DamagedLine,
    Judgment,
    Mark,
    MemoryRecord,
    RaceFile,
    RaceResult,
    RunRecord,
    RunSummary,
    Sample,
    StageRecord,
    Timing,
)
from mabench.stressing import StressReport

# What each file holds: a JSON object, or one on each line of a JSONL file. The last three are what
# `mabench race`, `plan` and `stress` print with `--format json`.
_CONTENT: dict[str, type[JsonRecord]] = {
    "run.json": RunRecord,
    "samples.jsonl": Sample,
    "timings.jsonl": Timing,
    "memories.jsonl": MemoryRecord,
    "calls.jsonl": CallRecord,
    "stages.jsonl": StageRecord,
    "judgments.jsonl": Judgment,
    "marks.jsonl": Mark,
    "summary.json": RunSummary,
    "damaged.jsonl": DamagedLine,
    "race.json": RaceFile,
    "race-result.json": RaceResult,
    "plan.json": Plan,
    "stress.json": StressReport,
}


@cache
def schemas() -> dict[str, dict[str, Json]]:
    """Return the schema of the object in each file, or on each of its lines, by file name."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {
        name: {
            **dialect,
            **TypeAdapter(kind).json_schema(mode="serialization", schema_generator=_Closed),
            "title": name,
        }
        for name, kind in _CONTENT.items()
    }


class _Closed(GenerateJsonSchema):
    """Schemas of dataclasses that take no other fields and have the docstrings' descriptions."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        kind = schema["cls"]
        properties = super().dataclass_schema(schema)["properties"]
        about = cleandoc(kind.__doc__ or "").partition("\n\n")[0]
        described = field_comments(kind)
        for name, entry in properties.items():
            entry.pop("default", None)
            entry.pop("title", None)
            if name in omitted_fields(kind):
                properties[name] = entry = _not_null(entry)  # It is left out instead.
            if name in described:
                entry["description"] = described[name].replace("None", "null")
        return {
            "type": "object",
            "description": " ".join(about.split()),
            "properties": properties,
            "required": [name for name in properties if name not in omitted_fields(kind)],
            "additionalProperties": False,
        }

    def normalize_name(self, name: str) -> str:
        return super().normalize_name(name).lstrip("_")  # Records that only others hold.

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
    if "anyOf" in entry:
        (other,) = [part for part in entry["anyOf"] if part != {"type": "null"}]
        return dict(other)
    kinds = entry.get("type")
    return {**entry, "type": kinds[0]} if isinstance(kinds, list) else entry


def field_comments(kind: type) -> dict[str, str]:
    """Return what the comments in a class of records say of its fields.

    A comment stands behind its field, or above one field or more: down to the next comment.
    """
    described: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        fields = get_annotations(base)
        above: list[str] = []
        is_open = False  # Another line of comment belongs to those above.
        for line in getsource(base).splitlines() if fields else ():
            if line.startswith(("    def ", "    @")):
                break
            code, _, comment = (part.strip() for part in line.partition("# "))
            if not code:
                above = [*above, comment] if is_open and comment else [comment]
            elif (name := code.partition(":")[0]) in fields:
                above = [] if comment else above
                if said := comment or " ".join(above):
                    described[name] = said
            is_open = not code and bool(comment)
    return described


def write_schemas(folder: str | Path) -> None:
    """Write each schema into a folder: that of ``run.json`` as ``run.schema.json``, and so on."""
    for name, schema in schemas().items():
        text = f"{to_json(schema, indent=2)}\n"
        (Path(folder) / f"{Path(name).stem}.schema.json").write_text(text, encoding="utf-8")
