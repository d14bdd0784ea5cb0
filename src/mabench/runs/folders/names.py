"""The names of folders: of a run that was given none, of anything else, and of repeats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mabench.results import RunRecord
from mabench.specs import DEFAULT_PROTOCOL, DataSpec

# Characters of a part of a name, and of a whole name.
_LONGEST_PART = 32
_LONGEST_NAME = 80
_MOST_LISTED = 3  # How many rows a name lists; of more, it says the range or how many they are.


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
    name = "-".join(filter(None, words))[:_LONGEST_NAME].strip("-.")
    return name or "run"


def name_repeats(place: Path, repeats: int) -> list[Path]:
    """Return the folders of the repeats of a run; of a single run, ``place`` itself."""
    if repeats <= 1:
        return [place]
    return [place / f"repeat-{number}" for number in range(1, repeats + 1)]


def _name_selection(data: DataSpec, record: RunRecord) -> Iterator[str]:
    """Yield in words what a run is narrowed to."""
    if data.sources:
        first, *others = sorted(record.questions)
        yield first
        if others:
            yield f"and {len(others)} more"
    if data.rows:
        yield _name_rows(sorted({*data.rows}))
    if data.limit_questions:
        yield f"limit {data.limit_questions}"


def _name_rows(rows: Sequence[int]) -> str:
    """Return rows in words, such as ``rows 0 3``, ``rows 0 to 9`` or ``12 rows``.

    ``rows`` are different numbers, in order.
    """
    if len(rows) == 1:
        return f"row {rows[0]}"
    if len(rows) <= _MOST_LISTED:
        return f"rows {' '.join(map(str, rows))}"
    has_gaps = rows[-1] - rows[0] >= len(rows)
    return f"{len(rows)} rows" if has_gaps else f"rows {rows[0]} to {rows[-1]}"
