"""Whether a text that does not state the gold states a rival of it, or may mean the gold.

Only what surely is another value counts: a name that shares no word with the gold, a number of
the same things, a time that cannot be the same.

A token is a word with its place in a text: ``word`` is folded, and ``raw`` is as it is written.
``words.toml`` has the lists that are named here, as ``names.other_place``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mabench.scoring.lexicon import words
from mabench.scoring.sameness.kin import may_be
from mabench.scoring.sameness.units import measures, rates_in, without_rates
from mabench.scoring.sameness.wordings import is_small, wanted_tokens
from mabench.scoring.stated.reading import new_words
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word, stem

_VAGUE_NUMBER = re.compile(
    r"\b(?:over|under|more than|less than|fewer than|at least|at most|up to|just|some"
    r"|a couple(?: of)?|a few|several|dozens?|hundreds|thousands|half|plus)\b"
    r"|[<>+/]|\d to \d|\b(?:per|every|each)\b",
    re.IGNORECASE,
)
_ABOUT_RIGHT = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|circa|or so)\b|[~\u2248]",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d.,])[12]\d{3}(?![\d.,]\d|\d)")
_CITED_NUMBER = re.compile(
    r"\b(?:documents?|facts?|entr(?:y|ies)|lines?|passages?|records?|sessions?) ?#?\d+",
    re.IGNORECASE,
)
_TENTH = 0.1  # Share by which two measures surely differ.
_QUARTER = 0.25  # The same where one is said to be only about right.
_DAYS_OF_MONTH = 365.25 / 12
_NUMBER = re.compile(r"(?<![\w.,:/-])(\d+(?:\.\d+)?)(?![\w:/]|[.,]\d)(?: ([^\W\d_]+))?")


def only_repeats(text: str, question: str) -> bool:
    """Return whether a text says words of the question and no others, and so does not answer it."""
    is_any = any(not is_function_word(token.word) for token in tokens(text))
    return is_any and not new_words(text, question)


def may_mean_name(gold: str, text: str, question: str) -> bool:
    """Return whether a text says a word of a name, or one much like it, and so may mean it.

    It surely means another where the family name follows another given name (``Otto
    Lindholm`` for Hedda Lindholm), or a word such as ``North`` before the name. A word that the
    question has in small letters is no part of a name of several words.
    """
    asked, all_words = tokens(plain(question)), wanted_tokens(gold)
    wanted = [token for token in all_words if not is_small(token.word)] or [*all_words]
    if _is_kind_of_asked(wanted, asked):
        return True
    common = {token.word for token in asked if token.raw.islower()}
    said = tokens(text)
    for place, token in enumerate(said):
        alike = [name for name in wanted if may_be(name, token)]
        is_common = token.word in common and len(wanted) > 1
        if not alike or is_common:
            continue
        before = said[place - 1] if place else None
        if before is None or not _makes_other_name(before, token, text, wanted, alike[0]):
            return True
    return _abbreviates(wanted, said)


def _is_kind_of_asked(wanted: Sequence[Token], asked: Sequence[Token]) -> bool:
    """Return whether a name is words of the question with a kind: Lake Geneva, asked of Geneva."""
    kinds = words("names.features", "names.kinds", "names.settled")
    names = [token.word for token in wanted if token.word not in kinds]
    return len(names) < len(wanted) and {token.word for token in asked}.issuperset(names)


def _makes_other_name(
    before: Token, token: Token, text: str, wanted: Sequence[Token], alike: Token
) -> bool:
    """Return whether the word before one that a name shares makes another name of it.

    ``wanted`` are the words of the gold, and ``alike`` is the one that ``token`` may be.
    """
    is_joined = text[before.end : token.start] == " " and before.raw[0].isupper()
    if not is_joined or any(may_be(name, before) for name in wanted):
        return False
    if before.word in words("names.other_place"):
        return True
    is_title = is_function_word(before.word) or before.word in words("names.titles")
    is_family_name = len(wanted) > 1 and alike == wanted[-1]
    is_kind = token.word in words("names.features", "names.kinds")
    return is_family_name and not is_title and not is_kind


def _abbreviates(wanted: Sequence[Token], said: Sequence[Token]) -> bool:
    """Return whether a text may abbreviate a name, or a name what a text says in full.

    Any word in capitals that begins as the name may abbreviate it. A name that is initials itself
    is said in full by as many words that begin so.
    """
    first_letter = wanted[0].raw[0].casefold()[:1] if wanted else ""
    initials = wanted[0] if len(wanted) == 1 else None
    if initials and not (initials.raw.isupper() and len(initials.raw) > 1):
        initials = None
    for place, token in enumerate(said):
        is_in_capitals = token.raw.isupper() and len(token.raw) > 1
        if is_in_capitals and token.word[0] == first_letter:
            return True
        if initials:
            run = said[place : place + len(initials.raw)]
            if "".join(word.raw[0] for word in run).casefold() == initials.word:
                return True
    return False


def find_other_number(gold: str, text: str, question: str) -> tuple[int, int] | None:
    """Return where a text surely tells another number of the same things; None if it does not.

    Nothing is sure of numbers that are vague (``over 5``), or are rates by different times. One
    that is about right is another only if it is far off, as is a measure in any unit.
    """
    gold = plain(gold)
    if rates_in(gold) == rates_in(text):
        gold, text = without_rates(gold), without_rates(text)
    wanted = _NUMBER.search(gold)
    if wanted is None or _VAGUE_NUMBER.search(text) or _VAGUE_NUMBER.search(gold):
        return None
    told = _find_only_number(text, question)
    if told is None:
        return None
    is_about = bool(_ABOUT_RIGHT.search(text) or _ABOUT_RIGHT.search(gold))
    is_near = is_about and _are_near(float(wanted[1]), float(told[1]))
    is_other_count = told[1] != wanted[1] and not is_near and _counts_same(wanted, told, question)
    share = _QUARTER if is_about else _TENTH
    is_other = is_other_count or _are_other_measures(wanted, told, share=share)
    return told.span(1) if is_other else None


def _find_only_number(text: str, question: str) -> re.Match[str] | None:
    """Return the number that a text tells, if it tells one, beside years and those of the question.

    It is a match of ``_NUMBER``: the number, and the word behind it.
    """
    text = _YEAR.sub(_blank, _CITED_NUMBER.sub(_blank, text))
    asked = {match[1] for match in _NUMBER.finditer(plain(question))}
    told = list[re.Match[str]]()
    for match in _NUMBER.finditer(text):
        is_day = (match[2] or "").lower() in words("times.months")
        if match[1] not in asked and not is_day:
            told.append(match)
    return told[0] if len({match[1] for match in told}) == 1 else None


def _blank(match: re.Match[str]) -> str:
    """Return as many spaces as a match is long, so that what is behind it keeps its place."""
    return " " * len(match[0])


def _are_other_measures(one: re.Match[str], other: re.Match[str], *, share: float) -> bool:
    """Return whether two numbers measure the same, and differ by more than a share."""
    first, second = _measure(one), _measure(other)
    if first is None or second is None or first[0] != second[0]:
        return False
    return abs(first[1] - second[1]) > share * max(first[1], second[1])


def _measure(number: re.Match[str]) -> tuple[str, float] | None:
    """Return what a number with its unit measures, and how much; None without a unit.

    Months are made days, so that years and weeks compare.
    """
    unit = measures().get((number[2] or "").lower().removesuffix("s"))
    if unit is None:
        return None
    size = float(number[1]) * unit.size
    return ("days", size * _DAYS_OF_MONTH) if unit.kind == "months" else (unit.kind, size)


def _are_near(one: float, other: float) -> bool:
    """Return whether two numbers may be one, of which one is only about right."""
    return abs(one - other) <= max(1, _QUARTER * max(one, other))


def _counts_same(wanted: re.Match[str], told: re.Match[str], question: str) -> bool:
    """Return whether two numbers count the same things, by the words behind them.

    Without a word behind either, they are taken to; two words of the question may be two of one
    thing, too.
    """
    asked = {stem(token.word) for token in tokens(plain(question))}
    thing, other_thing = (stem((match[2] or "").lower()) for match in (wanted, told))
    if not thing or not other_thing or is_function_word(other_thing):
        return True
    return thing == other_thing or {thing, other_thing} <= asked
