"""What a text offers beside a value: ``A or B``, ``both A and B``, ``A / B``."""

from __future__ import annotations

import re
from collections.abc import Collection, Set

from mabench.scoring.lexicon import pattern
from mabench.scoring.sameness.kin import root
from mabench.scoring.sameness.same import Mention
from mabench.scoring.tokens import tokens

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
    rf"(?<![\w'.-])['._-]*+(?P<other>(?:(?-i:[A-Z])[\w'.-]*\s)?[^\W_][\w'.-]*)[\"')]{{0,2}}{_JOINT}{_HEDGE}$",
    re.I,
)


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
