"""Which of the values that a text states in answer to a question it settles on.

A text is read clause by clause. Values are stated by the same frame with other fillers (bullets,
parallel sentences, ``fact 4 says X``), stand side by side (``both A and B``), or one clause answers
and another only mentions the gold: ``Delft, near Leiden`` is Delft.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from mabench.scoring.lexicon import entries, pattern, words
from mabench.scoring.sameness.same import Mention
from mabench.scoring.sameness.wordings import is_place, stems_of
from mabench.scoring.standing import Standing, sentences, standing
from mabench.scoring.tokens import Token, tokens
from mabench.text.stems import is_function_word, stem

_WINDOW = 80
_ASIDE = re.compile(
    r".?\(|,\s(?:an?|the|i\.?e|that is|also|aka|namely|or rather|in other words|specifically)\b"
)
_SUBJECT = re.compile(r",\s(?:is|was|are|were|has|had|[a-z]+ed)\b")
_TAIL = re.compile(r",\s(?=(?:\d+ )?[a-z])")
_PRONOUN = re.compile(r"\W*(?:\w+ )?(?:who|whom|whose|which|where)\b")
_RELATIVE = re.compile(rf"{_PRONOUN.pattern}[^,]*, ")
_LEADS = frozenset(":-\u2192")
_OPENS = frozenset("(-\u2013\u2014:[")
_MOST = 40  # Clauses that are compared.
_LONGEST = 6  # Words of a value.
_NUMBERED = re.compile(r"(?:fact|document|entry|statement|line|no\.?|#)s?\s*#?(\d+)", re.IGNORECASE)
_NUMBERED_AFTER = re.compile(rf"[\s(\[,]*(?:according to |in )?{_NUMBERED.pattern}", re.IGNORECASE)
_SOURCE = re.compile(
    r"\b(?:(?:according to|in|per|by|from) )?(?:the )?(?:fact|document|entry|statement)s?\s#?\d+"
)
_LISTED = re.compile(r",\s([A-Z][\w.'-]*(?: [A-Z][\w'-]*)?)\W*$")
_ITEM = re.compile(r"^\s*(?:[-*\u2022+]|\(?\d{1,2}[.)])\s+")
_JOINT = r"(?P<joint>\bor\b|\band\b|/|\||;|&|\bvs\b\.?|\bversus\b)"
_HEDGE = (
    r"(?:(?:also|possibly|perhaps|maybe|probably|even|elsewhere|in|the|a|an|to|at|from|of),?\s+){0,3}"
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


class Choice(StrEnum):
    """What a text that states a gold settles on."""

    GOLD = "gold"
    OTHER = "other"
    NONE = "none"
    UNSURE = "unsure"


class _Clause(NamedTuple):
    """A clause: where, in which sentence, its words but those of whom it cites, their numbers."""

    start: int
    end: int
    sentence: int
    said: tuple[Token, ...]
    cited: frozenset[str]
    is_lead: bool
    is_aside: bool

    @property
    def telling(self) -> list[Token]:
        """Its words but articles and those that only say that it states something."""
        return [t for t in self.said if not (t.article or t.word in words("chosen.says"))]

    def holds(self, place: int) -> bool:
        """Return whether a place is in it."""
        return self.start <= place < self.end


def settles_on(text: str, gold: Sequence[Mention], question: str | None) -> Choice:
    """Return whether a text that states ``gold`` settles on it.

    Args:
        text: ``plain`` text.
        gold: where it asserts the gold.
        question: the question, whose words are no values.
    """
    asked = stems_of(question or "")
    stated = list(_clauses(text, gold))[:_MOST]
    rivals, listed = _rivals(text, stated, gold, asked)
    if not rivals:
        hedges = pattern(r"\b(?:%s)\b", "standing.hedges").findall(text)
        conflict = re.search(r"\b(?:contradict|conflict)", text) is not None
        if len(hedges) > 1 or (conflict and has_other_value(text, gold, question)):
            return Choice.NONE
        return _by_order(text, stated, gold, asked, " or " in (question or ""))
    others = [{t.word for t in tokens(text[start:end])} for start, end in rivals]
    sides: list[set[Choice]] = []
    numbers: dict[str, set[Choice]] = {}
    for statement in stated:
        side = {Choice.GOLD for mention in gold if statement.holds(mention.start)}
        said = {token.word for token in statement.said}
        if any(statement.holds(start) for start, _ in rivals) or any(o <= said for o in others):
            side.add(Choice.OTHER)
        sides.append(side)
        if len(side) == 1:
            numbers |= dict.fromkeys(statement.cited, side)
    spans = [(Choice.GOLD, m.end) for m in gold] + [(Choice.OTHER, end) for _, end in rivals]
    for name, end in spans:
        if cited := _NUMBERED_AFTER.match(text, end):
            numbers[cited[1]] = {name}
    settled = None
    cues = [_cues(text, clause, asked) for clause in stated]
    every = [cues[place] for place in listed]
    shared = set.intersection(*every) if len(every) > 1 else set()  # They settle nothing.
    for statement, side, said in zip(stated, sides, cues, strict=True):
        if not said - shared:
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
    return Choice.NONE if settled is None else next(iter(settled))


def _cues(text: str, clause: _Clause, asked: frozenset[str]) -> set[str]:
    """Return the words of a clause that settle, but those of the question."""
    said = pattern(r"\b(?:%s)\b", "chosen.settles").findall(text, clause.start, clause.end)
    return {cue.casefold() for cue in said if not {*map(stem, cue.casefold().split())} <= asked}


def _by_order(
    text: str,
    stated: Sequence[_Clause],
    gold: Sequence[Mention],
    asked: frozenset[str],
    is_offered: bool,
) -> Choice:
    """Return which of the clauses of a text answers the question: one with the gold, or another."""
    held = [any(clause.holds(m.start) for m in gold) for clause in stated]
    is_cued = [bool(_cues(text, clause, asked)) for clause in stated]
    if not any(held) or any(h and cued for h, cued in zip(held, is_cued, strict=True)):
        return Choice.GOLD
    place = held.index(True)
    rest = [_rest(clause, gold, asked) for clause in stated]
    is_bare = [all(token.is_name for token in tokens) for tokens in rest]
    if place and _SUBJECT.search(text, stated[place].start, gold[0].start):
        return Choice.GOLD  # What stands before the apposition is the subject.
    if _is_opposite(stated[place], asked):
        return Choice.OTHER
    last = len(held) - held[::-1].index(True)
    for number in range(last, len(stated)):
        values = _values(text, stated[number], gold, rest[number])
        if values and is_cued[number] and len(rest[number]) <= len(values):
            return Choice.OTHER
    # An answer by itself, or another name of what is said before.
    opens = [n == 0 or c.is_aside or text[: c.start].rstrip()[-1:] in _OPENS for n, c in enumerate(stated)]
    if is_bare[place] and opens[place] or (held[-1] and is_bare[-1] and stated[-1].sentence > stated[0].sentence):
        return Choice.GOLD
    roots = {word.removesuffix("er") for word in asked}
    own = [
        frozenset(_root(t.word) for t in clause.said if not is_function_word(t.word)) & roots
        for clause in stated
    ]
    head = stated[0]
    said = {t.word for m in gold for t in tokens(text[m.start : m.end])}
    named = [t for t in head.said if _is_content(t) and t.word not in said]
    is_whole = text[head.end - 1] in ".!" and not head.is_lead
    is_hanging = stated[place].is_aside or _is_relative(text, stated[place])
    if place and named and not _rest(head, gold, asked) and not rest[0]:
        if is_hanging and is_whole or (is_offered and head.is_lead):
            return Choice.OTHER
    result = Choice.GOLD
    for number, clause in enumerate(stated):
        if held[number] or clause.is_lead or clause.is_aside:
            continue
        values = _values(text, clause, gold, rest[number])
        if not values:
            continue
        is_name = text[gold[0].start].isupper()
        is_alone = all(t in values or (is_name and t.is_name) for t in rest[number])
        if number > place:
            if own[number] and not own[place]:
                if text[gold[0].start].isdigit():
                    return Choice.OTHER
                result = Choice.UNSURE
        elif number == 0 and is_alone and is_hanging:
            return Choice.OTHER
        elif own[place] - own[number]:
            is_near = clause.sentence == stated[place].sentence and own[number]
            result = Choice.UNSURE if is_near or own[number] - own[place] else result
        elif number == 0 and is_alone:
            return Choice.OTHER
        elif own[number]:
            is_near = clause.sentence == stated[place].sentence and not stated[place].is_aside
            if is_near:
                return Choice.OTHER
            result = Choice.UNSURE
    return result


def _is_opposite(clause: _Clause, asked: frozenset[str]) -> bool:
    """Return whether a clause says the opposite of what is asked: was born, not died."""
    said = {stem(token.word) for token in clause.said}
    for pair in entries("names.opposites"):
        sides = [{stem(word) for word in side.split()} for side in pair.split("/")]
        for one, other in (sides, sides[::-1]):
            if one & asked and other & said and not (one & said or other & asked):
                return True
    return False


def _root(word: str) -> str:
    """Return the stem of a word, and of who does a thing that of the doing."""
    return stem(word).removesuffix("er")


def _is_relative(text: str, clause: _Clause) -> bool:
    return _PRONOUN.match(text, clause.start, clause.end) is not None


def _rest(clause: _Clause, gold: Sequence[Mention], asked: frozenset[str]) -> list[Token]:
    """Return the words of a clause that are neither the gold's nor the question's nor noise."""
    return [
        token
        for token in clause.said
        if _is_content(token) and stem(token.word) not in asked
        if not any(m.start <= token.start < m.end for m in gold)
    ]


def _values(
    text: str, clause: _Clause, gold: Sequence[Mention], rest: Sequence[Token]
) -> list[Token]:
    """Return the words of a clause that may be another value of the kind of the gold."""
    opening = text[gold[0].start]
    digits = re.match(r"\d*", text[gold[0].start :])
    known = {token.word for m in gold for token in tokens(text[m.start : m.end])}
    said = text[clause.start :]
    listed = []
    for token in rest:
        if token.word in known:
            continue
        if opening.isdigit():
            is_kind = token.raw.isdigit() and (len(token.raw) == 4) == (digits and len(digits[0]) == 4)
        elif opening.isupper():
            is_verb = token == clause.said[0] and token.word.endswith(("ly", "ed", "ing"))
            is_kind = token.raw[0].isupper() and not is_verb
        else:
            is_kind = token.raw.islower() or token == clause.said[0]
            is_kind &= not re.search(r"\w", text[token.end : clause.end])
        if is_kind and standing(said, token.start - clause.start, token.end - clause.start) >= Standing.ASKED:
            listed.append(token)
    return listed


def has_other_value(text: str, gold: Sequence[Mention], question: str | None) -> bool | None:
    """Return whether a text offers another value than the gold; None where that is not plain."""
    asked = stems_of(question or "")
    is_name = any(text[m.start].isupper() or text[m.start].isdigit() for m in gold)
    others = [
        token
        for statement in _clauses(text, gold)
        for token in statement.said
        if _is_content(token) and stem(token.word) not in asked
        if not any(m.start <= token.start < m.end for m in gold)
    ]
    if not others:
        return False
    if is_name:
        return any(t.is_name and not t.word.endswith(("ly", "ed", "ing")) for t in others)
    return None if len(others) < len(gold) else True


def _clauses(text: str, gold: Sequence[Mention]) -> Iterator[_Clause]:
    cites = pattern(
        r"(?:\b(?:in |per |from |by )?(?:%s)\b[:,]?\s*)(?:\b(?:%s)\b:?)?(?:\s+that\b)?",
        *("chosen.sources", "chosen.verbs"),
    )
    cut = pattern(r"%s", "chosen.cuts")
    said = tokens(text)
    place = 0
    for sentence, (first, last) in enumerate(sentences(text)):
        cuts = [c.span() for c in cut.finditer(text, first, last)]
        comma = None if sentence else _TAIL.search(text, first, last)
        if comma and _is_value(text[first : comma.start()]):
            cuts = sorted({*cuts, comma.span()})
        cuts = [(a, b) for a, b in cuts if not any(m.start < b and a < m.end for m in gold)]
        starts = [first, *(end for _, end in cuts)]
        ends = [*(start for start, _ in cuts), last]
        for start in starts[1:]:  # A relative clause ends at its comma.
            if relative := _RELATIVE.match(text, start, last):
                comma = relative.end() - 2
                if not any(m.start <= comma < m.end for m in gold) and not any(start < s <= comma + 2 for s in starts):
                    starts, ends = sorted([*starts, comma + 2]), sorted([*ends, comma])
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
                yield _Clause(start, end, sentence, tuple(own), frozenset(cited), text[end : end + 1] in _LEADS, _ASIDE.match(text, max(0, start - 2)) is not None)


def _rivals(
    text: str,
    stated: Sequence[_Clause],
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
        if statement.is_aside:
            continue
        for other, rival in enumerate(stated if held[number] else ()):
            if held[other] or rival.is_lead or rival.is_aside:
                continue
            span = _parallel(statement, held[number][0], rival, asked, text)
            if span and standing(text, *span) >= Standing.REASON:
                rivals.append(span)
                listed |= {number, other}
    return rivals, listed


def _parallel(
    statement: _Clause,
    gold: Mention,
    other: _Clause,
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
    text: str, gold: Mention, statement: _Clause, asked: frozenset[str]
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


def _is_value(text: str) -> bool:
    """Return whether a text is a value by itself, with no more than a preposition before it."""
    said = [t for t in tokens(text) if not t.article and t.word not in words("names.small")]
    return 0 < len(said) <= _LONGEST and not any(is_function_word(t.word) for t in said)


def _is_content(token: Token) -> bool:
    noise = words("chosen.says", "standing.passes")
    return not (token.article or is_function_word(token.word) or token.word in noise)


def _is_name(text: str) -> bool:
    said = [token for token in tokens(text) if not token.article]
    named = [token.is_name or token.word in words("names.small") for token in said]
    return 0 < len(said) <= _LONGEST and all(named) and not is_function_word(said[0].word)
