"""The schemas of the files of a run folder, as they are documented."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import mabench
from mabench_site.schemas import schemas, write_schemas
from tests.rows import dataset
from tests.run_folders import check_run_folder

_DOCUMENTED = Path(__file__).parents[2] / "docs" / "reference" / "schemas"


def test_the_documented_schemas_are_those_of_the_types(tmp_path: Path) -> None:
    write_schemas(tmp_path)
    files = sorted(file.name for file in tmp_path.iterdir())
    assert files == sorted(file.name for file in _DOCUMENTED.iterdir())
    for name in files:
        assert (_DOCUMENTED / name).read_text("utf-8") == (tmp_path / name).read_text("utf-8"), (
            f"docs/reference/schemas/{name} is out of date; run `make schemas`"
        )


@pytest.mark.parametrize("name", [*schemas()])
def test_schemas_are_closed_and_describe_every_field(name: str) -> None:
    schema: Any = schemas()[name]
    Draft202012Validator.check_schema(schema)
    parts = [part for part in (schema, *schema.get("$defs", {}).values()) if "properties" in part]
    for part in parts:
        assert part["additionalProperties"] is False
        assert {*part["required"]} <= {*part["properties"]}
        for field, entry in part["properties"].items():
            assert entry.get("description"), f"{name}: {field} has no description"


@pytest.mark.corrupts_runs
def test_what_follows_no_schema_is_found(tmp_path: Path) -> None:
    run = mabench.run("bm25", dataset(), out=tmp_path / "run")
    check_run_folder(run.folder)
    changes: list[tuple[str, dict[str, object]]] = [
        ("samples.jsonl", {"surprise": 1}),
        ("samples.jsonl", {"hit_rank": "first"}),
        ("samples.jsonl", {"retrieved": [{"chunk": None}]}),
        ("memories.jsonl", {"memories": None}),
        ("timings.jsonl", {"seconds": None}),
        ("run.json", {"questions": {"ruler_qa1_197K": None}}),
        ("summary.json", {"overall": "none"}),
    ]
    for name, change in changes:
        file = run.folder / name
        text = file.read_text("utf-8")
        first, *rest = text.splitlines(keepends=True) if file.suffix == ".jsonl" else [text]
        file.write_text("\n".join([json.dumps({**json.loads(first), **change}), *rest]), "utf-8")
        with pytest.raises(AssertionError, match=name):
            check_run_folder(run.folder)
        file.write_text(text, "utf-8")
