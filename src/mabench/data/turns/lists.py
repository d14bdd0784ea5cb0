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
