"""Whether a text that does not state the gold states a rival of it, or may mean the gold.

Only what surely is another value counts: a name that shares no word with the gold, a number of
the same things, a time that cannot be the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mabench.scoring.lexicon import words
from mabench.scoring.sameness.kin import may_be
from mabench.scoring.sameness.units import measures
from mabench.scoring.sameness.wordings import is_small, wanted_tokens
from mabench.scoring.stated.reading import is_no_value, new_words
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word, stem

_VAGUE_NUMBER = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|over|under|more than|less than"
    r"|fewer than|at least|at most|up to|just|some|circa|a couple(?: of)?|a few|several|dozens?"
    r"|hundreds|thousands|half|or so|plus)\b|[~<>+\u2248/]|\d to \d|\b(?:per|every|each)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d.,])[12]\d{3}(?![\d.,]\d|\d)")
_CITED = re.compile(
    r"\b(?:documents?|facts?|entr(?:y|ies)|lines?|passages?|records?|sessions?) ?#?\d+",
    re.IGNORECASE,
)
_TENTH = 0.1  # Share by which two measures surely differ.
_NUMBER = re.compile(r"(?<![\w.,:/-])(\d+(?:\.\d+)?)(?![\w:/]|[.,]\d)(?: ([^\W\d_]+))?")


def only_repeats(text: str, question: str) -> bool:
    """Return whether a text says words of the question and no others, and so does not answer it."""
    is_any = any(not is_no_value(token.word) for token in tokens(text))
    return is_any and not new_words(text, question)


def may_mean_name(gold: str, text: str, question: str) -> bool:
    """Return whether a text says a word of a name, or one much like it, and so may mean it.

    It surely means another where the family name follows another given name (``Otto
    Lindholm`` for Hedda Lindholm), or a word such as ``North`` before the name.
    """
    asked = tokens(plain(question))
    known = {token.word for token in asked}
    common = {token.word for token in asked if token.raw.islower()}
    wanted = [t for t in wanted_tokens(gold) if not is_small(t.word)] or [*wanted_tokens(gold)]
    kinds = words("names.features", "names.kinds", "names.settled")
    if {name.word for name in wanted} & kinds and known.issuperset(
        name.word for name in wanted if name.word not in kinds
    ):
        return True  # Lake Geneva, where it is asked of Geneva.
    said = tokens(text)
    for place, token in enumerate(said):
        alike = [name for name in wanted if may_be(name, token)]
        before = said[place - 1] if place else None
        is_common = token.word in common and len(wanted) > 1
        if (
            alike
            and not is_common
            and not (before and _is_other(text, wanted, alike, before, token))
        ):
            return True
    return _abbreviates(wanted, said)


def _is_other(
    text: str, wanted: Sequence[Token], alike: Sequence[Token], before: Token, token: Token
) -> bool:
    """Return whether the word before one that a name shares makes another name of it."""
    is_joined = text[before.end : token.start] == " " and before.raw[0].isupper()
    if not is_joined or any(may_be(name, before) for name in wanted):
        return False
    if before.word in words("names.other_place"):
        return True
    is_title = is_function_word(before.word) or before.word in words("names.titles")
    is_family_name = len(wanted) > 1 and alike[0] == wanted[-1]
    return (
        is_family_name and not is_title and token.word not in words("names.features", "names.kinds")
    )


def _abbreviates(wanted: Sequence[Token], said: Sequence[Token]) -> bool:
    initials = "".join(token.raw[0] for token in wanted).casefold()
    is_short = len(wanted) == 1 and wanted[0].raw.isupper() and len(wanted[0].raw) > 1
    for place, token in enumerate(said):
        if token.raw.isupper() and len(token.raw) > 1 and token.word[0] == initials[:1]:
            return True
        if is_short:
            run = said[place : place + len(wanted[0].raw)]
            if "".join(t.raw[0] for t in run).casefold() == wanted[0].word:
                return True
    return False


def _are_measures(one: re.Match[str], other: re.Match[str]) -> bool:
    """Return whether two numbers measure the same kind of thing, and differ."""
    first, second = (
        measures().get((match[2] or "").lower().removesuffix("s")) for match in (one, other)
    )
    if first is None or second is None or first.kind != second.kind:
        return False
    sizes = float(one[1]) * first.size, float(other[1]) * second.size
    return abs(sizes[0] - sizes[1]) > _TENTH * max(sizes)


def tells_other_number(gold: str, text: str, question: str) -> bool:
    """Return whether a text surely tells another number of the same things."""
    wanted = _NUMBER.search(plain(gold))
    if wanted is None or _VAGUE_NUMBER.search(text) or _VAGUE_NUMBER.search(gold):
        return False
    text = _CITED.sub(" ", text)
    text = _YEAR.sub(" ", text)
    known = {stem(token.word) for token in tokens(plain(question))}
    numbers = [
        n for n in _NUMBER.finditer(text) if (n[2] or "").lower() not in words("times.months")
    ]
    said = {match[1] for match in numbers} - {n[1] for n in _NUMBER.finditer(plain(question))}
    if len(said) != 1:
        return False
    match = next(match for match in numbers if match[1] in said)
    if _are_measures(wanted, match):
        return True
    thing, other = (stem((m[2] or "").lower()) for m in (wanted, match))
    if wanted[1] in said:
        return False
    is_same = not (other and thing) or thing == other or is_function_word(other)
    return is_same or (other in known and thing in known)
