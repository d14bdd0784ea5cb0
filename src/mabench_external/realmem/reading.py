"""Reads RealMem, whose questions are turns of the conversation that a good memory helps to answer.

``description.toml`` says how the files become rows, and names the functions here for what it cannot
express. A ``JsonPart`` is a value of a file with its place: ``part["content"].of(str)`` is the
string in its field ``content``, or a ``FieldError``; ``part.value`` is the value unchecked, None if
it is missing.
"""

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
    """Return the files of all people in a folder or its ``dataset``, or the path itself if one."""
    if path.is_file():
        return [path] if path.match(_NAMES) else []
    dataset = path / "dataset"
    folder = dataset if dataset.is_dir() else path
    return sorted(file for file in folder.glob(_NAMES) if file.is_file())


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield each person's sessions as a row; each person has a file."""
    for file in find_files(path):
        record = Record(str(file), 0, split=None, content=None)
        try:
            whole = JsonPart.of_file(record)
            name = whole["_metadata"]["person_name"].text()
            content = {"name": name, "dialogues": whole["dialogues"]}
        except FieldError as error:
            yield error.problem
            continue
        yield record._replace(content=content)


def questions(whole: JsonPart) -> Iterator[JsonPart]:
    """Yield the turns that are questions, each with three fields more.

    ``after`` is the id of the last turn that may be known for it: the last of the session before,
    as in the published evaluation. A question in the first session rests on nothing, and is left
    out. ``sessions`` has the names of sessions by their uuid, and ``reply`` is the next turn.
    """
    name_by_uuid: dict[str, str] = {}
    last_turn_before = ""
    for session in whole["dialogues"].items():
        name, turns = session["session_identifier"].of(str), session["dialogue_turns"].items()
        if isinstance(session["session_uuid"].value, str):
            name_by_uuid[session["session_uuid"].value] = name
        for turn, reply in zip_longest(turns, turns[1:]):  # The last turn has no reply: None.
            if turn["is_query"].value is True and last_turn_before:
                added: dict[str, object] = {
                    "after": last_turn_before,
                    "sessions": name_by_uuid,
                    "reply": reply,
                }
                yield JsonPart(turn.record, {**turn.of(dict), **added}, turn.place)
        if turns:
            last_turn_before = f"{name}:{len(turns)}"


def answer(question: JsonPart, kind: str | None) -> str:
    """Return the gold: the reply in the data, which shows how memories should be used.

    The type of the question does not matter.
    """
    reply = question["reply"]
    if reply.value is None:
        raise question.fault("a reply of the assistant after the question", "none")
    return reply["content"].text()


def evidence(question: JsonPart, history: ToldHistory) -> Iterator[str]:
    """Yield the names of the sessions whose memories the reply uses; unknown ones are left out."""
    uuids = question["reply"]["memory_session_uuids"]
    name_by_uuid = question["sessions"].of(dict)
    if uuids.value is None:
        return
    for uuid in uuids.items():
        if uuid.of(str) in name_by_uuid:
            yield name_by_uuid[uuid.value]


def memories(question: JsonPart) -> list[str]:
    """Return the memories that a good answer uses, which the judge is shown."""
    used = question["reply"]["memory_used"]
    if used.value is None:
        return []
    return [memory["content"].text() for memory in used.items()]
