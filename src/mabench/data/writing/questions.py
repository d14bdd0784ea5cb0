"""The questions of a data set, written as JSONL."""

from __future__ import annotations

import os
from pathlib import Path

from mabench.data.dataset import Dataset
from mabench.errors import UsageError
from mabench.json_text import to_json
from mabench.outfile import write_whole


def export_questions(dataset: Dataset, out_file: str | Path) -> None:
    """Write each question as JSON on a line; raises ``UsageError`` or ``DataError``."""
    if os.path.lexists(out_file):
        raise UsageError(f"{out_file} exists already; choose another name")
    with write_whole(out_file) as part, part.open("w", encoding="utf-8") as stream:
        for question in dataset.questions():
            fields = {k: v for k, v in question._asdict().items() if v is not None}
            stream.write(to_json(fields) + "\n")
