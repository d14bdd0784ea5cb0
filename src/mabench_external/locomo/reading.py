"""What the description of LoCoMo cannot say: pictures, golds that are missing, malformed ids."""

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
    """Return whether an object is LoCoMo's; LifeBench has the same fields, and categories as text.

    An object that nothing can be told of is LoCoMo's.
    """
    questions = content.get("qa")
    first = questions[0] if isinstance(questions, list) and questions else None
    return not (isinstance(first, dict) and isinstance(first.get("category"), str))


def said(turn: JsonPart) -> str:
    """Return what was said, with the caption of a picture that the turn shows."""
    text, caption = turn["text"].of(str), turn["blip_caption"]
    if caption.value is None:
        return text
    return f"{text} [picture: {caption.of(str)}]".lstrip()


def gold(question: JsonPart, kind: str | None) -> str:
    """Return the gold of a question; most adversarial ones have none."""
    answer = question["answer"]
    is_unknown = answer.value is None and kind == ADVERSARIAL
    return NOTHING_KNOWN if is_unknown else answer.answer()


def evidence(question: JsonPart, history: ToldHistory) -> Iterator[str | Problem]:
    """Yield the ids of the turns that a question rests on, and warnings about malformed ids.

    Ids that name no turn of the conversation are kept, because nothing tells what they mean.
    """
    known = history.ids
    for item in question["evidence"].items():
        found = _EVIDENCE.findall(item.of(str))
        read = [f"D{int(session)}:{int(turn)}" for session, turn in found]
        yield from read
        if not read or not known.issuperset(read):
            expected = "the id of a turn of the conversation, such as D1:3; it tells no evidence"
            yield item.doubt(expected)
