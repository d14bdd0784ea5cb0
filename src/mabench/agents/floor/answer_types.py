"""What kind of thing a question asks for, told by its question word and the noun after it."""

from __future__ import annotations

import re

from mabench.text.stems import content_words, is_function_word, tokens

_SMALL = (
    "A After All Although An And As At Before But By During Each Every Few For From He Her His How "
    "However I If In It Its Many Most My No Not Of On Or Our Several She Since So Some That The "
    "Their Then There These They This Those To Under Until We What When Where Which While Who With "
    "You Your"
)
_CAPITALISED = r"[^\W\d_a-z][\w'\u2019-]*(?<!['\u2019-])(?<!['\u2019]s)"
_JOINT = r"(?:(?:of|the|and|de|la|le|du|des|di|da|del|al|von|van|der|den|bin|ibn) )"
NAME = re.compile(
    rf"\b(?!(?:{'|'.join(_SMALL.split())})\b){_CAPITALISED}(?: {_JOINT}{{0,2}}{_CAPITALISED})*"
)
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)"
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
DATE = re.compile(
    rf"\b(?:(?:{_ORDINAL}|\d{{1,2}}) )?{_MONTH}\b(?: (?:{_ORDINAL}|\d{{1,2}})\b)?(?:,? \d{{4}})?"
    rf"|\b{_ORDINAL}\b(?: and {_ORDINAL}\b)? centur(?:y|ies)"
    r"|\b[12]\d{3}(?:s|[-\u2013]\d{2,4})?\b(?:/\d{1,2}/\d{1,2}\b)?"
)
_NUMERAL = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty"
    r"|fifty|hundred|thousand|once|twice)"
)
NUMBER = re.compile(
    r"\$?\b\d+(?:,\d{3})*(?:\.\d+)?(?:%| (?:hundred|thousand|million|billion|trillion|percent)\b)?"
    rf"|\b{_NUMERAL}\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"\b(?:who|whom|whose|where|when|how|what|which)\b", re.IGNORECASE)
_ONE_OF = re.compile(r"\b(?:what|which) (?:\w+ of )?([^\W_]+)", re.IGNORECASE)
_MEASURE = re.compile(r"many|much|old|long|far|tall|high|large|big|deep|wide|heavy|often")
_NOUNS = (
    (re.compile(r"(?:year|date|day|month|century|decade|time|birthday)s?"), DATE),
    (
        re.compile(r"number|population|age|height|length|distance|price|cost|percentage|amount"),
        NUMBER,
    ),
    (re.compile(r"names?|person|title"), NAME),
)


def answer_pattern(question: str) -> re.Pattern[str] | None:
    """Return what the things look like that may answer ``question``; None when it can be any.

    Where several question words stand in it, the first one counts.
    """
    asked = _QUESTION.search(question)
    if asked is None:
        return None
    word, rest = asked.group().lower(), tokens(question[asked.end() :])
    if word in ("who", "whom", "whose", "where"):
        return NAME
    if word == "when":
        return DATE
    if word == "how":
        return NUMBER if rest and _MEASURE.fullmatch(rest[0]) else None
    noun = next((word for word in rest if not is_function_word(word)), "")
    return next((kind for nouns, kind in _NOUNS if nouns.fullmatch(noun)), None)


def asks_for_one_of(question: str) -> bool:
    """Say whether ``question`` asks for one of a kind that it names, as in "which river"."""
    asked = _ONE_OF.search(question)
    return bool(asked and not is_function_word(asked.group(1).lower()))


def new_mentions(kind: re.Pattern[str], text: str, asked: frozenset[str]) -> list[re.Match[str]]:
    """Return what is of that kind in ``text`` and has a word that is not among ``asked``."""
    return [found for found in kind.finditer(text) if not content_words(found.group()) <= asked]
