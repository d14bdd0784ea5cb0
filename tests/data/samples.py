"""A small valid data set of all eight families, and its files in each format."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mabench.data.arrow import hub_schema
from mabench.data.inventory import SPLITS

AR, TTL, LRU, CR = SPLITS
DROP = object()
Rows = dict[str, list[dict[str, Any]]]

ENTITIES = {f"<http://dbpedia.org/resource/Film_{i}>": 100 + i for i in range(5)}


def make_row(source: str, pairs: list[tuple[str, str]], tag: str = "", **metadata: Any) -> Any:
    """A row of ``source`` with a question and a gold for each pair; ``tag`` goes into its ids."""
    ids = [f"{source}{tag}_no{i}" for i in range(len(pairs))]
    return {
        "context": f"The history of {source}{tag}: água, 雪 and \u2028 so on.\n"
        + " ".join(gold for _, gold in pairs),
        "questions": [question for question, _ in pairs],
        "answers": [[gold] for _, gold in pairs],
        "metadata": {"source": source, "qa_pair_ids": ids, **metadata},
    }


def valid_rows() -> Rows:
    """Two questions in each row, in the hub's order; every field of the schema is used."""
    rows: Rows = json.loads(Path(__file__).with_name("valid_rows.json").read_text("utf-8"))
    return rows


def places(part: object, at: str = "") -> Iterator[str]:
    """Yield the place of each value inside a JSON value, such as ``qa[3].question``."""
    lists = enumerate(part if isinstance(part, list) else ())
    for key, value in part.items() if isinstance(part, dict) else lists:
        place = f"{at}[{key}]" if isinstance(key, int) else f"{at}.{key}".lstrip(".")
        yield place
        yield from places(value, place)


def corrupt(row: Any, place: str, value: object) -> str:
    """Put a value at a place of a row, or ``DROP`` what is there; return where that is named."""
    *steps, last = [int(i) if i else name for i, name in re.findall(r"\[(\d+)\]|(\w+)", place)]
    for step in steps:
        row = row[step]
    if value is DROP:
        del row[last]
        return re.sub(r"\[\d+\]$", "", place)
    row[last] = value
    return place


def _beside_entities(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "entity2id.json").write_text(json.dumps(ENTITIES))
    return folder


def write_hub(folder: Path, rows: Rows, schema: pa.Schema | None = None) -> Path:
    """Write the hub's layout: one Parquet file for each split, and the entities."""
    (_beside_entities(folder) / "data").mkdir()
    for split, own in rows.items():
        table = pa.Table.from_pylist(own, schema=schema or hub_schema())
        pq.write_table(table, folder / "data" / f"{split}-00000-of-00001.parquet")
    return folder


def write_json(folder: Path, rows: Rows) -> Path:
    path = _beside_entities(folder) / "rows.json"
    path.write_text(json.dumps(rows))
    return path


def write_jsonl(folder: Path, rows: Rows) -> Path:
    """Write one row on each line, with blank lines between; no split is named."""
    path = _beside_entities(folder) / "rows.jsonl"
    lines = [json.dumps(row, ensure_ascii=False) for own in rows.values() for row in own]
    path.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    return path
