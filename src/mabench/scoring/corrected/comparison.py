"""Answers to questions that offer two: which paper came first, X or Y?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mabench.scoring.same import Mention, mentions
from mabench.scoring.tokens import plain

_NAME = re.compile(
    r"[A-Z0-9][\w'.:-]*(?:\s+(?:(?:of|for|the|and|de|la|in|on|to|a|an|&|from"
    r"|with)\s+){0,2}(?=[A-Z0-9])[A-Z0-9][\w'.:-]*)*"
)
_LESS = (
    r"first|earlier|earliest|older|oldest|before|prior to|preced\w+|predat\w+|sooner"
    r"|smaller|smallest|fewer|fewest|less|least|shorter|shortest|lower|lowest"
)
_MORE = (
    r"later|latest|last|newer|newest|younger|youngest|after|more recent\w*|most recent\w*"
    r"|follow(?:s|ed)"
    r"|larger|largest|bigger|biggest|greater|greatest|more|most|longer|longest|taller|tallest"
    r"|higher|highest"
)
_EITHER = re.compile(rf"\b(?:(?P<less>{_LESS})|(?P<more>{_MORE}))\b", re.IGNORECASE)
_NEGATED = re.compile(r"\bnot\b|n't\b|\bnever\b", re.IGNORECASE)


def rival_offered(wanted: str, question: str | None) -> str | None:
    """Return the name that a question offers beside the one that is wanted; None without one."""
    left, offers, rest = plain(question or "").rpartition(" or ")
    if not offers:
        return None
    first, last = _NAME.findall(left), _NAME.match(rest.strip())
    if not first or last is None:
        return None
    names = first[-1], last[0].rstrip("?.")
    gold = [bool(mentions(wanted, plain(name))) for name in names]
    if gold[0] is gold[1]:
        return None
    return names[gold[0]]


def compared(
    text: str, gold: Sequence[Mention], rival: Sequence[Mention], question: str
) -> bool | None:
    """Say whether a text that compares the two chooses the gold; None if it does not compare.

    The subject of ``X was founded before Y`` is the earlier; the question says which is wanted.
    """
    if not gold or not rival:
        return None
    first, second = sorted((gold[0], rival[0]))
    between = text[first.end : second.start]
    said, asked = _EITHER.search(between), _EITHER.search(question)
    if said is None or asked is None or re.search(r"[.!?]\s", between):
        return None
    if re.search(r",\s*not\s*(?:the\s*)?$", between) or _NEGATED.search(between):
        return None
    subject = (said["less"] is None) is (asked["less"] is None)
    return subject is (first == gold[0])
