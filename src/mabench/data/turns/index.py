"""Up to where in a conversation a question may know."""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from itertools import accumulate

from mabench.data.schema import RowContent


class TurnIndex:
    """How many turns of a row each of its questions may know of; the turns are read once."""

    def __init__(self, row: RowContent) -> None:
        self._turns = row.turns or []
        # Of several turns with one id, the last counts.
        self._numbers = {turn.id: number for number, turn in enumerate(self._turns, start=1)}

    @cached_property
    def _latest(self) -> list[datetime]:
        """The latest time up to each turn; empty if the first turn has no time.

        A turn without a time, or with one that cannot be read, has the time of the turn before.
        ``find_faults`` names times that cannot be read.
        """
        times = [_time_or_none(turn.time) for turn in self._turns]
        if not times or times[0] is None:
            return []
        return [*accumulate(times[1:], _later, initial=times[0])]

    def turns_before(self, asked_after: str) -> int:
        """Return how many turns a question may know of that is asked then.

        Raises ``ValueError`` when ``asked_after`` names no turn and is no time, or turns have no
        times.
        """
        if asked_after in self._numbers:
            return self._numbers[asked_after]
        is_day = re.fullmatch(r"\d{4}-\d\d-\d\d", asked_after)  # Up to its last moment in UTC.
        end = read_zoned(f"{asked_after}T23:59:59.999999Z" if is_day else asked_after)
        if not self._latest:
            raise ValueError("turns have no times")
        return bisect_right(self._latest, end)


def _later(latest: datetime, time: datetime | None) -> datetime:
    return latest if time is None else max(latest, time)


def _time_or_none(text: str | None) -> datetime | None:
    with suppress(ValueError):
        return read_zoned(text) if text else None
    return None


def read_zoned(text: str) -> datetime:
    """Return a time in ISO 8601 that has a zone; raises ``ValueError`` for any other text."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no zone")
    return moment
