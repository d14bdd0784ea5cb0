"""The files behind a path, a folder in the hub's layout or one file: rows and entities."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from mabench.data.formats import convert_records, format_named, format_of_folder, format_of_object
from mabench.data.inventory import SPLITS, Source, split_rank
from mabench.data.readers.jsonfiles import read_json, read_jsonl
from mabench.data.readers.parquet import read_parquet
from mabench.data.records import Problem, Record, describe
from mabench.data.sources_file import find_beside
from mabench.errors import DataError, reason
from mabench.userfile import fault_of, open_file, read_json_file

_Reader = Callable[[Path, str | None], Iterator[Record | Problem]]
_READERS: dict[str, _Reader] = {".parquet": read_parquet, ".json": read_json, ".jsonl": read_jsonl}
_START_BYTES = 1 << 16


class _DataFile(NamedTuple):
    path: Path
    split: str | None  # What its name begins with, up to its end or a "-", where that is one.

    @classmethod
    def named(cls, path: Path) -> _DataFile:
        name = path.stem.partition("-")[0]
        return cls(path, name if name in SPLITS else None)


def find_files(path: Path) -> list[_DataFile]:
    """Return the data files of ``path``, by split in the inventory's order, then by name.

    A folder holds ``data/<Split>-*.parquet``, or is itself the ``data`` folder, or else holds
    ``*.jsonl``; a file ends in ``.parquet``, ``.json`` or ``.jsonl``. The files of a folder of
    another benchmark are those of its format. Raises ``DataError`` when there is nothing to read,
    naming what was looked for.
    """
    if path.is_dir():
        return _find_in_folder(path)
    if not path.exists():
        raise DataError(
            f"no such file or folder: {path}; a data set is a path, 'hub', or one of 'synthetic:', "
            "such as synthetic:small"
        )
    if path.suffix.lower() not in _READERS:
        raise DataError(f"{path}: not a data file; its name ends in none of {', '.join(_READERS)}")
    return [_DataFile.named(path)]


def read_files(path: Path, benchmark: str | None = None) -> Iterator[Record | Problem]:
    """Yield the rows at ``path`` one at a time, and what keeps some from being read.

    It must be a file of the ``benchmark`` if one is given. Raises ``DataError`` when there is
    nothing to read.
    """
    files = find_files(path)
    if path.is_dir() and files[0].path.suffix == ".json" and (match := format_of_folder(path)):
        if match[0].read:
            yield from match[0].read(path)
        return
    for file, split in files:
        if split is None and path.is_dir() and file.suffix == ".parquet" and not find_beside(path):
            expected = f"a name that begins with a split: {', '.join(SPLITS)}"
            yield Problem("warning", str(file), None, None, "an unknown split name", expected)
        try:
            status = file.stat()
            if fault := fault_of(status):
                yield Problem("error", str(file), None, None, fault, "a file of rows")
            elif status.st_size == 0:
                yield Problem("error", str(file), None, None, "an empty file", "rows in it")
            elif benchmark and (problem := _object_fault(file, benchmark)):
                yield problem
            else:
                yield from convert_records(_READERS[file.suffix.lower()](file, split), benchmark)
        except OSError as error:
            expected = "a file that can be read"
            yield Problem("error", str(file), None, None, reason(error), expected)


def _object_fault(file: Path, benchmark: str) -> Problem | None:
    """Return what is wrong with a published JSON file that holds one object and no list."""
    with open_file(file) as stream:
        start = stream.read(_START_BYTES).removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if file.suffix.lower() != ".json" or start != b"{":
        return None
    expected = f"a list of {format_named(benchmark).items}, as {benchmark} is published"
    return Problem("error", str(file), None, None, "one object", expected)


def find_published_sources(path: Path) -> Mapping[str, Source]:
    """Return by name the sources of a published file, known by its first object, or folder."""
    sources: Iterable[Source] = ()
    try:
        if path.is_dir():
            match = format_of_folder(path)
            if match and match[0].sources_in:
                sources = match[0].sources_in(path)
        elif path.suffix.lower() in (".json", ".jsonl"):
            first = next(_READERS[path.suffix.lower()](path, None), None)
            file_format = format_of_object(first.content) if isinstance(first, Record) else None
            sources = file_format.sources if file_format else ()
        return {source.name: source for source in sources}
    except OSError:
        return {}  # Reading the rows says why.


def find_entities(path: Path) -> Path | None:
    """Return the ``entity2id.json`` that accompanies the data at ``path``, or None."""
    file = find_beside(path, "entity2id.json")
    return file if file and file.is_file() else None


def is_made_up(path: Path) -> bool:
    """Return whether the rows at ``path`` stand beside the manifest of made-up rows."""
    file = find_beside(path, "manifest.json")
    try:
        content = read_json_file(file) if file else None
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and "generator" in content


def load_entities(path: str | Path) -> dict[str, int]:
    """Read a JSON object of entity name to entity id; raises ``DataError``."""
    entities, problems = read_entities(Path(path))
    if problems:
        raise DataError(str(problems[0]))
    return entities


def read_entities(path: Path) -> tuple[dict[str, int], list[Problem]]:
    """Read what ``load_entities`` does: the right entries, and a problem for each other."""
    expected = "a JSON object of entity name to id, such as the hub's entity2id.json"
    try:
        entries = read_json_file(path, distinct_keys=True)
    except (OSError, ValueError) as error:
        return {}, [Problem("error", str(path), None, None, reason(error), expected)]
    if not isinstance(entries, dict):
        return {}, [Problem("error", str(path), None, None, describe(entries), expected)]
    ids = {name: value for name, value in entries.items() if type(value) is int and value >= 0}
    return ids, [
        Problem("error", str(path), None, name, describe(value), "an id, an integer")
        for name, value in entries.items()
        if name not in ids
    ]


def _find_in_folder(folder: Path) -> list[_DataFile]:
    if (folder / "run.json").exists():
        raise DataError(
            f"{folder} is a run folder and holds answers, no rows; give the data set that the run "
            "was made on"
        )
    for place in (folder / "data", folder):
        if files := [*map(_DataFile.named, sorted(place.glob("*.parquet")))]:
            return sorted(files, key=lambda file: split_rank(file.split))
    if match := format_of_folder(folder):
        return [_DataFile(file, None) for file in match[1]]
    if files := [*map(_DataFile.named, sorted(folder.glob("*.jsonl")))]:
        return files
    raise DataError(
        f"no data files in {folder}: looked for data/<Split>-*.parquet and *.jsonl in it; give "
        "the folder that holds the folder 'data', or one file with its name"
    )
