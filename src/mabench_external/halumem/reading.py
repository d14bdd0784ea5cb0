"""What the description of HaluMem cannot say: when questions are asked, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterator

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import JsonPart


def questions(whole: JsonPart) -> Iterator[JsonPart]:
    """Yield the questions of all sessions, each with the last turn before it."""
    last = ""
    for number, session in enumerate(whole["sessions"].items(), start=1):
        if turns := session["dialogue"].items():
            last = f"session_{number}:{len(turns)}"
        if session["questions"].value is None:
            continue
        for question in session["questions"].items():
            added = {"after": last, "session": number}
            yield JsonPart(question.record, {**question.of(dict), **added}, question.place)


def points(question: JsonPart) -> list[str]:
    """Return what the answer follows from, for the judge."""
    listed = question["evidence"]
    return [one["memory_content"].text() for one in listed.items()] if listed.value else []


def evidence(question: JsonPart, history: ToldHistory) -> list[str]:
    """Return the ids of the turns that say what a question rests on, word for word.

    Returns none unless that is so for all of it: then whatever mentions the answer supports it.
    """
    said = "\0".join(turn.text for turn in history.turns)
    ids: list[str] = []
    for point in points(question):
        if point not in said:
            return []
        ids.append(next(turn.id for turn in history.turns if point in turn.text))
    return ids
