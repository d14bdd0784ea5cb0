"""Warnings that count the fields of a published object that are not in its row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping

from mabench.data.problems import Problem
from mabench.data.records import Record

# Up to this many fields are named with their counts; of more, only a few are named.
_MOST_NAMED = 8
_FEW_NAMED = 4
# Characters of a name that are shown.
_LONGEST_NAME = 80


class LeftOut:
    """How often each field was left out, by the file that has it."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[Record, Counter[str]]] = {}

    def count(self, record: Record, name: str) -> None:
        """Count a field that is left out."""
        of_record = self._counts.setdefault(record.file, (record, Counter()))
        of_record[1][name] += 1

    def count_all(self, record: Record, fields: Iterable[str], known: Container[str]) -> None:
        """Count those of some fields that are not known."""
        for name in fields:
            if name not in known:
                self.count(record, name)

    def problems(
        self, first: Record, kept: Mapping[str, str], otherwise: str, of_others: str | None
    ) -> Iterator[Problem]:
        """Yield a warning for each reason why fields are left out, file by file.

        ``kept`` says what the row has in place of a field, and ``otherwise`` of all others. If
        ``of_others`` is given, it says it for all fields of other files than that of ``first``.
        """
        for file, (record, counts) in self._counts.items():
            if of_others is None or file == first.file:
                yield from count_left_out(record, counts, kept, otherwise)
            else:
                yield from count_left_out(record, counts, {}, of_others)


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
