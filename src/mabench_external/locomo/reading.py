"""Reads what is special in LoCoMo's file: pictures, golds that are missing, malformed ids.

``description.toml`` says how the file becomes rows, and names the functions here for what it cannot
express. A ``JsonPart`` is a value of the file with its place: ``part["text"].of(str)`` is the
string in its field ``text``, or a ``FieldError``; ``part.value`` is the value unchecked, None if it
is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import JsonPart
from mabench.data.problems import Problem

# The gold of questions that the conversation does not answer. The file has none for most of them.
NOTHING_KNOWN = "No information available"
ADVERSARIAL = "adversarial"

# The id of a turn, ``D8:6``, also in the malformed variants that occur in the file.
_EVIDENCE = re.compile(r"D\s{0,9}:?\s{0,9}(\d{1,9})\s{0,9}:\s{0,9}(\d{1,9})")


def has_numbered_categories(content: Mapping[str, object]) -> bool:
    """Return whether an object in LoCoMo's form is LoCoMo's, not LifeBench's.

    LifeBench has the same fields, but its categories are texts. An object whose first question has
    no category, or which has no question, is taken for LoCoMo's.
    """
    questions = content.get("qa")
    first_question = questions[0] if isinstance(questions, list) and questions else None
    if not isinstance(first_question, dict):
        return True
    return not isinstance(first_question.get("category"), str)


def said(turn: JsonPart) -> str:
    """Return what was said in a turn, with the caption of the picture that it shows, if any."""
    text, caption = turn["text"].of(str), turn["blip_caption"]
    if caption.value is None:
        return text
    return f"{text} [picture: {caption.of(str)}]".lstrip()


def gold(question: JsonPart, kind: str | None) -> str:
    """Return the gold of a question of a type; most adversarial ones have none in the file."""
    answer = question["answer"]
    if answer.value is None and kind == ADVERSARIAL:
        return NOTHING_KNOWN
    return answer.answer()


def evidence(question: JsonPart, history: ToldHistory) -> Iterator[str | Problem]:
    """Yield the ids of the turns that a question rests on, and warnings about malformed ids.

    An item of the list may hold several ids. Ids that name no turn of the conversation are yielded
    as well, because nothing tells what they mean.
    """
    for item in question["evidence"].items():
        matches = _EVIDENCE.findall(item.of(str))
        ids = [f"D{int(session)}:{int(turn)}" for session, turn in matches]
        yield from ids
        if not ids or not history.ids.issuperset(ids):
            expected = "the id of a turn of the conversation, such as D1:3; it tells no evidence"
            yield item.doubt(expected)
