"""Rows whose context is a list of turns: joined into text, with the place of each turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mabench.data.turns.faults import Fault
from mabench.data.turns.messages import TURN_FIELDS

# What a turn of a context that is a list may say.
_TURN_FIELDS = ("text", "id", *TURN_FIELDS)
_TURN = "an object with a `text`, and as far as known `time`, `speaker`, `role`, `session`, `user`"


def _list_faults(context: list[Any]) -> Iterator[Fault]:
    """Yield what in a list is no turn, and fields that no turn has or that are no texts."""
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


def join_turns(context: list[Any]) -> tuple[dict[str, Any], list[Fault]]:
    """Return ``context`` and ``turns`` of a row whose context is a list of turns, and its faults.

    A turn is a line, led by who speaks; where the session or the time changes, a line says the
    time. Turns without an id are numbered from 1, and are of one session where none is named.
    """
    if faults := [*_list_faults(context)]:
        return {}, faults
    text = ""
    turns: list[dict[str, Any]] = []
    last_heading = None
    first_numbers: dict[str, int] = {}  # The number of the first turn with an id.
    for number, turn in enumerate(context, start=1):
        fields = {name: value for name, value in turn.items() if value is not None}
        said = fields.pop("text")
        session = fields.setdefault("session", "1")
        turn_id = fields.setdefault("id", str(number))
        first_number = first_numbers.setdefault(turn_id, number)
        if first_number != number:
            expected = f"a unique id (context[{first_number - 1}] has the same)"
            faults.append((f"context[{number - 1}].id", turn_id, expected))
        heading = (session, fields.get("time"))
        if heading != last_heading:
            if text:
                text += "\n"
            if "time" in fields:
                text += f"[{fields['time']}]\n"
        last_heading = heading
        speaker = fields.get("speaker") or fields.get("role")
        if speaker:
            text += f"{speaker}: "
        turns.append({**fields, "start": len(text), "end": len(text) + len(said)})
        text += f"{said}\n"
    return {"context": text, "turns": turns}, faults
