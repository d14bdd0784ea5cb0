"""Other values that a text states beside a gold: in the same frame, or side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mabench.scoring.clauses import LONGEST, MOST, Clause, is_content
from mabench.scoring.lexicon import pattern, words
from mabench.scoring.sameness.same import Mention
from mabench.scoring.standing import Standing, standing
from mabench.scoring.tokens import tokens
from mabench.text.stems import is_function_word, stem

_WINDOW = 80
_SOURCE = re.compile(
    r"\b(?:(?:according to|in|per|by|from) )?(?:the )?(?:fact|document|entry|statement)s?\s#?\d+"
)
_LISTED = re.compile(r",\s(?P<other>[A-Z][\w.'-]*(?: [A-Z][\w'-]*)?)\W*$")
_JOINT = r"(?P<joint>\bor\b|\band\b|/|\||;|&|\bvs\b\.?|\bversus\b)"
_HEDGE = (
    r"(?:(?:also|possibly|perhaps|maybe|probably|even|elsewhere|in|the|a|an|to|at|of),?\s+){0,3}"
)
_AFTER = re.compile(
    rf"[\"')\].]{{0,3}}\s*+(?:\([^()\n]{{0,40}}\))?\s*+,?\s*+{_JOINT},?\s*{_HEDGE}"
    r"[\"'(]?(?P<other>[^\W_][\w'.-]*(?:\s+[^\W_][\w'.-]*)?)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?<![\w'.-])['._-]*+(?P<other>[^\W_][\w'.-]*)[\"')]{0,2}\s*+(?:\([^()\n]{0,40}\))?\s*+,?\s*+"
    rf"{_JOINT},?\s*{_HEDGE}[\"'(]?$",
    re.IGNORECASE,
)

Span = tuple[int, int]


def rivals(
    text: str, stated: Sequence[Clause], gold: Sequence[Mention], asked: frozenset[str]
) -> tuple[list[Span], set[int]]:
    """Return where other values than the gold are asserted, and which clauses list values."""
    spans: list[Span] = []
    listed: set[int] = set()
    held = [[m for m in gold if clause.holds(m.start)] for clause in stated]
    for number, clause in enumerate(stated):
        for beside in filter(None, (_beside(text, m, clause, asked) for m in held[number])):
            if not any(m.start <= beside[0] and beside[1] <= m.end for m in gold):
                spans.append(beside)
                listed.add(number)
        for other, rival in enumerate(stated if held[number] and not clause.is_aside else ()):
            if held[other] or rival.is_lead or rival.is_aside:
                continue
            span = _parallel(clause, held[number][0], rival, asked, text)
            if span and standing(text, *span) >= Standing.REASON:
                spans.append(span)
                listed |= {number, other}
    return spans, listed


def _parallel(
    clause: Clause, gold: Mention, other: Clause, asked: frozenset[str], text: str
) -> Span | None:
    """Return what another clause says in place of the gold, by the same frame."""
    telling, said = (
        [t for t in c.said if not (t.article or t.word in words("chosen.says"))]
        for c in (clause, other)
    )
    before = [token.word for token in telling if token.end <= gold.start]
    after = [token.word for token in telling if token.start >= gold.end]
    if not before + after and bool(clause.cited) != bool(other.cited):
        return None  # An answer, and a fact that is cited to explain it.
    if clause.said and clause.said[0].word in ("its", "his", "her"):
        return None  # It goes on from what the other says.
    told = [token.word for token in said]
    middle = said[len(before) : len(said) - len(after)]
    is_aligned = told[: len(before)] == before and told[len(told) - len(after) :] == after
    if before + after and is_aligned and middle:
        return middle[0].start, middle[-1].end
    frame = {stem(word) for word in before + after}
    known = frame | (asked if frame else set())  # What stands by itself is a value in any case.
    places = [n for n, t in enumerate(said) if is_content(t) and stem(t.word) not in known]
    if not places or places[-1] - places[0] >= LONGEST:
        return None
    filler, small = said[places[0] : places[-1] + 1], words("names.small")
    if len(places) < sum(token.word not in small for token in filler):
        return None
    if told[: places[0]][-1:] != before[-1:]:
        return None
    opening = text[gold.start]
    if opening.isupper() or opening.isdigit():
        is_kind = any(token.raw[0].isdigit() == opening.isdigit() for token in filler)
        if not (
            is_kind
            and all(t.is_name or t.word in small or text[t.start - 1] == "-" for t in filler)
        ):
            return None
    return filler[0].start, filler[-1].end


def _beside(text: str, gold: Mention, clause: Clause, asked: frozenset[str]) -> Span | None:
    """Return what stands beside a mention as its alternative: ``A or B``, ``both A and B``."""
    is_named = text[gold.start].isupper()
    line = text[clause.start : clause.end].split(",", MOST)
    if len(line) > 2 and is_named and all(map(_is_name, line)):
        return clause.start, clause.end
    start = max(clause.start, gold.start - _WINDOW)
    sides = text[start : gold.start], text[gold.end :][:_WINDOW]
    before, after = (_SOURCE.sub(lambda cited: " " * len(cited[0]), side) for side in sides)
    lead = text[max(0, gold.start - _WINDOW) : gold.start].rpartition(". ")[2]
    is_both = pattern(r"\b(?:%s)\b", "chosen.both").search(lead) or (before, after) != sides
    if is_both and is_named and (listed := _LISTED.match(after)):
        return gold.end + listed.start("other"), gold.end + listed.end("other")
    for match, base in ((_AFTER.match(after), gold.end), (_BEFORE.search(before), start)):
        if match is None or pattern(r"(?-i:(?:%s)\b)", "chosen.no_rival").match(match["other"]):
            continue
        other, joint = match["other"], match["joint"].casefold()
        if re.search(r"\b(?:known|called|named) (?:as )?", match.string[: match.end()]):
            continue
        span = base + match.start("other"), base + match.end("other")
        if text[gold.start].isdigit() and joint in ("and", "or", "/"):
            is_rival = other[0].isdigit()
        elif joint == "or" or joint[0] in "/|v" or is_both:
            is_rival = other[0].isupper() or not is_named
        else:
            is_told = stem(tokens(other)[0].word) in asked
            is_rival = other[0].isupper() and is_named and not is_told
        if is_rival and standing(text, *span) >= Standing.ASKED:
            return span
    return None


def _is_name(text: str) -> bool:
    said = [token for token in tokens(text) if not token.article]
    named = [token.is_name or token.word in words("names.small") for token in said]
    return 0 < len(said) <= LONGEST and all(named) and not is_function_word(said[0].word)
