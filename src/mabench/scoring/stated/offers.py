"""What a question offers beside the gold: of ``a dog or a cat``, the other one is a rival."""

from __future__ import annotations

import re

from mabench.scoring.sameness.same import mentions
from mabench.scoring.tokens import plain
from mabench.text.stems import is_function_word

_CAPITALIZED = (
    r"[A-Z0-9][\w'.:-]*(?: (?:(?:of|for|the|and|de|la|in|on|to|an?|&|from|with) ){0,2}"
    r"[A-Z0-9][\w'.:-]*)*"
)
_NAME = re.compile(_CAPITALIZED)
_OR_BEFORE = re.compile(r"\bor (?:[Tt]he )?(?:[a-z]+ ){0,3}[\"']?$")
_OR_BEHIND = re.compile(r"[\"',]{0,2} or ")
_NAME_BEHIND = re.compile(rf"(?:[a-z]+ ){{0,4}}({_CAPITALIZED})")
_LAST_NOUNS = re.compile(r"\b(?:an?|the|his|her|their|its) ((?:[a-z]+ ){0,2}[a-z]+),? $")
_LAST_WORD = re.compile(r"\b([a-z]+),? $")
_WORD_OR_SIGN = re.compile(r"[^\W\d_]+|\S")


def offered_beside(gold: str, question: str) -> str | None:
    """Return what a question offers beside the gold, if it offers two: ``X or Y?``.

    A gold with a capital has another name beside it, and others have other words.
    """
    asked = plain(question)
    for own in mentions(gold, asked) if " or " in asked else ():
        before, after = asked[: own.start], asked[own.end :]
        is_name = asked[own.start].isupper()
        if offered := _OR_BEFORE.search(before):
            return _last_thing(before[: offered.start()], is_name=is_name)
        if offered := _OR_BEHIND.match(after):
            return _first_thing(after[offered.end() :], is_name=is_name)
    return None


def _last_thing(text: str, *, is_name: bool) -> str | None:
    """Return the last name of a text; else what follows its last article, or its last word."""
    if is_name:
        return next(reversed(_NAME.findall(text)), None)
    behind_article = _LAST_NOUNS.search(text) or _LAST_WORD.search(text)
    return behind_article[1] if behind_article else None


def _first_thing(text: str, *, is_name: bool) -> str | None:
    """Return the name that opens a text; else its first words with content, side by side."""
    if is_name:
        name = _NAME_BEHIND.match(text)
        return name[1].rstrip("?.") if name else None
    words = list[str]()
    for word in _WORD_OR_SIGN.findall(text):
        if word.isalpha() and not is_function_word(word):
            words.append(word)
        elif words or not word.isalpha():
            break
    return " ".join(words) or None
