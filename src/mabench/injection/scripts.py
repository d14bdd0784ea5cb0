"""What an agent is told of a row, in order, and when each question is asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from mabench.data.turns import Message


@dataclass(frozen=True, slots=True)
class Piece:
    """What an agent is told at once."""

    text: str
    fields: Mapping[str, object] = field(default_factory=dict)  # Passed beside it, by name.
    turns: tuple[str, ...] = ()  # The ids of those it is made of; none of a piece that was cut.


class Script(NamedTuple):
    """What an agent is told of a row, and when it is asked."""

    pieces: list[Piece]  # In order.
    points: list[int]  # For each question of the row, how many are told before it is asked.
    by_turn: bool = False  # Whether it is a conversation that is told by turns or sessions.


def cut_messages(
    messages: Iterable[Message], native: Collection[str], unit: str
) -> Iterator[Piece]:
    """Yield messages one by one, or those of a session and a user together; none is blank."""

    def session(message: Message) -> object:
        return message.fields.get("session"), message.fields.get("user")

    for _, group in groupby(messages, session if unit == "session" else id):
        part = [*group]
        said = [message for message in part if message.text.strip()]
        # All of a session may differ in a field but in its time, which is that of its beginning.
        fields = {
            name: value
            for name, value in (said[0].fields.items() if said else ())
            if name in native
            and (name == "time" or all(one.fields.get(name) == value for one in said))
        }
        before: Mapping[str, object] = {}
        texts = []
        for message in said:
            own = message.fields
            passed = {name for name, value in fields.items() if own.get(name) == value}
            again = {name for name in ("time", "user") if own.get(name) == before.get(name)}
            texts.append(message.as_told(passed | again))
            before = own
        if said:
            turns = tuple(message.id for message in part if message.id is not None)
            yield Piece("\n".join(texts), fields, turns)
