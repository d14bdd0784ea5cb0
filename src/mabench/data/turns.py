"""Histories that are conversations: what was said, when, by whom, in which session, for whom.

The messages of a row are its ``turns``, or what stands in a literal of sessions, as contexts of
``longmemeval_s*`` are. What of a message goes into the text that a memory is told is decided here
alone: ``Message.as_told`` leaves out what the memory takes by itself and says the rest once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

from mabench.data.schema import Row, RowContent
from mabench.text import literal
from mabench.text.marks import Span, find_times, read_time, write_time

_FIELDS = ("time", "speaker", "role", "session", "user")
_LITERAL = re.compile(r"\[\s*['\"]Chat Time: ")
_Fault = tuple[str, Any, str]  # A field, what stands there, and what was expected.
# What is left of a heading without the fields that stood in it.
_LEFTOVERS = (
    re.compile(r"[,;][ \t]*(?=[\])])|(?<=[\[(])[ \t]*[,;][ \t]*"),
    re.compile(r"\[[ \t]*\]|\([ \t]*\)"),
    re.compile(r"^[ \t]*[,;:][ \t]*|[,;][ \t]*(?=:)|(?<=[\])])[ \t]+:", re.MULTILINE),
    re.compile(r"^[ \t]+", re.MULTILINE),
)


class Message(NamedTuple):
    """One message of a conversation."""

    text: str
    # What is known of it beside the text, by the names of a memory's parameters: a time has a zone,
    # which is UTC where the data has none.
    fields: Mapping[str, Any]
    heading: str  # What the context has before it, such as ``[8 May 2023] Amal:``.
    id: str | None = None  # Of the turn, by which the data names it; no memory is told.

    def as_told(self, left_out: Collection[str]) -> str:
        """Return heading and text of a message without the fields that are ``left_out``.

        A field that is not and does not stand in the heading is put before the text. Names of
        sessions are passed, or told where the heading has them.
        """
        heading, when, names = self.heading, list[str](), list[str]()
        said = [value for name, value in self.fields.items() if name not in left_out]
        for name, value in self.fields.items():
            place = _find(value, heading)
            if place and name in left_out and value not in said:
                heading = heading[: place[0]] + heading[place[1] :]
                for pattern in _LEFTOVERS:
                    heading = pattern.sub("", heading)
            elif not place and name not in {*left_out, "session"}:
                known = when if name in ("time", "user") else names
                known.append(write_time(value) if name == "time" else value)
        first = f"[{', '.join(when)}] " if when else ""
        last = f"{', '.join(names)}: " if names else ""
        return f"{first}{heading.lstrip() if first else heading}{last}{self.text}".strip("\r\n")

    @classmethod
    def of_row(cls, row: Row) -> list[Message] | None:
        """Return the messages of a row in order; None for a history that is no conversation."""
        if not row.turns:
            return _literal_messages(row.context) if row.turns is None else None
        messages, before = list[Message](), 0
        for turn in row.turns:
            values = ((name, getattr(turn, name)) for name in _FIELDS)
            fields = {name: value for name, value in values if value is not None}
            fields |= {"time": _read_zoned(turn.time)} if turn.time else {}
            heading, text = row.context[before : turn.start], row.context[turn.start : turn.end]
            messages.append(cls(text, fields, heading, turn.id))
            before = turn.end
        last = messages[-1]  # What follows it is told with it.
        return [*messages[:-1], last._replace(text=f"{last.text}{row.context[before:].rstrip()}")]


def _literal_messages(context: str) -> list[Message] | None:
    """Return the messages in a list of times and sessions; None for any other text."""
    if not _LITERAL.match(context):
        return None
    messages = list[Message]()
    entries: Any = literal(context.strip(), len(context))
    try:
        for number, (stamp, turns) in enumerate(zip(entries[::2], entries[1::2], strict=True), 1):
            time = read_time(stamp.removeprefix("Chat Time: "))
            common = {"time": time} if time else {}
            for turn in turns:
                role = str(turn["role"])
                fields = {**common, "role": role, "session": f"session_{number}"}
                messages.append(Message(str(turn["content"]), fields, f"{stamp}\n{role}: "))
    except (ValueError, TypeError, AttributeError, LookupError):
        return None
    return messages


def _find(value: str | datetime, heading: str) -> Span | None:
    """Return where a field stands in a heading: a time anywhere, a name in the last line."""
    if isinstance(value, str):
        line = heading.rstrip().rfind("\n") + 1
        found = [*re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", heading[line:])]
        return (line + found[-1].start(), line + found[-1].end()) if found else None
    for start, end, moment, has_clock in sorted(find_times(heading)):
        wall = moment.replace(tzinfo=None), value.replace(tzinfo=None, second=0, microsecond=0)
        same = wall[0] == wall[1] if has_clock else wall[0].date() == wall[1].date()
        if same or moment == value:
            # With the label of a line that says nothing else.
            line = heading.rfind("\n", 0, start) + 1
            label = re.fullmatch(r"[^\n:]{1,30}:[ \t]*", heading[line:start])
            return (line, end + 1) if label and heading[end : end + 1] == "\n" else (start, end)
    return None


class TurnIndex:
    """How many turns of a row each of its questions may know of; the turns are read once."""

    def __init__(self, row: RowContent) -> None:
        self._turns = row.turns or []
        # Of several turns with one id, the last counts.
        self._numbers = {turn.id: number for number, turn in enumerate(self._turns, start=1)}

    @cached_property
    def _latest(self) -> list[datetime]:
        """The latest time up to each turn, of none where the first has no time.

        A turn without a time is of that of the one before, as is one whose time cannot be read,
        which ``find_faults`` names.
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
        end = _read_zoned(f"{asked_after}T23:59:59.999999Z" if is_day else asked_after)
        if not self._latest:
            raise ValueError("turns have no times")
        return bisect_right(self._latest, end)


def _later(latest: datetime, time: datetime | None) -> datetime:
    return latest if time is None else max(latest, time)


def _time_or_none(text: str | None) -> datetime | None:
    with suppress(ValueError):
        return _read_zoned(text) if text else None
    return None


def _read_zoned(text: str) -> datetime:
    """Return a time in ISO 8601 that has a zone; raises ``ValueError`` for any other text."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no zone")
    return moment


def find_faults(content: RowContent) -> Iterator[_Fault]:
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
            time = _read_zoned(turn.time)
        except ValueError:
            yield f"{place}.time", turn.time, _ZONED
            continue
        if latest is not None and time < latest:
            expected = f"no time before that of {first}: list turns in the order of their times"
            yield f"{place}.time", turn.time, expected
        latest, first = time, place
    for number, date in enumerate(content.metadata.get("question_dates") or ()):
        with suppress(ValueError):  # It may be in a form of another data set, which has no zones.
            if content.turns and datetime.fromisoformat(date).tzinfo is None:
                yield f"metadata.question_dates[{number}]", date, _ZONED
    users = {turn.user for turn in content.turns or () if turn.user is not None}
    for number, user in enumerate(content.asked_by or ()):
        if user is not None and user not in users:
            known = f"one of {', '.join(sorted(users))}" if users else "turns with a `user`"
            yield f"asked_by[{number}]", user, f"{known}, or null"
    index = TurnIndex(content)
    for number, after in enumerate(content.asked_after or ()):
        try:
            after is None or index.turns_before(after)
        except ValueError:
            yield f"asked_after[{number}]", after, _POINT


_ZONED = "a time with its zone, such as 2024-05-03T10:00+00:00 or 2024-05-03T10:00Z"
_POINT = (
    "the id of one of the row's `turns`, or where these have times a day or a time with its zone, "
    "such as 2024-05-03 or 2024-05-03T10:00Z; null for the whole history"
)


# What a turn of a context that is a list may say.
_TURN_FIELDS = ("text", "id", *_FIELDS)
_TURN = "an object with a `text`, and as far as known `time`, `speaker`, `role`, `session`, `user`"


def _list_faults(context: list[Any]) -> Iterator[_Fault]:
    if not any(isinstance(turn, Mapping) for turn in context):
        yield "context", context, f"a string, or a list of turns: each {_TURN}"
        return
    for number, turn in enumerate(context):
        if not isinstance(turn, Mapping):
            yield f"context[{number}]", turn, _TURN
            continue
        for name in turn:
            if name not in _TURN_FIELDS:
                yield f"context[{number}].{name}", turn[name], f"no other field than {_TURN}"
            elif not isinstance(turn[name], str) and (name == "text" or turn[name] is not None):
                yield f"context[{number}].{name}", turn[name], "a string"
        if "text" not in turn:
            yield f"context[{number}]", turn, _TURN


def join_turns(context: list[Any]) -> tuple[dict[str, Any], list[_Fault]]:
    """Return ``context`` and ``turns`` of a row whose context is a list of turns, and its faults.

    A turn is a line, led by who speaks; where the session or the time changes, a line says the
    time. Turns without an id are numbered from 1, and are of one session where none is named.
    """
    if faults := [*_list_faults(context)]:
        return {}, faults
    text, turns, last, first = "", [], None, dict[str, int]()
    for number, turn in enumerate(context, start=1):
        fields = {name: value for name, value in turn.items() if value is not None}
        said, session = fields.pop("text"), fields.setdefault("session", "1")
        name = fields.setdefault("id", str(number))
        if first.setdefault(name, number) != number:
            expected = f"a unique id (context[{first[name] - 1}] has the same)"
            faults.append((f"context[{number - 1}].id", name, expected))
        place = (session, fields.get("time"))
        if place != last:
            text += "\n" * bool(text) + (f"[{fields['time']}]\n" if "time" in fields else "")
        last = place
        speaker = fields.get("speaker") or fields.get("role")
        text += f"{speaker}: " if speaker else ""
        turns.append({**fields, "start": len(text), "end": len(text) + len(said)})
        text += f"{said}\n"
    return {"context": text, "turns": turns}, faults
