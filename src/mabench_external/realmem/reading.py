"""What the description of RealMem cannot say: questions that users ask between sessions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.problems import Problem
from mabench.data.records import Record

_NAMES = "*_dialogues_*.json"


def find_files(path: Path) -> list[Path]:
    """Return the files of all people in a folder or its ``dataset``, or the path of one."""
    if path.is_file():
        return [path] if path.match(_NAMES) else []
    folder = path / "dataset" if (path / "dataset").is_dir() else path
    return sorted(file for file in folder.glob(_NAMES) if file.is_file())


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield each person's sessions."""
    for file in find_files(path):
        record = Record(str(file), 0, None, None)
        try:
            whole = JsonPart.of_file(record)
            name = whole["_metadata"]["person_name"].text()
            content = {"name": name, "dialogues": whole["dialogues"]}
        except FieldError as error:
            yield error.problem
            continue
        yield record._replace(content=content)


def questions(whole: JsonPart) -> Iterator[JsonPart]:
    """Yield the turns that are questions, each with the reply to it and what it rests on.

    A question knows all sessions before its own, as in the published evaluation; one within the
    first session knows nothing and is no question of memory.
    """
    names: dict[str, str] = {}
    last = ""
    for session in whole["dialogues"].items():
        name, turns = session["session_identifier"].of(str), session["dialogue_turns"].items()
        if isinstance(session["session_uuid"].value, str):
            names[session["session_uuid"].value] = name
        for turn, reply in zip_longest(turns, turns[1:]):
            if turn["is_query"].value is True and last:
                added: dict[str, object] = {"after": last, "sessions": names, "reply": reply}
                yield JsonPart(turn.record, {**turn.of(dict), **added}, turn.place)
        if turns:
            last = f"{name}:{len(turns)}"


def answer(question: JsonPart, kind: str | None) -> str:
    """Return the reply of the data, which shows how memories should be used."""
    reply = question["reply"]
    if reply.value is None:
        raise question.fault("a reply of the assistant after the question", "none")
    return reply["content"].text()


def evidence(question: JsonPart, history: ToldHistory) -> Iterator[str]:
    """Yield the names of the sessions whose memories the reply uses."""
    used = question["reply"]["memory_session_uuids"]
    names = question["sessions"].of(dict)
    for session in [] if used.value is None else used.items():
        if session.of(str) in names:
            yield names[session.value]


def memories(question: JsonPart) -> list[str]:
    """Return the memories that a good answer uses, for the judge."""
    used = question["reply"]["memory_used"]
    listed = [] if used.value is None else used.items()
    return [one["content"].text() for one in listed]
