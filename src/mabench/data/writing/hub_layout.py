"""A data set written as a folder in the layout of the hub."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.data.arrow import hub_schema, import_parquet
from mabench.data.dataset import Dataset
from mabench.data.inventory import BY_NAME
from mabench.data.records import ALL_FIELDS
from mabench.data.sources.declarations import SOURCES_FILE
from mabench.data.sources.toml_file import write_sources
from mabench.json_text import to_json, without_surrogates
from mabench.outfile import write_whole
from mabench.progress import NoProgress, Progress

if TYPE_CHECKING:
    import pyarrow.parquet


# What the `datasets` library reads the splits by.
_CARD = Path(__file__).with_name("card.md").read_text(encoding="utf-8")


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
        texts = {"README.md": card, SOURCES_FILE: write_sources(dataset.sources)}
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
                schema = hub_schema(more=made or row.source not in BY_NAME)
                writers[row.split] = stack.enter_context(parquet.ParquetWriter(path, schema))
            writer, fields = writers[row.split], row.model_dump(include=set(ALL_FIELDS))
            writer.write_table(pyarrow.Table.from_pylist([fields], writer.schema))
            progress.advance("rows", row.source)
    return list(writers)
