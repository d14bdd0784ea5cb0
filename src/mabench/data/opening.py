"""Opening a data set: whatever names it, a path, the hub or objects in memory."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from mabench.data.dataset import Dataset
from mabench.data.formats import DataFormat
from mabench.data.inventory import HUB
from mabench.data.reading.files import read_files
from mabench.data.reading.hub import download_hub
from mabench.data.reading.objects import read_objects
from mabench.data.reading.paths import find_files, refuse_path, resolve_path
from mabench.data.reading.published import (
    find_format_of_path,
    find_published_sources,
    is_row,
)
from mabench.data.sheets import CONVERSATIONS_FILE, name_drafts, split_drafts, with_drafts
from mabench.data.sources.described import own_formats
from mabench.data.sources.toml_file import find_beside, read_sources
from mabench.errors import DataError, UsageError
from mabench.formats import FormatKind, refuse_other_kinds
from mabench.userfile import read_json_file


def open_dataset(data: object, *, offline: bool = False) -> Dataset:
    """Open a data set as ``mabench.load`` does, but for those of schemes.

    ``data`` may also be a mapping of split to iterables of dicts, or a data set, which is returned
    as it is. What can be read only once is read into memory. Raises as ``load``.
    """
    if isinstance(data, Dataset):
        return data
    if isinstance(data, str) and data == HUB:
        return _open_path(download_hub(offline), HUB, HUB)
    if isinstance(data, str | Path):
        named, drafts = split_drafts(data)
        path = resolve_path(str(named))
        if drafts and not _holds_conversations(path):
            raise UsageError(
                f"{named} holds no conversations of your own, and so no drafts of questions"
            )
        try:
            described = _read_described_formats(path)
            _check_kind(path, described)  # Complain now rather than at the first row.
        except (OSError, ValueError) as error:
            raise refuse_path(data, error) from error
        location = with_drafts(path) if drafts else str(path)
        return _open_path(path, path.parent.name if path.name == "data" else path.stem, location)
    return Dataset(type(data).__name__, read_objects(data))


def _holds_conversations(path: Path) -> bool:
    return path.name == CONVERSATIONS_FILE or (path / CONVERSATIONS_FILE).is_file()


def _read_described_formats(path: Path) -> list[DataFormat]:
    """Return the formats that the ``sources.toml`` of some data describes."""
    file = find_beside(path)
    declared, problems = read_sources(file) if file else ({}, [])
    return [] if file is None or problems else own_formats(file, declared)


def _check_kind(path: Path, described: Sequence[DataFormat]) -> None:
    """Raise ``DataError`` where there is nothing to read, ``UsageError`` for files of other kinds.

    A file whose first record is neither a row nor of another benchmark may be a result file, or an
    export of chats: the error names the command that reads it.
    """
    try:
        files = find_files(path)
    except DataError:
        if path.exists():
            refuse_other_kinds(path, FormatKind.DATA)
        raise
    is_json = files[0].suffix.lower() in (".json", ".jsonl")
    is_of_known_format = find_format_of_path(path)[0] is not None
    if is_json and not is_of_known_format and not is_row(files[0], described):
        refuse_other_kinds(path if path.is_file() else files[0], FormatKind.DATA)


def _open_path(path: Path, name: str, location: str) -> Dataset:
    """Return the data set at a path, with the sources, entities and manifest beside its files."""
    file, entities = find_beside(path), find_beside(path, "entity2id.json")
    declared, problems = read_sources(file) if file else ({}, [])
    if problems:
        raise DataError("\n".join(map(str, problems)))
    drafts = split_drafts(location)[1]
    described = own_formats(file, declared) if file else ()
    read = partial(read_files, path, described=described, drafts=drafts)
    manifest = None
    if manifest_file := find_beside(path, "manifest.json"):
        with suppress(OSError, ValueError):
            manifest = read_json_file(manifest_file)
    if drafts:
        declared |= {
            name_drafts(name): replace(one, name=name_drafts(name))
            for name, one in declared.items()
        }
    return Dataset(
        name,
        read,
        records_of_split=lambda split: read(only_split=split),
        location=location,
        entity_ids=entities if entities and entities.is_file() else None,
        sources={**find_published_sources(path), **declared},
        sources_file=file,
        made_up=manifest if isinstance(manifest, dict) and "generator" in manifest else None,
    )
