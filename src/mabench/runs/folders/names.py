"""The names of folders: of a run that was given none, of anything else, and of repeats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from mabench.results import RunRecord
from mabench.specs import DEFAULT_PROTOCOL, DataSpec

_LONGEST_PART = 32
_LONGEST_NAME = 80
_LISTED = 3  # Rows that a name lists; if there are more, it says how many.


def name_run(data: DataSpec, record: RunRecord, repeats: int = 1) -> str:
    """Return a name for the folder of a run: what is run, and what it is narrowed to."""
    parts = [
        record.agent,
        record.model.name if record.model else "",
        record.data.name.removeprefix("synthetic:"),
        "" if record.protocol == DEFAULT_PROTOCOL else record.protocol,
        *_name_selection(data, record),
        "repeated" if repeats > 1 else "",
    ]
    return name_folder(parts)


def name_folder(parts: Iterable[str]) -> str:
    """Return a name for a folder that says some parts; short, and fit for any file system."""
    words = (re.sub(r"[^A-Za-z0-9.]+", "-", part)[:_LONGEST_PART].strip("-.") for part in parts)
    return "-".join(filter(None, words))[:_LONGEST_NAME].strip("-.") or "run"


def name_repeats(place: Path, repeats: int) -> list[Path]:
    """Return the folders of the repeats of a run, or the one of a single run."""
    return [place / f"repeat-{n}" for n in range(1, repeats + 1)] if repeats > 1 else [place]


def _name_selection(data: DataSpec, record: RunRecord) -> Iterator[str]:
    """Yield in words what a run is narrowed to."""
    if data.sources:
        first, *others = sorted(record.questions)
        yield first
        if others:
            yield f"and {len(others)} more"
    if data.rows:
        rows = sorted({*data.rows})
        listed = " ".join(map(str, rows)) if len(rows) <= _LISTED else f"{rows[0]} to {rows[-1]}"
        apart = rows[-1] - rows[0] >= len(rows) > _LISTED
        yield f"{len(rows)} rows" if apart else f"row{'s' * (len(rows) > 1)} {listed}"
    if data.limit_questions:
        yield f"limit {data.limit_questions}"
