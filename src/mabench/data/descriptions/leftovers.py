"""Warnings that count the fields of a published object that are not in its row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mabench.data.problems import Problem
from mabench.data.records import Record

# Up to this many fields are named with their counts; of more, only a few are named.
_MOST_NAMED = 8
_FEW_NAMED = 4
# Characters of a name that are shown.
_LONGEST_NAME = 80


def count_left_out(
    record: Record, counts: Mapping[str, int], kept: Mapping[str, str], otherwise: str
) -> Iterator[Problem]:
    """Yield a warning for each reason why fields of an object are left out of its row.

    ``counts`` says how often each field was left out. ``kept`` says what the row has in its place,
    and ``otherwise`` what it has in place of all fields that ``kept`` does not name.
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
