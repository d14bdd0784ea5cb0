"""What the description of HaluMem cannot say: questions that are asked after their session."""

from __future__ import annotations

from collections.abc import Iterator

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
