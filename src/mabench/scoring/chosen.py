"""Which of the values that a text states in answer to a question it settles on.

Values are stated by the same frame with other fillers (bullets, parallel sentences, ``fact 4 says
X``), or stand side by side (``both A and B``). One is settled on when a conclusion, a later fact,
a correction, or a closing or opening statement names it alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mabench.scoring.lexicon import pattern, words
from mabench.scoring.sameness.same import Mention
from mabench.scoring.sameness.wordings import is_place, stems_of
from mabench.scoring.standing import Standing, sentences, standing
from mabench.scoring.tokens import Token, tokens
from mabench.text.stems import is_function_word, stem

_WINDOW = 80
_MOST = 40  # Statements that are compared.
_LONGEST = 6  # Words of a value.
_CLAUSE = re.compile(
    r";|:\s(?=(?:one|1|fact)\b)|(?<=\)),\s|,?\s(?:while|whereas|but|yet)\s"
    r"|,\s(?=(?:and )?(?:another|the other|one|so|thus)\b)|(?:,|,?\sand|,\sthen)\s"
    r"(?=(?:in |according to )?(?:the )?(?:\w+ )?(?:fact|document|entry)\b)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:fact|document|entry|statement|line|no\.?|#)s?\s*#?(\d+)", re.IGNORECASE)
_NUMBERED_AFTER = re.compile(rf"[\s(\[,]*(?:according to |in )?{_NUMBERED.pattern}", re.IGNORECASE)
_SOURCE = re.compile(
    r"\b(?:(?:according to|in|per|by|from) )?(?:the )?(?:fact|document|entry|statement)s?\s#?\d+"
)
_LISTED = re.compile(r",\s([A-Z][\w.'-]*(?: [A-Z][\w'-]*)?)\W*$")
_ITEM = re.compile(r"^\s*(?:[-*\u2022+]|\(?\d{1,2}[.)])\s+")
_JOINT = r"(?P<joint>\bor\b|\band\b|/|\||;|&|\bvs\b\.?|\bversus\b)"
_HEDGE = r"(?:(?:also|possibly|perhaps|maybe|probably|even|in|the|a|an|to|at|from|of)\s+){0,3}"
_AFTER = re.compile(
    rf"[\"')\].]{{0,3}}\s*+(?:\([^()\n]{{0,40}}\))?\s*+,?\s*+{_JOINT}\s*{_HEDGE}"
    r"[\"'(]?(?P<other>[^\W_][\w'.-]*(?:\s+[^\W_][\w'.-]*)?)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?<![\w'.-])['._-]*+(?P<other>[^\W_][\w'.-]*)[\"')]{0,2}\s*+(?:\([^()\n]{0,40}\))?\s*+,?\s*+"
    rf"{_JOINT}\s*{_HEDGE}[\"'(]?$",
    re.IGNORECASE,
)


class _Claim(NamedTuple):
    """A statement of a text: where, its words but those of whom it cites, the numbers it cites."""

    start: int
    end: int
    said: tuple[Token, ...]
    cited: frozenset[str]

    @property
    def telling(self) -> list[Token]:
        """Its words but articles and those that only say that it states something."""
        return [t for t in self.said if not (t.article or t.word in words("chosen.says"))]

    def holds(self, place: int) -> bool:
        """Return whether a place is in it."""
        return self.start <= place < self.end


def settles_on(text: str, gold: Sequence[Mention], question: str | None) -> bool | None:
    """Return whether a text that states ``gold`` settles on it; None if it does on nothing.

    Args:
        text: ``plain`` text.
        gold: where it asserts the gold.
        question: the question, whose words are no values.
    """
    asked = stems_of(question or "")
    stated = list(_statements(text))[:_MOST]
    rivals, listed = _rivals(text, stated, gold, asked)
    if not rivals:
        hedges = pattern(r"\b(?:%s)\b", "standing.hedges").findall(text)
        conflict = re.search(r"\b(?:contradict|conflict)", text) is not None
        return (
            None
            if len(hedges) > 1 or (conflict and has_other_value(text, gold, question))
            else True
        )
    others = [{t.word for t in tokens(text[start:end])} for start, end in rivals]
    sides: list[set[str]] = []
    numbers: dict[str, set[str]] = {}
    for statement in stated:
        side = {"gold" for mention in gold if statement.holds(mention.start)}
        said = {token.word for token in statement.said}
        if any(statement.holds(start) for start, _ in rivals) or any(o <= said for o in others):
            side.add("rival")
        sides.append(side)
        if len(side) == 1:
            numbers |= dict.fromkeys(statement.cited, side)
    spans = [("gold", m.end) for m in gold] + [("rival", end) for _, end in rivals]
    for name, end in spans:
        if cited := _NUMBERED_AFTER.match(text, end):
            numbers[cited[1]] = {name}
    settled = None
    settles = pattern(r"\b(?:%s)\b", "chosen.settles")
    cues = [{c.casefold() for c in settles.findall(text, s.start, s.end)} for s in stated]
    every = [cues[place] for place in listed]
    shared = set.intersection(*every) if len(every) > 1 else set()  # They settle nothing.
    for statement, side, said in zip(stated, sides, cues, strict=True):
        if all({stem(word) for word in cue.split()} <= asked for cue in said - shared):
            continue
        if not side:
            holders = [numbers[number] for number in statement.cited if number in numbers]
            side = holders[0] if len(holders) == 1 else side
        if len(side) == 1:
            settled = side
    stating = [place for place, side in enumerate(sides) if side]
    for place in (*stating[-1:], *stating[:1]):
        if settled is None and place not in listed and len(sides[place]) == 1:
            settled = sides[place]
    return None if settled is None else settled == {"gold"}


def has_other_value(text: str, gold: Sequence[Mention], question: str | None) -> bool | None:
    """Return whether a text offers another value than the gold; None where that is not plain."""
    asked = stems_of(question or "")
    is_name = any(text[m.start].isupper() or text[m.start].isdigit() for m in gold)
    others = [
        token
        for statement in _statements(text)
        for token in statement.said
        if _is_content(token) and stem(token.word) not in asked
        if not any(m.start <= token.start < m.end for m in gold)
    ]
    if not others:
        return False
    if is_name:
        return any(t.is_name and not t.word.endswith(("ly", "ed", "ing")) for t in others)
    return None if len(others) < len(gold) else True


def _statements(text: str) -> Iterator[_Claim]:
    cites = pattern(
        r"(?:\b(?:in |per |from |by )?(?:%s)\b[:,]?\s*)(?:\b(?:%s)\b:?)?(?:\s+that\b)?",
        *("chosen.sources", "chosen.verbs"),
    )
    said = tokens(text)
    place = 0
    for first, last in sentences(text):
        cuts = [cut.span() for cut in _CLAUSE.finditer(text, first, last)]
        starts = [first, *(end for _, end in cuts)]
        ends = [*(start for start, _ in cuts), last]
        for start, end in zip(starts, ends, strict=True):
            item = _ITEM.match(text[start:end])
            start += item.end() if item else 0
            spans = [match.span() for match in cites.finditer(text, start, end)]
            own = []
            while place < len(said) and said[place].start < end:
                token = said[place]
                place += 1
                if token.start >= start and not any(a <= token.start < b for a, b in spans):
                    own.append(token)
            cited = {match[1] for match in _NUMBERED.finditer(text, start, end)}
            if own or cited:
                yield _Claim(start, end, tuple(own), frozenset(cited))


def _rivals(
    text: str,
    stated: Sequence[_Claim],
    gold: Sequence[Mention],
    asked: frozenset[str],
) -> tuple[list[tuple[int, int]], set[int]]:
    """Return where other values are asserted, and which statements list values."""
    rivals: list[tuple[int, int]] = []
    listed: set[int] = set()
    held = [[m for m in gold if statement.holds(m.start)] for statement in stated]
    for number, statement in enumerate(stated):
        spans = [_beside(text, m, statement, asked) for m in held[number]]
        rivals += filter(None, spans)
        listed |= {number for span in spans if span}
        for other, rival in enumerate(stated if held[number] else ()):
            if held[other] or text[rival.start : rival.start + 2].strip()[:1] == "(":
                continue
            span = _parallel(statement, held[number][0], rival, asked, text)
            if span and standing(text, *span) >= Standing.REASON:
                rivals.append(span)
                listed |= {number, other}
    return rivals, listed


def _parallel(
    statement: _Claim,
    gold: Mention,
    other: _Claim,
    asked: frozenset[str],
    text: str,
) -> tuple[int, int] | None:
    """Return what another statement says in place of the gold, by the same frame."""
    said, small = other.telling, words("names.small")
    before = [token.word for token in statement.telling if token.end <= gold.start]
    after = [token.word for token in statement.telling if token.start >= gold.end]
    if not before + after and bool(statement.cited) != bool(other.cited):
        return None  # An answer, and a fact that is cited to explain it.
    lead = [token.word for token in statement.said[:2]]
    if lead[:1] in (["its"], ["his"], ["her"]) and lead[-1] not in words("names.relatives"):
        return None  # It goes on from what the other says.
    told = [token.word for token in said]
    middle = said[len(before) : len(said) - len(after)]
    is_aligned = told[: len(before)] == before and told[len(told) - len(after) :] == after
    if before + after and is_aligned and 0 < len(middle) <= _LONGEST:
        return middle[0].start, middle[-1].end
    frame = {stem(word) for word in before + after}
    known = frame | (asked if frame else set())  # What stands by itself is a value in any case.
    places = [
        place
        for place, token in enumerate(said)
        if _is_content(token) and stem(token.word) not in known
    ]
    if not places or places[-1] - places[0] >= _LONGEST or text[other.end - 1] == "?":
        return None
    filler = said[places[0] : places[-1] + 1]
    if len(places) < sum(token.word not in small for token in filler):
        return None
    if (told[places[0] - 1] if places[0] else "") != (before[-1] if before else ""):
        return None
    if text[gold.start].isupper() or text[gold.start].isdigit():
        if not all(t.is_name or t.word in small or text[t.start - 1] == "-" for t in filler):
            return None
        if not any(token.raw[0].isdigit() == text[gold.start].isdigit() for token in filler):
            return None
    return filler[0].start, filler[-1].end


def _beside(
    text: str, gold: Mention, statement: _Claim, asked: frozenset[str]
) -> tuple[int, int] | None:
    """Return what stands beside a mention as its alternative: ``A or B``, ``both A and B``."""
    start = text[gold.start]
    line = [t.strip(" .!\"'") for t in text[statement.start : statement.end].split(",", _MOST)]
    if len(line) > 2 and all(map(_is_name, line)) and start.isupper():
        others = [part for part in line if part not in text[max(0, gold.start - 4) : gold.end]]
        is_city = not is_place(text[gold.start : gold.end]) and all(map(is_place, others))
        if others and not is_city:
            return statement.start, statement.end
    sides = (
        text[max(statement.start, gold.start - _WINDOW) : gold.start],
        text[gold.end :][:_WINDOW],
    )
    before, after = (_SOURCE.sub(lambda cited: " " * len(cited[0]), side) for side in sides)
    lead = text[max(0, gold.start - _WINDOW) : gold.start].rpartition(". ")[2]
    is_both = pattern(r"\b(?:%s)\b", "chosen.both").search(lead) is not None
    is_both |= (before, after) != sides
    if is_both and start.isupper() and (listed := _LISTED.match(after)):
        return gold.end + listed.start(1), gold.end + listed.end(1)
    offset = gold.start - len(before)
    for match, base in ((_AFTER.match(after), gold.end), (_BEFORE.search(before), offset)):
        if match is None:
            continue
        other, joint = match["other"], match["joint"].casefold()
        is_verb = not is_both and re.match(r"[a-z]+(?:ed|ing)\b", other)
        if is_verb or pattern(r"(?-i:(?:%s)\b)", "chosen.no_rival").match(other):
            continue
        told = [word.strip(".'-").casefold() for word in other.split()]
        known_as = re.search(
            r"\b(?:known|called|named|styled) (?:as )?", match.string[: match.end()]
        )
        if known_as:
            continue
        span = base + match.start("other"), base + match.end("other")
        if start.isdigit() and joint in ("and", "or", "/"):
            is_rival = other[0].isdigit()
        elif joint == "or" or joint[0] in "/|v" or is_both:
            is_rival = other[0].isupper() or not start.isupper()
        else:
            is_rival = other[0].isupper() and start.isupper() and stem(told[0]) not in asked
        if is_rival and standing(text, *span) >= Standing.ASKED:
            return span
    return None


def _is_content(token: Token) -> bool:
    noise = words("chosen.says", "standing.passes")
    return not (token.article or is_function_word(token.word) or token.word in noise)


def _is_name(text: str) -> bool:
    said = [token for token in tokens(text) if not token.article]
    named = [token.is_name or token.word in words("names.small") for token in said]
    return 0 < len(said) <= _LONGEST and all(named) and not is_function_word(said[0].word)
