"""Which texts are English, and when two texts of any language are the same.

The rules of the corrected score are rules of English. A text in another language is read by
identity alone: what is not the gold, letter for letter, is unclear.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from mabench.scoring.lexicon import remembered, words

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_NAME = re.compile(r"\b[^\W\d_a-z][^\W\d_]*(?:(?: [^\W\d_]{1,3}){1,2} [^\W\d_a-z][^\W\d_]*)+")
_FEW = 0.1  # Share of letters of other scripts that an English text may have.
_LATIN = re.compile(r"[A-Za-z\u00aa\u00ba\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff\uff21-\uff5a]")
_SENTENCE = 3  # Words from which on an English question has a function word.
_READ = 8_000  # Characters that are looked at.


@remembered(2048)
def is_english(text: str) -> bool | None:
    """Return whether a text is English, by its script and its function words; None if open.

    Short words between capitalised ones are parts of names: ``Rio de Janeiro``.
    """
    text = text[:_READ]
    if not text.isascii():
        letters = [character for character in text if character.isalpha()]
        others = sum(not _LATIN.match(letter) for letter in letters)
        if others > _FEW * len(letters):
            return False
    english = sum(w.casefold() in words("languages.english") for w in _WORD.findall(text))
    outside_names = _WORD.findall(_NAME.sub(" ", text))
    foreign = sum(word in words("languages.others") for word in outside_names)
    if english == foreign:
        return None
    return english > foreign


def speaks_english(text: str, question: str | None, golds: tuple[str, ...]) -> bool:
    """Return whether rules of English may decide an answer.

    The question must not be in another language; where the answer is too short to tell, the
    question, and else the golds, tell its language.
    """
    asked = is_english(question or "")
    is_long = len(_WORD.findall(question or "")) >= _SENTENCE
    if (
        asked is False
        or (asked is None and is_long)
        or any(_has_other_script(gold) for gold in golds)
    ):
        return False
    said = is_english(text)
    if said is not None:
        return said
    return asked is True or all(is_english(gold) is not False for gold in golds)


def _has_other_script(text: str) -> bool:
    if text.isascii():
        return False
    return any(letter.isalpha() and not _LATIN.match(letter) for letter in text)


@lru_cache(maxsize=2048)
def identity(text: str) -> str:
    """Return what is compared of a text in any language.

    Case, width, the digits of a script, quotation marks, punctuation and white space play no part;
    accents do, and so do signs between or before digits.
    """
    said = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    kept = "".join(_kept(said, place) for place in range(len(said)))
    return " ".join(kept.split())


def _kept(text: str, place: int) -> str:
    character = text[place]
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(character)
    if category == "Cf":
        return ""
    if category[0] not in "PSZC" or category == "Sc":
        return character
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if character in "%+#&":
        return character
    is_between = before.isdigit() and after.isdigit()
    if character in ".,:/-'" and is_between:
        return character
    return character if character in "-\u2212" and after.isdigit() and not before.isalnum() else " "
