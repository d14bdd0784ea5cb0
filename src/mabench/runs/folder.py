"""Which folder a run is kept in: the one that was named, or one of ours."""

from __future__ import annotations

import re
from itertools import chain, count
from pathlib import Path

from mabench.errors import UsageError
from mabench.runs.records.record import RunRecord
from mabench.runs.records.store import RunFolder

PARENT = Path("runs")


def begin(record: RunRecord, out: Path | None) -> RunFolder:
    """Open the folder of a run: a new one, or that of the same run, which is then resumed.

    Raises:
        UsageError: when ``out`` holds another run, naming the first difference.
        DataError: when the folder cannot be read or written.
    """
    folder = RunFolder(out or _default(record))
    if not folder.exists():
        folder.create(record.with_versions())
        return folder
    for difference in record.differences(folder.record()):
        raise UsageError(
            f"{folder.path} holds another run: {difference}; give another `out`", parameter="out"
        )
    return folder


def _default(record: RunRecord) -> Path:
    """Return the first folder that is free, or holds the same run, unfinished."""
    model = record.model.name if record.model else ""
    parts = (record.agent, model, record.data.name, record.protocol)
    stem = re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(filter(None, parts))).strip("-.")
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(PARENT / name for name in names if _is_free(RunFolder(PARENT / name), record))


def _is_free(folder: RunFolder, record: RunRecord) -> bool:
    """Whether a run may begin, or be resumed, in a folder of ours."""
    if not folder.exists():
        return True
    there = folder.record()
    unfinished = sum(1 for _ in folder.samples()) < sum(there.questions.values())
    return unfinished and not record.differences(there)
