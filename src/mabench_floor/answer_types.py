"""Patterns for names, dates and numbers in a text."""

from __future__ import annotations

import re
from collections import defaultdict

from mabench.text.stems import content_words

_SMALL = (
    "A After All Although An And As At Before But By During Each Every Few For From He Her His How "
    "However I If In It Its Many Most My No Not Of On Or Our Several She Since So Some That The "
    "Their Then There These They This Those To Under Until We What When Where Which While Who With "
    "You Your"
)
_CAPITAL = r"[^\W\d_a-z]"
_CAPITALISED = rf"{_CAPITAL}[\w'\u2019-]*(?<!['\u2019-])(?<!['\u2019]s)"
_JOINT = r"(?:(?:of|the|and|de|la|le|du|des|di|da|del|al|von|van|der|den|bin|ibn) )"
# Initials before a name belong to it, as in "P. L. Travers" and "St. Paul".
_SHORT = rf"(?:(?<=[A-Z])|(?<=[SM])t|(?<=[DJS])r)\.(?= ?{_CAPITAL})"
_NEXT = rf"(?:[A-Z]{_SHORT}|{_CAPITALISED})"


def _no_small_word() -> str:
    r"""Return a condition for the place after a first letter: the word is none of ``_SMALL``.

    For the small words "A", "At" and "By" it would be ``(?!(?:(?<=A)(?:|t)|(?<=B)(?:y))\b)``. It
    follows the letter, because a pattern that begins with a class of letters is searched for much
    faster than one that begins with a condition.
    """
    rests_by_letter: defaultdict[str, list[str]] = defaultdict(list)
    for word in _SMALL.split():
        rests_by_letter[word[0]].append(word[1:])
    small_words = (
        f"(?<={letter})(?:{'|'.join(rests)})" for letter, rests in rests_by_letter.items()
    )
    return rf"(?!(?:{'|'.join(small_words)})\b)"


NAME = re.compile(
    rf"{_CAPITAL}(?<!\w\w){_no_small_word()}(?:{_SHORT}|{_CAPITALISED.removeprefix(_CAPITAL)})"
    rf"(?: {_JOINT}{{0,2}}{_NEXT}|(?<=\.){_NEXT})*"
)
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)"
_ORDER = (
    r"(?:[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth|[Ff]ifth|[Ss]ixth|[Ss]eventh|[Ee]ighth|[Nn]inth"
    r"|[Tt]enth|[Ee]leventh|[Tt]welfth|[A-Za-z][a-z]+teenth|[Tt]wentieth)"
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
DATE = re.compile(
    rf"\b(?:(?:{_ORDINAL}|\d{{1,2}}) )?{_MONTH}\b(?: (?:{_ORDINAL}|\d{{1,2}})\b)?(?:,? \d{{4}})?"
    rf"|\b(?:{_ORDINAL}|{_ORDER})\b(?: and (?:{_ORDINAL}|{_ORDER})\b)? [Cc]entur(?:y|ies)\b"
    r"(?: (?:BCE?|AD|CE)\b)?"
    r"|\b\d{1,4} (?:BCE?|AD|CE)\b"
    r"|\b\d[\d,.]{0,15} (?:(?:million|billion) )?years ago\b"
    r"|\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b"
    r"|(?<=\b[Ii]n )[1-9]\d{2}\b(?! [a-z])"
    r"|\b(?:(?:spring|summer|autumn|winter|early|late|mid)[ -])?[12]\d{3}"
    r"(?:s|[-\u2013]\d{2,4})?\b(?:/\d{1,2}/\d{1,2}\b)?"
)
_NUMERAL = (
    r"(?:(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|one"
    r"|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|once|twice)"
)
NUMBER = re.compile(
    r"(?:\b(?:US|A))?[$\u00a3\u20ac]?\b\d+(?:,\d{3})*(?:\.\d+)?"
    r"(?:%|(?:bn|m)\b| (?:hundred|thousand|million|billion|trillion|percent)\b)?"
    rf"|\b{_NUMERAL}(?:[ -](?:{_NUMERAL}|million|billion|trillion|dozen|percent)\b)*",
    re.IGNORECASE,
)


def new_mentions(kind: re.Pattern[str], text: str, asked: frozenset[str]) -> list[re.Match[str]]:
    """Return the matches in a text with a content word whose stem is not among ``asked``."""
    return [found for found in kind.finditer(text) if not content_words(found.group()) <= asked]
