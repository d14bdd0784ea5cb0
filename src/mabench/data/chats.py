"""A context written as a list of turns, as an export of a chat has it, put together as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_FIELDS = ("text", "id", "session", "time", "speaker", "role", "user")
_TURN = "an object with a `text`, and as far as known `time`, `speaker`, `role`, `session`, `user`"


def faults_of(context: list[Any]) -> Iterator[tuple[str, Any, str]]:
    """Yield what is wrong with a list of turns: the field, what stands there, what was expected."""
    if not context:
        yield "context", context, "text, or at least one turn"
    for number, turn in enumerate(context):
        if not isinstance(turn, Mapping):
            yield f"context[{number}]", turn, _TURN
            continue
        for name in turn:
            if name not in _FIELDS:
                yield f"context[{number}].{name}", turn[name], f"no other field than {_TURN}"
            elif not isinstance(turn[name], str) and (name == "text" or turn[name] is not None):
                yield f"context[{number}].{name}", turn[name], "a string"
        if "text" not in turn:
            yield f"context[{number}]", turn, _TURN


def join_turns(context: list[dict[str, str | None]]) -> dict[str, Any]:
    """Return the fields ``context`` and ``turns`` of a row whose context is a list of turns.

    A turn is a line, led by who speaks; where the session or the time changes, a line says the
    time. Turns without an id are numbered from 1, and are of one session where none is named.
    """
    text, turns, last = "", [], None
    for number, turn in enumerate(context, start=1):
        fields = {name: value for name, value in turn.items() if value is not None}
        said, session = fields.pop("text"), fields.setdefault("session", "1")
        fields.setdefault("id", str(number))
        place = (session, fields.get("time"))
        if place != last:
            text += "\n" * bool(text) + (f"[{fields['time']}]\n" if "time" in fields else "")
        last = place
        speaker = fields.get("speaker") or fields.get("role")
        text += f"{speaker}: " if speaker else ""
        turns.append({**fields, "start": len(text), "end": len(text) + len(said)})
        text += f"{said}\n"
    return {"context": text, "turns": turns}
