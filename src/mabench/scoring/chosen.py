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
from mabench.scoring.same import Mention
from mabench.scoring.standing import Standing, sentences, standing
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word, stem

_WINDOW = 80
_MOST = 40  # Statements that are compared.
_LONGEST = 6  # Words of a value.
_CLAUSE = re.compile(
    r";|,?\s(?:while|whereas|but|yet)\s|,\s(?=(?:and )?(?:another|the other|one)\b)"
    r"|,\s(?:and|then)\s(?=(?:in |according to )?(?:the )?(?:\w+ )?(?:fact|document|entry)\b)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:fact|document|entry|statement|line|no\.?|#)s?\s*#?(\d+)", re.IGNORECASE)
_NUMBERED_AFTER = re.compile(rf"[\s(\[,]*(?:according to |in )?{_NUMBERED.pattern}", re.IGNORECASE)
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
_NO_RIVAL = re.compile(
    r"(?:so|more|less|about|thereabouts|rather|later|earlier|its?|his|her|their|this|that"
    r"|which|who|was|is|the rest|others?|not|then|now|[a-z]+ed|[a-z]+ing)\b"
)
_KNOWN_AS = re.compile(r"\b(?:known|called|named|styled) (?:as )?", re.IGNORECASE)


class _StatedValue(NamedTuple):
    """A statement of a text: where, its words but those of whom it cites, the numbers it cites."""

    start: int
    end: int
    said: tuple[Token, ...]
    cited: frozenset[str]


def settles_on(
    text: str, gold: Sequence[Mention], question: str | None, own: frozenset[str] = frozenset()
) -> bool | None:
    """Return whether a text that states ``gold`` settles on it; None if it does on nothing.

    Args:
        text: ``plain`` text.
        gold: where it asserts the gold.
        question: the question, whose words are no values.
        own: folded words that are no rivals, as those of other parts of the gold.
    """
    asked = frozenset(stem(token.word) for token in tokens(plain(question or "")))
    stated = list(_statements(text))[:_MOST]
    rivals, listed = _rivals(text, stated, gold, asked, own)
    if not rivals:
        hedges = pattern(r"\b(?:%s)\b", "standing.hedges").findall(text)
        return None if len(hedges) > 1 else True
    sides = [_side(statement, gold, rivals) for statement in stated]
    numbers = {
        number: side
        for statement, side in zip(stated, sides, strict=True)
        for number in statement.cited
        if len(side) == 1
    }
    spans = [("gold", m.end) for m in gold] + [("rival", end) for _, end in rivals]
    for name, end in spans:
        if cited := _NUMBERED_AFTER.match(text, end):
            numbers[cited[1]] = {name}
    settled = None
    every = [set(_cues_of(text, stated[place])) for place in listed]
    shared = set.intersection(*every) if len(every) > 1 else set()  # They settle nothing.
    for statement, side in zip(stated, sides, strict=True):
        cues = {
            cue
            for cue in _cues_of(text, statement)
            if cue not in shared and not {stem(word) for word in cue.split()} <= asked
        }
        if cues and not side:
            holders = [numbers[number] for number in statement.cited if number in numbers]
            side = holders[0] if len(holders) == 1 else side
        if cues and len(side) == 1:
            settled = side
    stating = [place for place, side in enumerate(sides) if side]
    for place in (*stating[-1:], *stating[:1]):
        if settled is None and place not in listed and len(sides[place]) == 1:
            settled = sides[place]
    return None if settled is None else settled == {"gold"}


def has_other_value(text: str, gold: Sequence[Mention], question: str | None) -> bool | None:
    """Return whether a text offers another value than the gold; None where that is not plain."""
    asked = frozenset(stem(token.word) for token in tokens(plain(question or "")))
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
        return any(
            token.is_name and not token.word.endswith(("ly", "ed", "ing")) for token in others
        )
    return None if len(others) < len(gold) else True


def _without_sources(text: str) -> str:
    """Return a text with spaces in place of the numbered sources that it cites."""
    return re.sub(
        r"\b(?:according to )?(?:the )?(?:fact|document|entry|statement)s?\s#?\d+",
        lambda cited: " " * len(cited[0]),
        text,
    )


def _statements(text: str) -> Iterator[_StatedValue]:
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
                yield _StatedValue(start, end, tuple(own), frozenset(cited))


def _rivals(
    text: str,
    stated: Sequence[_StatedValue],
    gold: Sequence[Mention],
    asked: frozenset[str],
    own: frozenset[str],
) -> tuple[list[tuple[int, int]], set[int]]:
    """Return where other values are asserted, and which statements list values."""
    rivals: list[tuple[int, int]] = []
    listed: set[int] = set()
    for number, statement in enumerate(stated):
        held = [m for m in gold if statement.start <= m.start < statement.end]
        for mention in held:
            beside = _beside(text, mention, statement, asked, own)
            if beside:
                rivals.append(beside)
                listed.add(number)
        if not held:
            continue
        for other, rival in enumerate(stated):
            if other == number or any(rival.start <= m.start < rival.end for m in gold):
                continue
            span = _parallel(statement, held[0], rival, asked, own, text)
            if span and standing(text, *span) >= Standing.REASON:
                rivals.append(span)
                listed |= {number, other}
    return rivals, listed


def _parallel(
    statement: _StatedValue,
    gold: Mention,
    other: _StatedValue,
    asked: frozenset[str],
    own: frozenset[str],
    text: str,
) -> tuple[int, int] | None:
    """Return what another statement says in place of the gold, by the same frame."""
    said = _frame_words(other)
    before = [token.word for token in _frame_words(statement) if token.end <= gold.start]
    after = [token.word for token in _frame_words(statement) if token.start >= gold.end]
    if not before + after and bool(statement.cited) != bool(other.cited):
        return None  # An answer, and a fact that is cited to explain it.
    told = [token.word for token in said]
    middle = said[len(before) : len(said) - len(after)]
    is_aligned = told[: len(before)] == before and told[len(told) - len(after) :] == after
    if before + after and is_aligned and 0 < len(middle) <= _LONGEST and middle[0].word not in own:
        return middle[0].start, middle[-1].end
    frame = {stem(word) for word in before + after}
    asked = asked if frame else frozenset()  # What stands by itself is a value in any case.
    places = [
        place
        for place, token in enumerate(said)
        if _is_content(token) and stem(token.word) not in frame | asked and token.word not in own
    ]
    if not places or places[-1] - places[0] >= _LONGEST or text[other.end - 1] == "?":
        return None
    filler = said[places[0] : places[-1] + 1]
    if any(
        p not in places and said[p].word not in words("names.small")
        for p in range(places[0], places[-1])
    ):
        return None
    lead = told[places[0] - 1] if places[0] else ""
    if lead != (before[-1] if before else ""):
        return None
    if text[gold.start].isupper() or text[gold.start].isdigit():
        small = words("names.small")
        if not all(t.is_name or t.word in small or text[t.start - 1] == "-" for t in filler):
            return None
        if not any(token.raw[0].isdigit() == text[gold.start].isdigit() for token in filler):
            return None
    return filler[0].start, filler[-1].end


def _beside(
    text: str, gold: Mention, statement: _StatedValue, asked: frozenset[str], own: frozenset[str]
) -> tuple[int, int] | None:
    """Return what stands beside a mention as its alternative: ``A or B``, ``both A and B``."""
    before = text[max(statement.start, gold.start - _WINDOW) : gold.start]
    after = text[gold.end : gold.end + _WINDOW]
    start = text[gold.start]
    is_cited = _without_sources(before + after) != before + after
    before, after = _without_sources(before), _without_sources(after)
    line = [t.strip(" .!\"'") for t in text[statement.start : statement.end].split(",", _MOST)]
    if len(line) > 2 and all(map(_is_name, line)) and start.isupper():
        others = [part for part in line if part not in text[max(0, gold.start - 4) : gold.end]]
        if others and not all(token.word in own for part in others for token in tokens(part)):
            return statement.start, statement.end
    is_both = is_cited or pattern(r"\b(?:%s)\b", "chosen.both").search(before) is not None
    offset = gold.start - len(before)
    for match, base in ((_AFTER.match(after), gold.end), (_BEFORE.search(before), offset)):
        if match is None or _NO_RIVAL.match(match["other"]):
            continue
        other, joint = match["other"], match["joint"].casefold()
        told = [word.strip(".'-").casefold() for word in other.split()]
        if own.intersection(told) or _KNOWN_AS.search(match.string[: match.end()]):
            continue
        span = base + match.start("other"), base + match.end("other")
        if start.isdigit() and joint in ("and", "or", "/"):
            is_rival = other[0].isdigit()
        elif joint == "or" or joint[0] in "/|v" or is_both:
            is_rival = other[0].isupper() or not start.isupper()
        else:
            named = other[0].isupper() and start.isupper()
            is_rival = named and stem(told[0]) not in asked
        if is_rival and standing(text, *span) >= Standing.ASKED:
            return span
    return None


def _frame_words(statement: _StatedValue) -> list[Token]:
    noise = words("chosen.says")
    return [token for token in statement.said if not token.article and token.word not in noise]


def _side(
    statement: _StatedValue, gold: Sequence[Mention], rivals: Sequence[tuple[int, int]]
) -> set[str]:
    sides = {"gold" for mention in gold if statement.start <= mention.start < statement.end}
    return sides | {"rival" for start, _ in rivals if statement.start <= start < statement.end}


def _cues_of(text: str, statement: _StatedValue) -> list[str]:
    cues = pattern(r"\b(?:%s)\b", "chosen.settles")
    return [cue.casefold() for cue in cues.findall(text, statement.start, statement.end)]


def _is_content(token: Token) -> bool:
    return not (token.article or is_function_word(token.word) or token.word in words("chosen.says"))


def _is_name(text: str) -> bool:
    said = [token for token in tokens(text) if not token.article]
    named = [token.is_name or token.word in words("names.small") for token in said]
    return 0 < len(said) <= _LONGEST and all(named) and not is_function_word(said[0].word)
