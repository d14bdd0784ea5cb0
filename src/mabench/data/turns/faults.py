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
    end, size, latest, first = 0, len(content.context), None, ""
    for number, turn in enumerate(content.turns or ()):
        place = f"turns[{number}]"
        if not end <= turn.start <= turn.end <= size:
            ends = f"from {end}, where the previous turn ends, to the context's {size} characters"
            expected = f"{ends}: list turns in the order in which they occur there"
            yield f"{place}.start", (turn.start, turn.end), expected
        end = max(end, turn.end)
        if turn.time is None:
            continue
        try:
            time = read_zoned(turn.time)
        except ValueError:
            yield f"{place}.time", turn.time, _NAIVE if _is_time(turn.time) else _ZONED
            continue
        if latest is not None and time < latest:
            expected = f"no time before that of {first}: list turns in the order of their times"
            yield f"{place}.time", turn.time, expected
        latest, first = time, place
    for number, date in enumerate(content.metadata.get("question_dates") or ()):
        with suppress(ValueError):  # It may be in a form of another data set, which has no zones.
            if content.turns and datetime.fromisoformat(date).tzinfo is None:
                yield f"metadata.question_dates[{number}]", date, _NAIVE
    users = {turn.user for turn in content.turns or () if turn.user is not None}
    for number, user in enumerate(content.asked_by or ()):
        if user is not None and user not in users:
            listed = shorten(", ".join(sorted(users)), _LONGEST_LIST)
            known = f"one of {listed}" if users else "turns with a `user`"
            yield f"asked_by[{number}]", user, f"{known}, or null"
    index = TurnIndex(content) if content.asked_after else None
    for number, after in enumerate(content.asked_after or ()):
        try:
            index is None or after is None or index.turns_before(after)
        except ValueError:
            yield f"asked_after[{number}]", after, _POINT


def _is_time(text: str) -> bool:
    """Return whether a text is a day or a time, with or without a zone."""
    with suppress(ValueError):
        return datetime.fromisoformat(text) is not None
    return False


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
