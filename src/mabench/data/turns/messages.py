"""Histories that are conversations: what was said, when, by whom, in which session, for whom.

The messages of a row are its ``turns``, or what is in a literal of sessions, as contexts of
``longmemeval_s*`` are. What of a message goes into the text that a memory is told is decided here
alone: ``Message.as_told`` leaves out what the memory takes by itself and says the rest once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from mabench.data.schema import Row
from mabench.data.turns.index import read_zoned
from mabench.text import read_literal
from mabench.text.spans import Span
from mabench.text.times import find_times, read_time, write_time

TURN_FIELDS = ("time", "speaker", "role", "session", "user")
_LITERAL = re.compile(r"\[\s*['\"]Chat Time: ")
# What is left of a heading without the fields that were in it.
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

        A field that is not in the heading is put before the text. Names of
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
            values = ((name, getattr(turn, name)) for name in TURN_FIELDS)
            fields = {name: value for name, value in values if value is not None}
            fields |= {"time": read_zoned(turn.time)} if turn.time else {}
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
    entries: Any = read_literal(context.strip(), len(context))
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
    """Return where a field is in a heading: a time anywhere, a name in the last line."""
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
