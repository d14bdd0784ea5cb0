"""Which words of a text may be a value, and what it offers beside one: ``A or B``, ``A / B``."""

from __future__ import annotations

import re
from collections.abc import Collection, Set

from mabench.scoring.lexicon import pattern, words
from mabench.scoring.sameness.kin import root
from mabench.scoring.sameness.same import Mention
from mabench.scoring.tokens import Token, tokens
from mabench.text.stems import is_function_word

LONGEST = 6  # Words of a value.
_WINDOW = 80  # Characters beside a mention.
_SOURCE = re.compile(
    r"\b(?:(?:according to|in|per|by|from) )?(?:the )?(?:fact|document|entry|statement)s?\s#?\d+"
)
_JOINT = (
    r"\s*+(?:\([^()\n]{0,40}\))?\s*+,?\s*+(?P<joint>\bor\b|\band\b|[/|;&]|\bvs\b\.?|\bversus\b)"
)
# What is no value beside another, but says something of its own: "Oslo; Rome was ..."
_CLAUSE = re.compile(
    r"(?:[\w'.-]+\s){1,4}?(?:is|was|are|were|has|had|did|does|do|came|seems|might|may|could)\b"
)
_HEDGE = (
    r",?\s*(?:(?:also|possibly|perhaps|maybe|probably|even|elsewhere|in|the|a|an|to|at|of),?\s+)"
    r"{0,3}[\"'(]?"
)
_AFTER = re.compile(
    rf"[\"')\].]{{0,3}}{_JOINT}{_HEDGE}(?P<other>[^\W_][\w'.-]*(?:\s+[^\W_][\w'.-]*)?)", re.I
)
_BEFORE = re.compile(
    rf"(?<![\w'.-])['._-]*+(?P<other>(?:(?:^|(?-i:(?=[A-Z])))[\w'.-]+\s)?[^\W_][\w'.-]*)[\"')]{{0,2}}{_JOINT}{_HEDGE}$",
    re.I,
)


def is_content(token: Token) -> bool:
    """Return whether a word may belong to a value: it is no function word and no noise."""
    noise = words("chosen.says", "standing.passes")
    return not (is_function_word(token.word) or token.word in noise)


def ends_at_slot(text: str) -> bool:
    """Return whether a value may come next: behind "is", a colon, a bracket, or at the start."""
    slot = r"(?:^|[^\w\s'\"]|\b(?:%s))\s{0,2}[\"'(]{0,3}(?:(?:an?|the) )?$"
    return pattern(slot, "conflict.slots").search(text) is not None


def is_value(text: str) -> bool:
    """Return whether a text is a value by itself, with no more than a preposition before it."""
    said = [t for t in tokens(text) if not t.article and t.word not in words("names.small")]
    return 0 < len(said) <= LONGEST and not any(is_function_word(t.word) for t in said)


def alternative_of(
    gold: Mention, text: str, start: int, known: Set[str], asked: Collection[str]
) -> str | None:
    """Return what stands beside a mention as its alternative: ``A or B``, ``both A and B``.

    Args:
        gold: the mention.
        text: the text.
        start: where the clause of the mention starts.
        known: words that are no other value.
        asked: roots of the words of the question.
    """
    is_named = text[gold.start].isupper()
    start = max(start, gold.start - _WINDOW)
    sides = text[start : gold.start], text[gold.end :][:_WINDOW]
    before, after = (_SOURCE.sub("", side) for side in sides)
    lead = text[max(0, gold.start - _WINDOW) : gold.start].rpartition(". ")[2]
    is_both = pattern(r"\b(?:%s)\b", "chosen.both").search(lead) or (before, after) != sides
    for match in (_AFTER.match(after), _BEFORE.search(before)):
        if match is None or pattern(r"(?-i:(?:%s)\b)", "chosen.no_rival").match(match["other"]):
            continue
        other, joint = match["other"], match["joint"].casefold()
        if (
            joint in (";", "and")
            and not is_both
            and _CLAUSE.match(match.string, match.start("other"))
        ):
            continue
        said, lead_in = tokens(other), match.string[: match.end()]
        is_known = {token.word for token in said} <= known
        if is_known or re.search(r"\b(?:known|called|named) ", lead_in):
            continue  # Another name of it.
        is_other, is_asked = other[0].isupper(), root(said[0].word) in asked
        beside = match.string[: match.start()] + match.string[match.end() :]
        is_all = not re.search(r"\w", beside + (before if match.string is after else after))
        if joint == "or" or joint[0] in "/|v" or is_both or is_all:
            is_other |= not is_named
        elif not is_named or is_asked:
            continue
        if is_other:
            return other
    return None
