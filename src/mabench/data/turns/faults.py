"""What can be wrong with the turns of a row, and with what names them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from mabench.data.schema import RowContent
from mabench.data.turns.index import TurnIndex, read_zoned
from mabench.printable import shorten

_LONGEST_LIST = 500  # Characters of names in a message.

Fault = tuple[str, Any, str]  # A field, what is there, and what was expected.


def find_faults(content: RowContent) -> Iterator[Fault]:
    """Yield what is wrong with the turns of a row and what names them: field, value, expected."""
    yield from _place_faults(content)
    yield from _date_faults(content)
    users = {turn.user for turn in content.turns or () if turn.user is not None}
    for number, user in enumerate(content.asked_by or ()):
        if user is not None and user not in users:
            listed = shorten(", ".join(sorted(users)), _LONGEST_LIST)
            known = f"one of {listed}" if users else "turns with a `user`"
            yield f"asked_by[{number}]", user, f"{known}, or null"
    yield from _point_faults(content)


def _place_faults(content: RowContent) -> Iterator[Fault]:
    """Yield turns that are not in the order of the context, or of their times."""
    previous_end, size = 0, len(content.context)
    latest_time, latest_place = None, ""
    for number, turn in enumerate(content.turns or ()):
        place = f"turns[{number}]"
        if not previous_end <= turn.start <= turn.end <= size:
            ends = (
                f"from {previous_end}, where the previous turn ends, to the context's {size} "
                "characters"
            )
            expected = f"{ends}: list turns in the order in which they occur there"
            yield f"{place}.start", (turn.start, turn.end), expected
        previous_end = max(previous_end, turn.end)
        if turn.time is None:
            continue
        try:
            time = read_zoned(turn.time)
        except ValueError:
            yield f"{place}.time", turn.time, _NAIVE if _is_time(turn.time) else _ZONED
            continue
        if latest_time is not None and time < latest_time:
            before = f"no time before that of {latest_place}"
            yield f"{place}.time", turn.time, f"{before}: list turns in the order of their times"
        latest_time, latest_place = time, place


def _date_faults(content: RowContent) -> Iterator[Fault]:
    """Yield the dates of questions without a zone, where the row has turns."""
    if not content.turns:
        return
    for number, date in enumerate(content.metadata.get("question_dates") or ()):
        with suppress(ValueError):  # It may be in a form of another data set, which has no zones.
            if datetime.fromisoformat(date).tzinfo is None:
                yield f"metadata.question_dates[{number}]", date, _NAIVE


def _point_faults(content: RowContent) -> Iterator[Fault]:
    """Yield each ``asked_after`` that names no turn and is no time to compare with the turns'."""
    if not content.asked_after:
        return
    index = TurnIndex(content)
    for number, point in enumerate(content.asked_after):
        if point is None:
            continue
        try:
            index.turns_before(point)
        except ValueError:
            yield f"asked_after[{number}]", point, _POINT


def _is_time(text: str) -> bool:
    """Return whether a text is a day or a time, with or without a zone."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


_ZONED = "a time with its zone, such as 2024-05-03T10:00+00:00 or 2024-05-03T10:00Z"
# Of all such times of a source, one line says the zone.
_NAIVE = (
    "a time with its zone, such as 2024-05-03T10:00Z, or once for all times of a source "
    'timezone = "Europe/Berlin" in sources.toml'
)
_POINT = (
    "the id of one of the row's `turns`, or where these have times a day or a time with its zone, "
    "such as 2024-05-03 or 2024-05-03T10:00Z; null for the whole history"
)
