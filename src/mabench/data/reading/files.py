"""Rows of the files at a path, whatever their kind."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from mabench.data.formats import DataFormat
from mabench.data.inventory import SPLITS
from mabench.data.problems import Problem
from mabench.data.reading.paths import find_files, split_of
from mabench.data.reading.published import convert_records, find_format_of_path
from mabench.data.reading.readers import READERS
from mabench.data.records import Record
from mabench.data.sheets import CONVERSATIONS_FILE, join_questions
from mabench.data.sources.toml_file import find_beside
from mabench.errors import reason
from mabench.userfile import fault_of, open_file


def read_files(
    path: Path,
    benchmark: str | None = None,
    *,
    only_split: str | None = None,
    drafts: bool = False,
    described: Sequence[DataFormat] = (),
) -> Iterator[Record | Problem]:
    """Yield the rows at ``path`` one at a time, and what keeps some from being read.

    It must be a file of the ``benchmark`` if one is given. Files that are named after another split
    than ``only_split`` are not opened; rows of others may still be of any split. Formats that the
    user ``described`` come before those of other benchmarks. With ``drafts``, drafted questions are
    read, too. Raises ``DataError`` when there is nothing to read.
    """
    files = find_files(path)
    folder_format = None if files[0].suffix == ".parquet" else find_format_of_path(path)[0]
    if folder_format:
        yield from folder_format.read(path) if folder_format.read else ()
        return
    for file in files:
        split, kind = split_of(file), file.suffix.lower()
        if only_split is not None and split not in (None, only_split):
            continue
        error = partial(Problem, "error", str(file), None, None)
        if split is None and path.is_dir() and file.suffix == ".parquet" and not find_beside(path):
            expected = f"a name that begins with a split: {', '.join(SPLITS)}"
            yield Problem("warning", str(file), None, None, "an unknown split name", expected)
        try:
            status = file.stat()
            if fault := fault_of(status):
                yield error(fault, "a file of rows")
            elif status.st_size == 0:
                yield error("an empty file", "rows in it")
            elif benchmark and kind == ".json" and _holds_object(file):
                listed = DataFormat.named(benchmark).items
                yield error("one object", f"a list of {listed}, as {benchmark} is published")
            else:
                records = convert_records(READERS[kind](file, split), benchmark, described)
                own = file.name == CONVERSATIONS_FILE
                yield from join_questions(records, file, drafts=drafts) if own else records
        except OSError as failure:
            yield error(reason(failure), "a file that can be read")


def _holds_object(file: Path) -> bool:
    with open_file(file) as stream:
        return stream.read(1 << 16).removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"{"
