"""Reads HaluMem's questions: when each is asked, and what its answer rests on.

``description.toml`` says how the files become rows, and names the functions here for what it cannot
express. A ``JsonPart`` is a value of a file with its place: ``part["evidence"].items()`` are the
parts of the list in its field ``evidence``, or a ``FieldError`` if there is no list.
"""

from __future__ import annotations

from collections.abc import Iterator

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import JsonPart


def questions(whole: JsonPart) -> Iterator[JsonPart]:
    """Yield the questions of all sessions, which are asked when their session has ended.

    Two fields are added to each: ``after``, the id of the last turn told before the question, and
    ``session``, the number of its session, from 1.
    """
    last_turn = ""
    for number, session in enumerate(whole["sessions"].items(), start=1):
        turns = session["dialogue"].items()
        if turns:
            last_turn = f"session_{number}:{len(turns)}"
        if session["questions"].value is None:
            continue
        for question in session["questions"].items():
            added = {"after": last_turn, "session": number}
            yield JsonPart(question.record, {**question.of(dict), **added}, question.place)


def points(question: JsonPart) -> list[str]:
    """Return the statements that the answer follows from, which the judge is shown."""
    evidence = question["evidence"]
    if not evidence.value:
        return []
    return [statement["memory_content"].text() for statement in evidence.items()]


def evidence(question: JsonPart, history: ToldHistory) -> list[str]:
    """Return the ids of the turns that say the statements of a question word for word.

    For each statement this is the first turn that has it. If no turn has one of the statements, the
    list is empty: the evidence is unknown then, and any passage that mentions the answer counts.
    """
    ids: list[str] = []
    for point in points(question):
        turn_id = _first_turn_saying(point, history)
        if turn_id is None:
            return []
        ids.append(turn_id)
    return ids


def _first_turn_saying(statement: str, history: ToldHistory) -> str | None:
    """Return the id of the first turn that has a statement in it; None if no turn has."""
    for turn in history.turns:
        if statement in turn.text:
            return turn.id
    return None
