"""Yields the records of a phone as turns, a session a day."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache

from mabench.data.descriptions.dates import read_dates
from mabench.data.descriptions.leftovers import LeftOut
from mabench.data.descriptions.parts import JsonPart
from mabench.data.descriptions.said import DescribedTurn


def said(whole: JsonPart, left_out: LeftOut) -> Iterator[DescribedTurn]:
    """Yield the records in order; those of contacts, which have no time, come first."""
    for turn in whole["turns"].items():
        when = turn["time"].value
        time = None if when is None else _moment(when)
        day, text, name = (turn[field].of(str) for field in ("day", "text", "id"))
        yield DescribedTurn(text=text, session=day, id=name, date=when or day, time=time)


@lru_cache(maxsize=100_000)
def _moment(when: str) -> datetime | None:
    """Return a time of a record; most are ISO without a zone, which is taken for UTC."""
    with suppress(ValueError):
        moment = datetime.fromisoformat(when)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    [read] = read_dates([when])
    return read
