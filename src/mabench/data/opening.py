"""Opening a data set: a path in the hub's layout, a file of rows, objects, or the hub itself.

The public data set is downloaded once at a pinned revision, checked, and kept in the cache.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from mabench.data.dataset import HUB, Dataset
from mabench.data.files import READERS
from mabench.data.inventory import HUB_ID, REVISION, SPLITS, FileFormat, Source, split_rank
from mabench.data.records import FIELDS, Problem, Record, fields_of
from mabench.data.sources_file import find_beside, read_sources
from mabench.errors import DataError, UsageError, nearest, reason
from mabench.installation import cache_folder
from mabench.userfile import fault_of, open_file, read_json_file


def open_dataset(data: object, *, offline: bool = False) -> Dataset:
    """Open a data set as ``mabench.load`` does, but for those of schemes.

    ``data`` may also be a mapping of split to iterables of dicts, or a data set, which is returned
    as it is. What can be read only once is read into memory. Raises as ``load``.
    """
    if isinstance(data, Dataset):
        return data
    if isinstance(data, str) and data == HUB:
        return _open_path(_download(offline), HUB, HUB)
    if isinstance(data, str | Path):
        path = resolve_path(data)
        try:
            _find_files(path)  # Complain now rather than at the first row.
        except (OSError, ValueError) as error:
            raise _no_path(data, error) from error
        return _open_path(path, path.parent.name if path.name == "data" else path.stem, str(path))
    return Dataset(type(data).__name__, _read_objects(data))


def _open_path(path: Path, name: str, location: str) -> Dataset:
    file, entities = find_beside(path), find_beside(path, "entity2id.json")
    declared, problems = read_sources(file) if file else ({}, [])
    if problems:
        raise DataError("\n".join(map(str, problems)))
    manifest = None
    if manifest_file := find_beside(path, "manifest.json"):
        with suppress(OSError, ValueError):
            manifest = read_json_file(manifest_file)
    return Dataset(
        name,
        partial(read_files, path),
        location=location,
        entity_ids=entities if entities and entities.is_file() else None,
        sources={**_published_sources(path), **declared},
        sources_file=file,
        made_up=manifest if isinstance(manifest, dict) and "generator" in manifest else None,
    )


def resolve_path(data: str | Path) -> Path:
    """Return the absolute path of data; a DataError for what cannot be one, such as a loop."""
    path = Path(data)
    try:
        if str(data).startswith("~"):  # A folder ./~ is no home.
            path = path.expanduser()
        with suppress(FileNotFoundError, NotADirectoryError):
            path.stat()  # It names a loop of links in the system's words.
        return path.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise _no_path(data, error) from error


def _no_path(data: str | Path, error: Exception) -> DataError:
    return DataError(f"{str(data)!r} is no path: {reason(error)}; name a file")


def _read_objects(data: object) -> Callable[[], Iterator[Record]]:
    """Return a function that reads the rows of ``data``, each time from the beginning.

    ``data`` is a mapping of split to rows (a ``DatasetDict`` is one), an iterable of rows (a
    ``Dataset`` or ``IterableDataset``, a list), or one row. Objects are known by their shape:
    the ``datasets`` library is not imported.
    """
    name = type(data).__name__
    if isinstance(data, Mapping) and not any(field in data for field in FIELDS):
        parts = []
        for split, rows in sorted(data.items(), key=lambda part: split_rank(str(part[0]))):
            if isinstance(rows, Mapping):
                raise UsageError(f"the rows of {split} are an object; pass a list of rows")
            parts.append((f"{name}[{split}]", str(split), _repeatable(rows)))
    else:
        rows = _repeatable([data] if isinstance(data, Mapping) else data)
        parts = [(name, str(getattr(data, "split", None)), rows)]
    return lambda: (
        Record(file, row, split if split in SPLITS else None, content)
        for file, split, rows in parts
        for row, content in enumerate(rows)
    )


def _repeatable(rows: object) -> Iterable[object]:
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise UsageError(
            f"cannot read rows from a {type(rows).__name__}; pass a path, `hub`, a datasets "
            "object, an iterable of dicts or a mapping of split to such iterables"
        )
    return list(rows) if isinstance(rows, Iterator) else rows


def _find_files(path: Path) -> list[Path]:
    """Return the data files of ``path``, by split in the inventory's order, then by name.

    A folder holds ``data/<Split>-*.parquet``, or is itself the ``data`` folder, or else holds
    ``*.jsonl``; a file ends in ``.parquet``, ``.json`` or ``.jsonl``. The files of a folder of
    another benchmark are those of its format. Raises ``DataError`` when there is nothing to read,
    naming what was looked for.
    """
    if not path.exists():
        name, colon, rest = path.name.partition(":")
        near = nearest(name, ["synthetic"] if colon else [HUB])
        hint = f": did you mean {near[0]}{colon}{rest}?" if near else ""
        raise DataError(
            f"no such file or folder: {path}{hint or ';'} a data set is a path, {HUB}, or a "
            "made-up set such as synthetic:small"
        )
    if not path.is_dir():
        if path.suffix.lower() in READERS:
            return [path]
        known = ", ".join(READERS)
        raise DataError(f"{path}: not a data file; known endings: {known}")
    if (path / "run.json").exists():
        rather = "give the data set of the run"
        raise DataError(f"{path} is a run folder with answers, not rows; {rather}")
    for place in (path / "data", path):
        if files := sorted(place.glob("*.parquet")):
            return sorted(files, key=lambda file: split_rank(_split_of(file)))
    if files := _format_of_path(path)[1] or sorted(path.glob("*.jsonl")):
        return files
    raise DataError(
        f"no data files in {path}: looked for data/<Split>-*.parquet and *.jsonl in it; give "
        "the folder that holds the folder 'data', or one file with its name"
    )


def _split_of(file: Path) -> str | None:
    """Return what the name of a file begins with, up to its end or a "-", if that is a split."""
    name = file.stem.partition("-")[0]
    return name if name in SPLITS else None


def read_files(path: Path, benchmark: str | None = None) -> Iterator[Record | Problem]:
    """Yield the rows at ``path`` one at a time, and what keeps some from being read.

    It must be a file of the ``benchmark`` if one is given. Raises ``DataError`` when there is
    nothing to read.
    """
    files = _find_files(path)
    folder_format = _format_of_path(path)[0] if files[0].suffix == ".json" else None
    if folder_format:
        yield from folder_format.read(path) if folder_format.read else ()
        return
    for file in files:
        split, kind = _split_of(file), file.suffix.lower()
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
                listed = FileFormat.named(benchmark).items
                yield error("one object", f"a list of {listed}, as {benchmark} is published")
            else:
                yield from _convert(READERS[kind](file, split), benchmark)
        except OSError as failure:
            yield error(reason(failure), "a file that can be read")


def _holds_object(file: Path) -> bool:
    with open_file(file) as stream:
        return stream.read(1 << 16).removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"{"


def _convert(
    records: Iterable[Record | Problem], benchmark: str | None
) -> Iterator[Record | Problem]:
    """Yield records, objects of published files as rows; the first tells an open ``benchmark``."""
    current = expected = FileFormat.named(benchmark) if benchmark else None
    for record in records:
        if isinstance(record, Problem):
            yield record
            continue
        own = _format_of_object(record.content)
        current = current or own
        if current is None or current.rows is None:
            yield record
        elif expected and own and own is not expected:
            found = f"an object of {own.sources[0].name}"
            right = f"one of {expected.sources[0].name}: name the benchmark that the file is of"
            yield record.error(None, found, right)
        else:
            yield from current.rows(record)


def _format_of_object(content: object) -> FileFormat | None:
    fields, formats = fields_of(content).keys(), FileFormat.installed().values()
    return next((each for each in formats if each.fields and each.fields <= fields), None)


def _format_of_path(path: Path) -> tuple[FileFormat | None, list[Path]]:
    for each in FileFormat.installed().values():
        if each.find is not None and (files := each.find(path)):
            return each, files
    return None, []


def _published_sources(path: Path) -> Mapping[str, Source]:
    """Return by name the sources of a published file, known by its first object, or folder."""
    sources: Iterable[Source] = ()
    try:
        file_format = _format_of_path(path)[0]
        if file_format and file_format.sources_in:
            sources = file_format.sources_in(path)
        elif path.is_file() and path.suffix.lower() in (".json", ".jsonl"):
            first = next(READERS[path.suffix.lower()](path, None), None)
            file_format = _format_of_object(first.content) if isinstance(first, Record) else None
            sources = file_format.sources if file_format else ()
        return {source.name: source for source in sources}
    except OSError:
        return {}  # Reading the rows says why.


class _HubFile(NamedTuple):
    path: str
    size: int  # In bytes.
    sha256: str

    def fault(self, folder: Path) -> str | None:
        """Return what is wrong with the copy in a folder, or None when it is as it should be."""
        path = folder / self.path
        try:
            if path.stat().st_size != self.size:
                return f"is {path.stat().st_size} bytes long, not {self.size}"
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError:
            return "is missing"
        return None if digest == self.sha256 else f"has sha256 {digest}, not {self.sha256}"


_, *_LINES = Path(__file__).with_name("hub.csv").read_text(encoding="utf-8").splitlines()
_FILES = [_HubFile(path, int(size), sha256) for path, size, sha256 in csv.reader(_LINES)]
_ELSEWHERE = "or use a local folder path or synthetic:small"
_REPLY_SECONDS = 10.0
_YES = ("1", "ON", "YES", "TRUE")


def _download(offline: bool) -> Path:
    """Return a folder that holds the public data set at ``REVISION``, every file checked.

    Files that are in the cache and right are used as they are, without any network, which is never
    touched when ``offline`` or by ``HF_HUB_OFFLINE``. Raises ``DataError`` when a file is missing
    or wrong and cannot be had.
    """
    folder = cache_folder() / "hub" / REVISION
    wanted = [file for file in _FILES if file.fault(folder)]
    if wanted and (offline or os.environ.get("HF_HUB_OFFLINE", "").upper() in _YES):
        raise DataError(
            f"offline, and {folder / wanted[0].path} {wanted[0].fault(folder)}; "
            f"run once without `offline` and HF_HUB_OFFLINE to fill the cache, {_ELSEWHERE}"
        )
    if wanted:
        _check_network(folder)
    for file in wanted:
        _fetch(folder, file)
    return folder


def _check_network(folder: Path) -> None:
    """Complain within seconds where no network answers; the hub's client would try for minutes."""
    from huggingface_hub import constants, get_session

    failure: str | None = f"no reply in {_REPLY_SECONDS:g} s"

    def ask() -> None:
        nonlocal failure
        try:  # Through the client of the downloads, with its proxies and certificates.
            get_session().head(constants.ENDPOINT, timeout=2 * _REPLY_SECONDS)
            failure = None
        except Exception as error:  # Whatever its HTTP library raises.
            failure = type(error).__name__
            cause: BaseException | None = error
            while cause is not None:
                failure = getattr(cause, "strerror", None) or failure
                cause = cause.__cause__ or cause.__context__

    # In a thread of its own: looking up a name has no time limit.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(_REPLY_SECONDS)
    if failure is not None:
        raise DataError(
            f"no network: {urlsplit(constants.ENDPOINT).hostname} cannot be reached ({failure}); "
            f"download {HUB_ID} where there is one and give its folder as `data`, or copy the "
            f"cache from there ({folder}; MABENCH_CACHE moves it), {_ELSEWHERE}"
        )


def _fetch(folder: Path, file: _HubFile) -> None:
    from huggingface_hub import hf_hub_download

    path = folder / file.path
    try:
        path.unlink(missing_ok=True)
        hf_hub_download(HUB_ID, file.path, repo_type="dataset", revision=REVISION, local_dir=folder)
    except Exception as error:  # Whatever the client and its HTTP library raise.
        # Only the kind of error is told, with its HTTP status or system message: its text may
        # quote the request, and with it the token.
        detail = getattr(getattr(error, "response", None), "status_code", None)
        if isinstance(error, OSError) and isinstance(error.errno, int):
            detail = detail or os.strerror(error.errno)
        kind = type(error).__name__ + (f" ({detail})" if detail else "")
        raise DataError(
            f"cannot download {file.path} of {HUB_ID} into {folder}: {kind}; try again, "
            f"`offline` with a filled cache (MABENCH_CACHE), {_ELSEWHERE}"
        ) from None
    if fault := file.fault(folder):
        path.unlink(missing_ok=True)
        why = f"{file.path} as downloaded {fault}; it was deleted"
        raise DataError(f"{why}: try again, {_ELSEWHERE}")
