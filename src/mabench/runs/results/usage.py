"""Adding up what answers took: tokens and dollars."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mabench.runs.records.sample import Sample
from mabench.runs.results.summaries import Usage

_AMOUNTS = ("input_tokens", "output_tokens", "dropped_tokens", "cost")


class UsageTally:
    """What the answers of a row, or of a source, took so far.

    Attributes:
        n: how many questions were asked.
        errors: how many of them failed.
        amounts: tokens and dollars, by the field names of samples; None where no sample says.
    """

    def __init__(self) -> None:
        self.n = self.errors = 0
        self.amounts: dict[str, Any] = dict.fromkeys(_AMOUNTS)

    def add(self, sample: Sample) -> None:
        """Take in a sample."""
        self.n += 1
        self.errors += sample.prediction is None
        for name in _AMOUNTS:
            value = getattr(sample, name)
            if value is not None:
                self.amounts[name] = (self.amounts[name] or 0) + value


def total_usage(parts: Iterable[UsageTally]) -> Usage:
    """Return the totals over several rows or sources."""
    listed = list(parts)
    total: dict[str, Any] = {}
    for name in _AMOUNTS:
        values = [part.amounts[name] for part in listed if part.amounts[name] is not None]
        total[name] = sum(values) if values else None
    return Usage(
        n=sum(part.n for part in listed), errors=sum(part.errors for part in listed), **total
    )
