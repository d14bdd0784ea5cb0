"""How other harnesses name LoCoMo's questions: by conversation and number, or by category."""

from __future__ import annotations

import re

from mabench.formats import Item

SOURCE = "locomo"
UNANSWERABLE = "adversarial"
# The gold of a question that nothing in the conversation answers, as LoCoMo's own scorer reads it.
NOTHING_KNOWN = "No information available"
# The categories by their numbers in LoCoMo's own file. Harnesses give these numbers other names, so
# that only the number is read.
CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: UNANSWERABLE,
}
# Conversation and question by their numbers: ``conv0_q3``, ``locomo_0_qa3``, ``locomo_0::3``.
_NUMBERED = re.compile(r"(?:conv|locomo_)(\d{1,6})(?:_q|_qa|::)(\d{1,6})")
# By the id of the conversation: ``conv-26_q3``, ``conv-26-q3``, ``conv-26:q3``.
_NAMED = re.compile(r"(conv-\d{1,6})[-_:]q(\d{1,6})")


def category_of(item: Item) -> str:
    """Return the category of a question by its number, which may be written as text."""
    number = item.whole_number()
    if number not in CATEGORIES:
        raise item.fault("a category from 1 to 5")
    return CATEGORIES[number]


def read_numbers(question_id: str) -> tuple[int | None, int | None]:
    """Return the numbers of conversation and question, both from 0, that an id holds; else None."""
    match = _NUMBERED.fullmatch(question_id)
    return (int(match[1]), int(match[2])) if match else (None, None)


def read_own_id(question_id: str) -> str | None:
    """Return LoCoMo's own id of a question, such as ``conv-26_q3``; None if it is another."""
    match = _NAMED.fullmatch(question_id)
    return f"{match[1]}_q{int(match[2])}" if match else None


def golds_of(item: Item, question_type: str | None) -> tuple[str, ...]:
    """Return the golds of a question; those of unanswerable ones say that nothing is known."""
    if question_type == UNANSWERABLE and item.value in (None, "", "undefined"):
        return (NOTHING_KNOWN,)
    return item.golds()
