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
        heading = self.heading
        in_brackets, before_text = list[str](), list[str]()  # What the heading does not have.
        kept_values = [value for name, value in self.fields.items() if name not in left_out]
        for name, value in self.fields.items():
            place = _find(value, heading)
            if place and name in left_out and value not in kept_values:
                heading = _cut_out(place, heading)
            elif not place and name == "time" and name not in left_out:
                in_brackets.append(write_time(value))
            elif not place and name == "user" and name not in left_out:
                in_brackets.append(value)
            elif not place and name != "session" and name not in left_out:
                before_text.append(value)
        if in_brackets:
            heading = f"[{', '.join(in_brackets)}] {heading.lstrip()}"
        if before_text:
            heading += f"{', '.join(before_text)}: "
        return f"{heading}{self.text}".strip("\r\n")

    @classmethod
    def of_row(cls, row: Row) -> list[Message] | None:
        """Return the messages of a row in order; None for a history that is no conversation."""
        if not row.turns:
            return _literal_messages(row.context) if row.turns is None else None
        messages = list[Message]()
        previous_end = 0
        for turn in row.turns:
            values = ((name, getattr(turn, name)) for name in TURN_FIELDS)
            fields = {name: value for name, value in values if value is not None}
            fields |= {"time": read_zoned(turn.time)} if turn.time else {}
            heading, text = (
                row.context[previous_end : turn.start],
                row.context[turn.start : turn.end],
            )
            messages.append(cls(text, fields, heading, turn.id))
            previous_end = turn.end
        last = messages[-1]
        rest = row.context[previous_end:].rstrip()  # It is told with the last message.
        return [*messages[:-1], last._replace(text=f"{last.text}{rest}")]


def _cut_out(place: Span, heading: str) -> str:
    """Return a heading without a field, and without the punctuation that was around it."""
    start, end = place
    heading = heading[:start] + heading[end:]
    for pattern in _LEFTOVERS:
        heading = pattern.sub("", heading)
    return heading


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
    return _find_name(value, heading) if isinstance(value, str) else _find_time(value, heading)


def _find_name(name: str, heading: str) -> Span | None:
    """Return the last place of a name, as whole words, in the last line of a heading."""
    line_start = heading.rstrip().rfind("\n") + 1
    matches = [*re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", heading[line_start:])]
    if not matches:
        return None
    return line_start + matches[-1].start(), line_start + matches[-1].end()


def _find_time(time: datetime, heading: str) -> Span | None:
    """Return where a heading has a time: its minute, its day alone, or the same in another zone.

    A line that has nothing else but a label, such as ``Date: 8 May 2023``, is there as a whole.
    """
    minute = time.replace(tzinfo=None, second=0, microsecond=0)
    for start, end, moment, has_clock in sorted(find_times(heading)):
        shown = moment.replace(tzinfo=None)
        is_same = shown == minute if has_clock else shown.date() == minute.date()
        if is_same or moment == time:
            line_start = heading.rfind("\n", 0, start) + 1
            label = re.fullmatch(r"[^\n:]{1,30}:[ \t]*", heading[line_start:start])
            is_whole_line = label is not None and heading[end : end + 1] == "\n"
            return (line_start, end + 1) if is_whole_line else (start, end)
    return None
