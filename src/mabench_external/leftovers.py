"""Warnings that count what a published object has and its row has not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mabench.data.problems import Problem
from mabench.data.records import Record

# Fields of one reason that are named with their counts; of more, a few names alone.
_MOST_NAMED = 8
_FEW_NAMED = 4
_LONGEST_NAME = 80  # Characters of a name that are shown.


def count_left_out(
    record: Record, counts: Mapping[str, int], kept: Mapping[str, str], otherwise: str
) -> Iterator[Problem]:
    """Yield warnings that count what of an object is no part of its row, one for each reason.

    ``counts`` has how often each field, or other thing, was left out, ``kept`` what a row has in
    its place; ``otherwise`` is what it has in place of all other fields.
    """
    reasons: dict[str, dict[str, int]] = {}
    for name, count in counts.items():
        if count:
            reasons.setdefault(kept.get(name, otherwise), {})[name] = count
    for reason, names in reasons.items():
        shown = [
            name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..." for name in names
        ]
        listed = ", ".join(
            f"{count} {name}" for name, count in zip(shown, names.values(), strict=True)
        )
        if len(names) > _MOST_NAMED:
            first = ", ".join(shown[:_FEW_NAMED])
            listed = f"{sum(names.values())} fields of {len(names)} names ({first}, ...)"
        yield record.warning(None, f"{listed}, left out", reason)
