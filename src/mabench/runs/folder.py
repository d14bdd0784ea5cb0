"""Which folder a run is kept in: the one that was named, or one of ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain, count, takewhile
from pathlib import Path

from mabench.errors import UsageError
from mabench.runs.records.record import RunRecord
from mabench.runs.records.store import RunFolder

PARENT = Path("runs")


def begin(
    record: RunRecord,
    out: Path | None,
    retry_errors: bool = False,
    ready: Callable[[], None] = lambda: None,
) -> RunFolder:
    """Open the folder of a run: a new one, or that of the same run, which is then resumed.

    Before anything is written, ``ready`` is called if there are questions to be asked; what it
    raises leaves everything as it is.

    Its path is absolute, so that an agent that changes the working directory loses nothing.

    Raises:
        UsageError: when ``out`` holds another run, naming the first difference, or errors are
            to be retried and no run of ours has any.
        DataError: when the folder cannot be read or written.
    """
    folder = RunFolder((out or _default(record, retry_errors)).absolute())
    if not folder.exists():
        ready()
        folder.create(record.with_versions())
        return folder
    for difference in record.differences(folder.record()):
        raise UsageError(
            f"{folder.path} holds another run: {difference}; give another `out`", parameter="out"
        )
    if retry_errors or _is_unfinished(folder):
        ready()
    return folder


def _default(record: RunRecord, retry_errors: bool) -> Path:
    """Return the first folder that is free, or holds the same run, unfinished.

    Where errors are to be retried, that is the newest folder with the same run and errors.
    """
    model = record.model.name if record.model else ""
    parts = (record.agent, model, record.data.name, record.protocol)
    stem = re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(filter(None, parts))).strip("-.")
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    folders = (RunFolder(PARENT / name) for name in names)
    if not retry_errors:
        return next(folder.path for folder in folders if _is_free(folder, record))
    same = [
        folder
        for folder in takewhile(RunFolder.exists, folders)
        if not record.differences(folder.record())
    ]
    failed = [folder.path for folder in same if any(sample.error for sample in folder.samples())]
    if not failed:
        raise UsageError(
            f"no run under {PARENT} with these settings has errors to retry; name its folder "
            "with `out`",
            parameter="retry_errors",
        )
    return failed[-1]


def _is_free(folder: RunFolder, record: RunRecord) -> bool:
    """Whether a run may begin, or be resumed, in a folder of ours."""
    if not folder.exists():
        return True
    return _is_unfinished(folder) and not record.differences(folder.record())


def _is_unfinished(folder: RunFolder) -> bool:
    return sum(1 for _ in folder.samples()) < sum(folder.record().questions.values())
