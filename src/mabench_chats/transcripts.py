"""Plain transcripts: `Name: text`, a line for each turn, with or without a time before the name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from mabench.formats import (
    ChatFormat,
    ChatMessage,
    Glimpse,
    HistoryUnit,
    Item,
    ReadingOptions,
    SkippedMessage,
)
from mabench.text.dates import OpenDate, read_date
from mabench_chats.date_order import find_order, resolve_time
from mabench_chats.fields import UNSPOKEN, read_role
from mabench_chats.files import Part, lines_of, parts_of
from mabench_chats.whatsapp import FORMAT as WHATSAPP

_ENDINGS = (".txt", ".md", ".log", ".text")
# A time may be in brackets; it must have a date.
_LINE = re.compile(
    r"(?:[\[(](?P<bracketed>[^\[\]()\n]{8,40})[\])]\s*[-\u2013]?\s*"
    r"|(?P<time>\d[\w:.,/+ -]{7,39}?)\s+(?:[-\u2013|]\s+)?)?"
    r"\*{0,2}(?P<name>[^\W\d_][^:*\n<>{}()\"/]{0,39}):\*{0,2}(?:\s+(?P<text>.*))?"
)
_LOOK = 1 << 16
_FEWEST = 2  # Turns by which a transcript is known, and lines by which a name is one.


class _Turn(NamedTuple):
    place: str
    time: datetime | OpenDate | None
    name: str
    text: str


def _recognizes(glimpse: Glimpse) -> bool:
    path = glimpse.path
    if path.suffix.lower() not in _ENDINGS or not path.is_file() or WHATSAPP.recognizes(glimpse):
        return False
    lines = parts_of(path)[0].beginning(_LOOK).decode("utf-8", "replace").splitlines()
    written = [line for line in lines[:200] if line.strip()]
    turns = [line for line in written if _LINE.fullmatch(line)]
    # Some lines are turns, the first one among them, and at least a quarter of all.
    has_share = len(turns) * 4 >= len(written)
    return len(turns) >= _FEWEST and written[0] in turns and has_share


def _read(path: Path, options: ReadingOptions) -> Iterator[ChatMessage | SkippedMessage]:
    [part] = parts_of(path)
    names = _names(part, options.encoding)
    order = options.date_order
    for turn in _turns(part, options.encoding, names):
        if isinstance(turn, SkippedMessage):
            yield turn
            continue
        if isinstance(turn.time, OpenDate) and order is None:
            others = _turns(part, options.encoding, names)
            times = (each.time for each in others if isinstance(each, _Turn))
            order = find_order(times, part.place, None)
        role = read_role(turn.name)
        if role in UNSPOKEN:
            yield SkippedMessage(turn.place, UNSPOKEN[role])
        elif not turn.text.strip():
            yield SkippedMessage(turn.place, "empty")
        else:
            yield ChatMessage(
                place=turn.place,
                text=turn.text,
                time=resolve_time(turn.time, order, Item(turn.place, "", None)),
                speaker=None if role else turn.name,
                role=role,
            )


def _names(part: Part, encoding: str | None) -> set[str]:
    """Return who speaks: the names of several lines or, where fewer than two are, all names.

    A line such as `Note: call back` in the middle of a turn is no turn of somebody called Note.
    """
    counts = Counter(
        match["name"]
        for _, line in lines_of(part, encoding)
        if (match := _LINE.fullmatch(line)) is not None
    )
    several = {name for name, count in counts.items() if count >= _FEWEST}
    return several if len(several) >= _FEWEST else {*counts}


def _turns(part: Part, encoding: str | None, names: set[str]) -> Iterator[_Turn | SkippedMessage]:
    """Yield the turns of those with ``names``; a line without a name goes on the turn before it."""
    current: _Turn | None = None
    more: list[str] = []
    for number, line in lines_of(part, encoding):
        place = f"{part.place}, line {number}"
        match = _LINE.fullmatch(line)
        if match is None or match["name"] not in names:
            if current is not None:
                more.append(line)
            elif line.strip():
                yield SkippedMessage(place, "a line before the first turn")
            continue
        if current is not None:
            yield _whole(current, more)
        stamp = match["bracketed"] or match["time"]
        time = read_date(stamp) if stamp else None
        text = match["text"] or ""
        if stamp and time is None:
            text = f"[{stamp}] {text}"  # A clock without a date is no time, and is kept.
        current, more = _Turn(place, time, match["name"].strip(), text), []
    if current is not None:
        yield _whole(current, more)


def _whole(turn: _Turn, more: list[str]) -> _Turn:
    return turn._replace(text="\n".join([turn.text, *more]).strip())


FORMAT = ChatFormat(
    published="a text file with a line `Name: text` for each turn",
    program="people, and programs that transcribe",
    recognizes=_recognizes,
    read=_read,
    history_units=(HistoryUnit.FILE,),
    basis="assumed: there is no one form",
)
