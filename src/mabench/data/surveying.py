"""The survey of a data set: one reading of all rows, for their fingerprint and their outline.

Whoever surveys a data set mostly reads its rows next. As many as are small enough together are
kept for that, so that they need not be read twice.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mabench.data.inventory import Source
from mabench.data.schema import Row, RowOutline
from mabench.data.sources.declarations import dump_declarations

# Bytes of histories, in memory, that are kept between the survey and the next reading.
_MOST_KEPT = 256 * 1024**2


class Survey(NamedTuple):
    """What is known of all rows of a data set."""

    fingerprint: str  # The sha256, in hex, of declared sources and of the rows of each split.
    outline: tuple[RowOutline, ...]  # The rows without their content, in order.


def survey_rows(rows: Iterable[Row], sources: Mapping[str, Source]) -> tuple[Survey, list[Row]]:
    """Read rows once; return their survey, and the rows if they are small enough together.

    ``sources`` are those of the data set, and the declared ones are part of the fingerprint.
    """
    outline: list[RowOutline] = []
    splits: dict[str, hashlib._Hash] = {}
    kept: list[Row] = []
    size = 0
    for row in rows:
        size += sys.getsizeof(row.context)
        if size <= _MOST_KEPT:
            kept.append(row)
        else:
            kept.clear()
        outline.append(RowOutline(row.split, row.index, row.source, len(row.questions)))
        splits.setdefault(row.split, hashlib.sha256()).update(row.canonical() + b"\n")
    return Survey(_fingerprint(splits, sources), tuple(outline)), kept


def _fingerprint(splits: Mapping[str, hashlib._Hash], sources: Mapping[str, Source]) -> str:
    """Return a hash of the hashes of splits by name, since formats differ in their order.

    Declared sources are part of it, where there are any.
    """
    lines = [f"{split} {digest.hexdigest()}\n" for split, digest in sorted(splits.items())]
    if declared := dump_declarations(sources):
        lines.append(f"sources {json.dumps(declared, sort_keys=True)}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()
