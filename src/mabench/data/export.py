"""A data set written out: in the hub's layout, or as questions, one on each line."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.data.dataset import Dataset
from mabench.data.inventory import SOURCES_FILE
from mabench.data.readers.parquet import hub_schema, import_parquet
from mabench.data.records import FIELDS
from mabench.data.sources_file import sources_text
from mabench.errors import DataError, UsageError, reason
from mabench.json_text import to_json, without_surrogates
from mabench.progress import NoProgress, Progress

if TYPE_CHECKING:
    import pyarrow.parquet

# What the `datasets` library reads the splits by.
_CARD = """\
---
configs:
- config_name: default
  data_files:
SPLITS
---
# {name}

Rows in the layout and schema of MemoryAgentBench (arXiv 2507.05257), written by mabench.

`load_dataset` of the `datasets` library reads this folder as the splits above. In each row,
`questions` and `answers` align by position, and `answers[i]` holds the acceptable answers.
"""


def export_hub_layout(dataset: Dataset, out: str | Path, progress: Progress | None = None) -> None:
    """Write the rows as ``out/data/<Split>-00000-of-00001.parquet``, one file for each split.

    The schema is the hub's, with turns and evidence where rows name them. The entities, when there
    are any, go to ``out/entity2id.json``, the sources that the data set declares to
    ``out/sources.toml``, what is known of how synthetic rows were made to ``out/manifest.json``,
    and a card that the ``datasets`` library reads the splits by to ``out/README.md``. Rows are
    written as they are read, one row group each, beside ``out``, which is there only once it is
    whole.

    Args:
        dataset: what to write.
        out: a new or an empty folder.
        progress: told of each row that is written.

    Raises:
        UsageError: when ``out`` is not an empty or a new folder.
        DataError: when a row cannot be read or a file cannot be written.
    """
    folder = Path(out)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{out} is not an empty folder; choose a new one")
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        (part / "data").mkdir(parents=True)
        try:
            splits = _write_rows(dataset, part / "data", progress or NoProgress())
            _write_text(part / "README.md", _card(without_surrogates(dataset.name), splits))
            if dataset.entities is not None:
                _write_text(part / "entity2id.json", to_json(dict(dataset.entities)))
            if declared := sources_text(dataset.sources):
                _write_text(part / SOURCES_FILE, declared)
            if dataset.manifest is not None:
                _write_text(part / "manifest.json", to_json(dataset.manifest, indent=2) + "\n")
            part.replace(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise DataError(f"cannot write to {out}: {reason(error)}") from error


def export_questions(dataset: Dataset, out_file: str | Path) -> None:
    """Write every question as a JSON object on a line of its own, null fields left out.

    Raises:
        UsageError: when ``out_file`` exists.
        DataError: when a row cannot be read or the file cannot be written.
    """
    try:
        with Path(out_file).open("x", encoding="utf-8") as stream:
            for question in dataset.questions():
                fields = {k: v for k, v in question._asdict().items() if v is not None}
                stream.write(to_json(fields) + "\n")
    except FileExistsError as error:
        raise UsageError(f"{out_file} exists already; choose another name") from error
    except OSError as error:
        raise DataError(f"cannot write to {out_file}: {reason(error)}") from error


def _card(name: str, splits: Sequence[str]) -> str:
    files = (
        f"  - split: {split}\n    path: data/{split}-00000-of-00001.parquet" for split in splits
    )
    return _CARD.replace("SPLITS", "\n".join(files)).format(name=name)


def _write_text(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", newline="\n")


def _write_rows(dataset: Dataset, folder: Path, progress: Progress) -> list[str]:
    """Write every row, and return the splits."""
    parquet = import_parquet()
    import pyarrow

    schemas: dict[str, pyarrow.Schema] = {}
    progress.start("rows", len(dataset.manifest["rows"]) if dataset.manifest else None)
    writers: dict[str, pyarrow.parquet.ParquetWriter] = {}
    with ExitStack() as stack:
        for row in dataset.rows():
            if row.split not in writers:
                path = folder / f"{row.split}-00000-of-00001.parquet"
                schemas[row.split] = hub_schema(turns=row.metadata.turns is not None)
                writer = parquet.ParquetWriter(path, schemas[row.split])
                writers[row.split] = stack.enter_context(writer)
            content = row.model_dump(include=set(FIELDS))
            table = pyarrow.Table.from_pylist([content], schemas[row.split])
            writers[row.split].write_table(table)
            progress.advance("rows", row.source)
    return list(writers)
