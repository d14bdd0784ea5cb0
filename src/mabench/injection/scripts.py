"""The script of a row: the pieces that an agent gets, in order, and when questions are asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from mabench.data.turns import Message


@dataclass(frozen=True, slots=True)
class Piece:
    """What an agent gets with one call."""

    text: str
    fields: Mapping[str, object] = field(default_factory=dict)  # Passed besides the text, by name.
    turns: tuple[str, ...] = ()  # The ids of its turns; empty if a turn was cut.


class Script(NamedTuple):
    """What an agent gets of a row, and when it is asked."""

    pieces: list[Piece]  # In order.
    points: list[int]  # For each question, the number of pieces before it.
    by_turn: bool = False  # Whether pieces are turns or sessions of a conversation.


def cut_messages(
    messages: Iterable[Message], native: Collection[str], unit: str
) -> Iterator[Piece]:
    """Yield a piece for each message, or for all messages of a session and user together.

    Fields that the agent takes (``native``) are passed as fields, all others as text. Blank
    messages are left out.
    """

    def session_and_user(message: Message) -> object:
        return message.fields.get("session"), message.fields.get("user")

    # No two messages have the same ``id``, so that each is a group of its own.
    key: Callable[[Message], object] = session_and_user if unit == "session" else id
    for _, group in groupby(messages, key):
        part = list(group)
        spoken = [message for message in part if message.text.strip()]
        if spoken:
            fields = _common_fields(spoken, native)
            turns = tuple(message.id for message in part if message.id is not None)
            yield Piece(_join_messages(spoken, fields), fields, turns)


def _common_fields(messages: Sequence[Message], native: Collection[str]) -> dict[str, object]:
    """Return the fields that can be passed for messages together.

    They must be equal in all messages, except the time, which is that of the first message.
    """
    fields: dict[str, object] = {}
    for name, value in messages[0].fields.items():
        is_common = all(message.fields.get(name) == value for message in messages)
        if name in native and (name == "time" or is_common):
            fields[name] = value
    return fields


def _join_messages(messages: Iterable[Message], passed_fields: Mapping[str, object]) -> str:
    """Return messages as one text, in which fields that are passed or unchanged are left out."""
    before: Mapping[str, object] = {}
    texts = []
    for message in messages:
        own = message.fields
        passed = {name for name, value in passed_fields.items() if own.get(name) == value}
        unchanged = {name for name in ("time", "user") if own.get(name) == before.get(name)}
        texts.append(message.as_told(passed | unchanged))
        before = own
    return "\n".join(texts)
