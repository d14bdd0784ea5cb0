"""What kind of thing a question asks for, told by its question word."""

from __future__ import annotations

import re

from mabench.agents.words import content_words

_CAPITALISED = r"[A-Z][\w'\u2019-]*"
_NAME = re.compile(rf"\b{_CAPITALISED}(?: (?:(?:of|the|de|and) )?{_CAPITALISED})*")
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)"
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATE = re.compile(
    rf"\b(?:(?:{_ORDINAL}|\d{{1,2}}) )?{_MONTH}\b(?: (?:{_ORDINAL}|\d{{1,2}})\b)?(?:,? \d{{4}})?"
    rf"|\b{_ORDINAL}\b(?: and {_ORDINAL}\b)? centur(?:y|ies)"
    r"|\b[12]\d{3}(?:s|[-\u2013]\d{2,4})?\b(?:/\d{1,2}/\d{1,2}\b)?"
)
_NUMERAL = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty"
    r"|fifty|hundred|thousand|once|twice)"
)
_NUMBER = re.compile(
    r"\$?\b\d[\d,]*(?:\.\d+)?(?:%| (?:hundred|thousand|million|billion|trillion|percent)\b)?"
    rf"|\b{_NUMERAL}\b",
    re.IGNORECASE,
)
_HOW_MUCH = r"\bhow (?:many|much|old|long|far|tall|high|large|often)\b"
_WHEN = r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|century)\b"
_WHO = r"\b(?:who|whom|whose|where)\b"
_KINDS = tuple(
    (re.compile(asks, re.IGNORECASE), kind)
    for asks, kind in ((_HOW_MUCH, _NUMBER), (_WHEN, _DATE), (_WHO, _NAME))
)


def wanted(question: str) -> re.Pattern[str] | None:
    """Return what the things look like that may answer ``question``; None when it can be any.

    Where several question words stand in it, the first one counts.
    """
    asked = [(match.start(), kind) for word, kind in _KINDS if (match := word.search(question))]
    return min(asked, key=lambda found: found[0])[1] if asked else None


def new_things(kind: re.Pattern[str], text: str, asked: frozenset[str]) -> list[re.Match[str]]:
    """Return what is of that kind in ``text`` and has a word that is not among ``asked``."""
    return [found for found in kind.finditer(text) if not content_words(found.group()) <= asked]
