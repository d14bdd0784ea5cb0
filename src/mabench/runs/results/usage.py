"""Adding up what answers took: tokens and dollars."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mabench.runs.records.sample import Sample

FIELDS = ("input_tokens", "output_tokens", "dropped_tokens", "cost")


class Usage:
    """What the answers of a row, or of a source, took so far; None where no sample says."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.n = self.errors = 0
        self.amounts: dict[str, Any] = dict.fromkeys(FIELDS)

    def add(self, sample: Sample) -> None:
        """Take in a sample."""
        self.n += 1
        self.errors += sample.prediction is None
        for name in FIELDS:
            value = getattr(sample, name)
            if value is not None:
                self.amounts[name] = (self.amounts[name] or 0) + value

    def totals(self) -> dict[str, Any]:
        """Return the totals by name."""
        return {"source": self.source, "n": self.n, "errors": self.errors, **self.amounts}


def total_of(parts: Iterable[Usage]) -> dict[str, Any]:
    """Return the totals over several rows or sources."""
    listed = list(parts)
    total: dict[str, Any] = {
        "n": sum(part.n for part in listed),
        "errors": sum(part.errors for part in listed),
    }
    for name in FIELDS:
        known = [part.amounts[name] for part in listed if part.amounts[name] is not None]
        total[name] = sum(known) if known else None
    return total
