"""Which reader a file of rows has, by the ending of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from mabench.data.problems import Problem
from mabench.data.reading.json_lines import read_jsonl
from mabench.data.reading.json_rows import read_json
from mabench.data.reading.parquet import read_parquet
from mabench.data.records import Record

# What yields the rows of a file, whose name ends so, and what keeps some of them from being read; a
# row has the split that is given unless the file names another.
READERS: dict[str, Callable[[Path, str | None], Iterator[Record | Problem]]] = {
    ".parquet": read_parquet,
    ".json": read_json,
    ".jsonl": read_jsonl,
}
