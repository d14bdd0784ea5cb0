"""What a file of predictions lacks, repeats, or holds beside the data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_SHOWN = 10
_SAID = {
    "unknown": "answer no question of the data set, or more than one",
    "missing": "have no prediction, and are wrong",
    "duplicate": "repeat a question; the first counts",
}


def match_remarks(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield how many predictions are unknown, missing or repeated, and the first of each."""
    for kind, named in summary["predictions"].items():
        if named:
            yield f"{len(named)} {kind}: they {_SAID[kind]}."
            yield from (f"  {name}" for name in named[:_SHOWN])
        if len(named) > _SHOWN:
            yield f"  and {len(named) - _SHOWN} more, which --json lists."
