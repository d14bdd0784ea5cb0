"""Histories of sessions and turns, made of messages that are in order of time."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

_UNFIT = re.compile(r"[^\w]+")
_LONGEST_ID = 40


@dataclass(slots=True)
class ImportedHistory:
    """A history that was imported, and how much of it there is."""

    id: str  # Its turns are ``id-1``, ``id-2`` and so on.
    name: str  # What the export calls it.
    turns: int = 0
    sessions: int = 0
    first: str | None = None  # The time of the first turn that has one, in ISO 8601.
    last: str | None = None


def name_histories(names: Iterable[str]) -> list[ImportedHistory]:
    """Return histories with ids of their own: their names, without what ids do not hold."""
    taken: set[str] = set()
    histories = []
    for name in names:
        plain = unicodedata.normalize("NFKC", name).casefold()
        stem = _UNFIT.sub("-", plain).strip("-_")[:_LONGEST_ID] or "history"
        number, own = 1, stem
        while own in taken:
            number += 1
            own = f"{stem}_{number}"
        taken.add(own)
        histories.append(ImportedHistory(own, name))
    return histories


def make_turns(
    messages: Iterable[Mapping[str, Any]], history: ImportedHistory, gap: timedelta
) -> Iterator[dict[str, str]]:
    """Yield the turns of a history, and count them there.

    A session ends after a gap without a message. Messages of a thread or of a conversation
    are one session, whatever lies between them. Files that were sent are named in the text.
    """
    named_sessions: dict[str, str] = {}  # Our names of those that the export names.
    current_session = ""  # Of messages whose session has no name.
    latest = None
    for message in messages:
        time = datetime.fromisoformat(message["time"]) if message["time"] else None
        if message["session"] is not None:
            if message["session"] not in named_sessions:
                history.sessions += 1
                named_sessions[message["session"]] = str(history.sessions)
            session = named_sessions[message["session"]]
        else:
            is_after_gap = bool(time and latest and time - latest > gap)
            if not current_session or is_after_gap:
                history.sessions += 1
                current_session = str(history.sessions)
            session = current_session
            latest = time or latest
        history.turns += 1
        history.first = history.first or message["time"]
        history.last = message["time"] or history.last
        turn = {"id": f"{history.id}-{history.turns}", "session": session}
        for field in ("time", "speaker", "role"):
            if message[field]:
                turn[field] = message[field]
        yield {**turn, "text": _with_attachments(message["text"], message["attachments"])}


def _with_attachments(text: str, names: Iterable[str]) -> str:
    """Return a text with a line for each file that was sent with it; a blank text is left out."""
    lines = [f"[attachment: {name}]" for name in names]
    if text.strip():
        lines.insert(0, text)
    return "\n".join(lines)
