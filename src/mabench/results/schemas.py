"""The JSON Schemas of the files of a run folder, generated from the types that are written."""

from __future__ import annotations

from pathlib import Path

from mabench.json_text import to_json
from mabench.results.records.calls import CallRecord
from mabench.results.records.encoding import Json, JsonRecord, schema_of
from mabench.results.records.files import DamagedLine
from mabench.results.records.judgments import Judgment
from mabench.results.records.measurements import MemoryRecord, Timing
from mabench.results.records.record import RunRecord
from mabench.results.records.sample import Sample
from mabench.results.summaries import RunSummary

# What each file holds: a JSON object, or one on each line of a JSONL file.
CONTENT: dict[str, type[JsonRecord]] = {
    "run.json": RunRecord,
    "samples.jsonl": Sample,
    "timings.jsonl": Timing,
    "memories.jsonl": MemoryRecord,
    "calls.jsonl": CallRecord,
    "judgments.jsonl": Judgment,
    "summary.json": RunSummary,
    "damaged.jsonl": DamagedLine,
}


def schemas() -> dict[str, dict[str, Json]]:
    """Return the schema of the object in each file, or on each of its lines, by file name."""
    return {name: {**schema_of(kind), "title": name} for name, kind in CONTENT.items()}


def write_schemas(folder: Path) -> None:
    """Write each schema into ``folder``: that of ``run.json`` as ``run.schema.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        text = f"{to_json(schema, indent=2)}\n"
        (folder / f"{Path(name).stem}.schema.json").write_text(text, encoding="utf-8")
