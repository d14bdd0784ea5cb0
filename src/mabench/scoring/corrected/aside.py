"""Whether a mention is of what was asked, or only says something of another value.

``Delft, near Leiden`` is not Leiden, ``Ann Hale's brother`` not Ann Hale. Of two that a question
offers, a comparison chooses one.
"""

from __future__ import annotations

import re

from mabench.scoring.lexicon import pattern, words
from mabench.scoring.sameness.same import Mention, mentions
from mabench.scoring.tokens import plain

_OWNED = re.compile(r"\s+(?:[\w-]+\s+){0,3}[\w-]+(?:\W*$|,?\s+[A-Z])")
_NAME = re.compile(
    r"[A-Z0-9][\w'.:-]*(?:\s+(?:(?:of|for|the|and|de|la|in|on|to|a|an|&|from"
    r"|with)\s+){0,2}(?=[A-Z0-9])[A-Z0-9][\w'.:-]*)*"
)


def is_of_another(text: str, gold: str, mention: Mention, question: str | None) -> bool:
    """Return whether a mention only says whose, where or when something else is."""
    said, asked = text[mention.start : mention.end], plain(question or "").casefold()
    lead, tail = text[max(0, mention.start - 40) : mention.start], text[mention.end :]
    if said.endswith("'s") and not gold.rstrip().endswith("s"):
        is_bare = "whose" not in asked and not re.search(r"\w", text[: mention.start])
        owned = re.match(r"\s(\w+)", tail)
        is_kin = owned is not None and owned[1] in words("names.relatives") - {*asked.split()}
        return is_kin or (is_bare and _OWNED.match(tail) is not None)
    beside = pattern(
        r"\b(?:(%s)(?:-in-law)? (?:of|to)|'s (%s) (?:is|was|named|called)|(%s)|(?:%s)) (?:the )?$",
        *("names.relatives", "names.relatives", "standing.beside", "standing.sides"),
    ).search(lead)
    if beside is None:
        return False
    word = next(filter(None, beside.groups()), "")
    if word:
        return (said[0].isupper() or word == beside[3]) and word.casefold() not in asked
    is_dated = re.search(r"\b\d{4}\b", said) and not pattern(
        r"\b(?:%s|to|since)\b|\d\D+\d", "standing.sides"
    ).search(f"{asked} {gold}")
    return bool(is_dated) and re.search(r"\bnot\b", lead) is None


def offered_beside(gold: str, question: str | None) -> str | None:
    """Return what a question offers beside the gold, if it offers two: ``X or Y?``."""
    asked = plain(question or "")
    for own in mentions(gold, asked) if " or " in asked else ():
        if offered := re.search(r"\bor\s(?:[Tt]he\s)?[\"']?$", asked[: own.start]):
            return next(reversed(_NAME.findall(asked[: offered.start()])), None)
        if offered := re.match(r"[\"',]{0,2}\sor\s(?:the\s)?", asked[own.end :]):
            rest = _NAME.match(asked, own.end + offered.end())
            return rest[0].rstrip("?.") if rest else None
    return None


def compared(text: str, gold: Mention, other: Mention, question: str | None) -> bool | None:
    """Say whether a text that compares the two that a question offers chooses the gold.

    The subject of ``X was founded before Y`` is the earlier; the question says which is wanted.
    None if the text does not compare them.
    """
    first, second = sorted((gold, other))
    between = text[first.end : second.start]
    kinds = pattern(r"\b(?:(%s)|(%s))\b", "chosen.less", "chosen.more")
    said, sought = kinds.search(between), kinds.search(question or "")
    if said is None or sought is None or re.search(r"[.!?]\s", between):
        return None
    if re.search(r"\b(?:not|never)\b|n't\b", between, re.IGNORECASE):
        return None
    return ((said[1] is None) is (sought[1] is None)) is (first == gold)
