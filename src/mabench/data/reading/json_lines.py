"""Rows of JSONL files, read a line at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.data.problems import Problem
from mabench.data.reading.json_rows import duplicate_key
from mabench.data.records import Record
from mabench.errors import reason
from mabench.json_text import DuplicateKeyError, from_json
from mabench.userfile import lines_in, open_file


def read_jsonl(path: Path, split: str | None) -> Iterator[Record | Problem]:
    """Yield the rows of a JSONL file, and what keeps some of them from being read."""
    with open_file(path) as stream:
        lines = ((number, line) for number, line in enumerate(lines_in(stream), 1) if line.strip())
        for row, (number, line) in enumerate(lines):
            try:
                yield Record(str(path), row, split, from_json(line, distinct_keys=True))
            except DuplicateKeyError as error:
                yield duplicate_key(error.key)._replace(file=str(path), row=row)
            except ValueError as error:
                if row == 0 and line.strip() in (b"[", b"{"):
                    expected = "a row on each line, or a file whose name ends in .json"
                    yield Problem("error", str(path), 0, None, "JSON over several lines", expected)
                    return
                expected = "one whole JSON object in UTF-8: write the line again"
                found = f"line {number}: {reason(error)}"
                yield Problem("error", str(path), row, None, found, expected)
