"""A data set written out: in the hub's layout, as questions, or from another benchmark's file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mabench.data.dataset import Dataset
from mabench.data.files import import_parquet
from mabench.data.inventory import BY_NAME, SOURCES_FILE, FileFormat
from mabench.data.opening import read_files, resolve_path
from mabench.data.records import ALL_FIELDS, Problem, Record, fields_of, items_of
from mabench.data.schema import Metadata, Row
from mabench.data.sources_file import sources_text
from mabench.errors import DataError, UsageError
from mabench.json_text import to_json, without_surrogates
from mabench.outfile import write_whole
from mabench.progress import NoProgress, Progress

if TYPE_CHECKING:
    import pyarrow.parquet

# What the `datasets` library reads the splits by.
_CARD = Path(__file__).with_name("card.md").read_text(encoding="utf-8")


class _ImportedRow(NamedTuple):
    source: str
    row: int
    questions: int
    turns: int
    problems: Sequence[Problem]


def export_hub_layout(dataset: Dataset, out: str | Path, progress: Progress | None = None) -> None:
    """Write the rows as ``out/data/<Split>-00000-of-00001.parquet``, one file for each split.

    Entities, declared sources and a manifest go beside them, where there are any, and so does a
    card that the ``datasets`` library reads the splits by. Rows are written as they are read, one
    row group each, and are at ``out`` only once all are. Raises ``UsageError`` unless ``out`` is
    new or empty, and ``DataError`` when a row or a file fails.
    """
    with write_whole(out, folder=True) as part:
        (part / "data").mkdir()
        splits = _write_rows(dataset, part / "data", progress or NoProgress())
        named = [f"  - split: {one}\n    path: data/{one}-00000-of-00001.parquet" for one in splits]
        card = _CARD.format(splits="\n".join(named), name=without_surrogates(dataset.name))
        texts = {"README.md": card, SOURCES_FILE: sources_text(dataset.sources)}
        if dataset.entities is not None:
            texts["entity2id.json"] = to_json(dict(dataset.entities))
        if dataset.manifest is not None:
            texts["manifest.json"] = to_json(dataset.manifest, indent=2) + "\n"
        for name, text in texts.items():
            if text:
                (part / name).write_text(text, encoding="utf-8", newline="\n")


def _write_rows(dataset: Dataset, folder: Path, progress: Progress) -> list[str]:
    parquet = import_parquet()
    import pyarrow

    progress.start("rows", len(dataset.manifest["rows"]) if dataset.manifest else None)
    writers: dict[str, pyarrow.parquet.ParquetWriter] = {}
    with ExitStack() as stack:
        for row in dataset.rows():
            if row.split not in writers:
                path = folder / f"{row.split}-00000-of-00001.parquet"
                made = dataset.made_up is not None or dataset.manifest is not None
                schema = _hub_schema(more=made or row.source not in BY_NAME)
                writers[row.split] = stack.enter_context(parquet.ParquetWriter(path, schema))
            writer, fields = writers[row.split], row.model_dump(include=set(ALL_FIELDS))
            writer.write_table(pyarrow.Table.from_pylist([fields], writer.schema))
            progress.advance("rows", row.source)
    return list(writers)


def rows_table(rows: Iterable[Row]) -> pyarrow.Table:
    """Return rows as one table: split, index, and the columns of the public files."""
    import_parquet()
    import pyarrow as pa

    place = {"split": pa.string(), "index": pa.int64()}
    schemas = [pa.schema([*place.items(), *_hub_schema(more=more)]) for more in (False, True)]
    make = pa.Table.from_pylist
    tables = [make([row.model_dump()], schemas[bool(row.added_fields)]) for row in rows]
    return pa.concat_tables(tables or [schemas[0].empty_table()], promote_options="default")


def _hub_schema(*, more: bool = False) -> pyarrow.Schema:
    """Return the schema of the public files, with ``more`` that of rows that may say more."""
    import pyarrow as pa

    text, texts = pa.string(), pa.list_(pa.string())
    turn = pa.struct({"content": text, "has_answer": pa.bool_(), "role": text})
    metadata = dict.fromkeys(sorted(Metadata.__annotations__), texts)
    sessions = pa.list_(pa.list_(pa.list_(turn)))
    metadata |= {"demo": text, "haystack_sessions": sessions, "source": text}
    columns = {"context": text, "questions": texts, "answers": pa.list_(texts)}
    columns["metadata"] = pa.struct(metadata)
    if more:
        place = {"id": text, "session": text, "start": pa.int64(), "end": pa.int64()}
        said = dict.fromkeys(("time", "speaker", "role", "user"), text)
        columns["turns"] = pa.list_(pa.struct({**place, **said}))
        columns |= dict.fromkeys(("evidence", "rubrics"), pa.list_(texts))
        columns |= dict.fromkeys(("asked_after", "asked_by"), texts)
    return pa.schema(columns)


def export_questions(dataset: Dataset, out_file: str | Path) -> None:
    """Write each question as JSON on a line; raises ``UsageError`` or ``DataError``."""
    if os.path.lexists(out_file):
        raise UsageError(f"{out_file} exists already; choose another name")
    with write_whole(out_file) as part, part.open("w", encoding="utf-8") as stream:
        for question in dataset.questions():
            fields = {k: v for k, v in question._asdict().items() if v is not None}
            stream.write(to_json(fields) + "\n")


def import_published(
    benchmark: str, path: str | Path, out: str | Path, progress: Progress | None = None
) -> list[_ImportedRow]:
    """Write the rows of another benchmark's file, as published, as ``export_hub_layout`` does.

    They are the rows that the file itself has when it is opened as a data set.

    Raises:
        UsageError: when there is no such benchmark, or ``out`` is not an empty or a new folder.
        DataError: when nothing of the benchmark is there, at the first place that departs from
            its form, or when a file cannot be written. Nothing is left at ``out`` then.
    """
    file_format = FileFormat.named(benchmark)
    place = resolve_path(path)
    if not place.exists():
        raise DataError(f"no such file or folder: {place}; give {file_format.published}")
    if not (file_format.find(place) if file_format.find else place.is_file()):
        raise DataError(f"{place} is not data of {benchmark}; give {file_format.published}")
    sources = file_format.sources_in(place) if file_format.sources_in else file_format.sources
    imported: list[_ImportedRow] = []

    def records() -> Iterator[Record | Problem]:
        imported.clear()
        problems: list[Problem] = []
        for record in read_files(place, benchmark if file_format.rows else None):
            if isinstance(record, Problem):
                problems.append(record)
            else:
                content = fields_of(record.content)
                metadata = fields_of(content.get("metadata"))
                questions = items_of(content.get("questions"))
                turns, source = items_of(content.get("turns")), str(metadata.get("source"))
                counts = len(imported), len(questions), len(turns)
                imported.append(_ImportedRow(source, *counts, problems))
                problems = []
            yield record
        if not imported:
            yield Problem("error", str(place), None, None, "no rows", "at least one")

    dataset = Dataset(place.stem, records, sources={source.name: source for source in sources})
    export_hub_layout(dataset, out, progress)
    return imported
