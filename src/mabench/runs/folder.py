"""Which folder a run is kept in: the one that was named, or one of ours."""

from __future__ import annotations

import re
from itertools import chain, count
from pathlib import Path

from mabench.runs.records.settings import Settings
from mabench.runs.records.store import RunFolder

PARENT = Path("runs")


def begin(settings: Settings, out: Path | None) -> RunFolder:
    """Open the folder of a run: a new one, or that of the same run, which is then resumed.

    Raises:
        UsageError: when ``out`` holds another run.
        DataError: when the folder cannot be read or written.
    """
    folder = RunFolder(out or _default(settings))
    if folder.exists():
        settings.refuse_if_other(folder.settings(), folder.path)
    else:
        folder.create(settings.as_record())
    return folder


def _default(settings: Settings) -> Path:
    """Return the first folder that is free, or holds the same run, unfinished."""
    model = str(settings.model["name"]) if settings.model else ""
    parts = (settings.agent, model, str(settings.data["name"]), settings.protocol)
    stem = re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(filter(None, parts))).strip("-.")
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(PARENT / name for name in names if _is_free(RunFolder(PARENT / name), settings))


def _is_free(folder: RunFolder, settings: Settings) -> bool:
    """Whether a run may begin, or be resumed, in a folder of ours."""
    if not folder.exists():
        return True
    record = folder.settings()
    unfinished = sum(1 for _ in folder.samples()) < sum(record["questions"].values())
    return unfinished and settings.equals(record)
