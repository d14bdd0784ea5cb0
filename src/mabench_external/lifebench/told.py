"""Yields the records of a phone as turns, of which each day is a session (LifeBench).

A ``JsonPart`` is a value of a file with its place: ``part["text"].of(str)`` is the string in its
field ``text``, or a ``FieldError``.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache

from mabench.data.descriptions.dates import read_dates
from mabench.data.descriptions.leftovers import LeftOut
from mabench.data.descriptions.parts import JsonPart
from mabench.data.descriptions.said import DescribedTurn


def said(whole: JsonPart, left_out: LeftOut) -> Iterator[DescribedTurn]:
    """Yield the turns of a person's year in the order that ``reading.join`` gave them.

    Contacts have no time, and have the name of their session as date. Nothing is counted in
    ``left_out``.
    """
    for turn in whole["turns"].items():
        when = turn["time"].value
        day = turn["day"].of(str)
        yield DescribedTurn(
            text=turn["text"].of(str),
            session=day,
            id=turn["id"].of(str),
            date=when or day,
            time=None if when is None else _moment(when),
        )


@lru_cache(maxsize=100_000)
def _moment(when: str) -> datetime | None:
    """Return the time of a record as a moment; None if it cannot be read.

    Most times are ISO without a zone, which are taken to be in UTC.
    """
    try:
        moment = datetime.fromisoformat(when)
    except ValueError:
        [other_form] = read_dates([when])
        return other_form
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
