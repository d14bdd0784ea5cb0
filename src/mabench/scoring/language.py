"""Which texts are English, and when two texts of any language are the same.

The rules of the corrected score are rules of English. A text in another language is read by
identity alone: what is not the gold, letter for letter, is unclear.

``languages.english`` and ``languages.others`` are lists of function words, in ``words.toml``.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from mabench.scoring.lexicon import remembered, words

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
# Capitalised words with one or two short words between them: "Rio de Janeiro".
_NAME_WITH_SMALL_WORDS = re.compile(
    r"\b[^\W\d_a-z][^\W\d_]*(?:(?: [^\W\d_]{1,3}){1,2} [^\W\d_a-z][^\W\d_]*)+"
)
_MOST_OF_OTHER_SCRIPTS = 0.1  # Share of letters of other scripts that an English text may have.
_LATIN_LETTER = re.compile(
    r"[A-Za-z\u00aa\u00ba\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff\uff21-\uff5a]"
)
_FEWEST_WORDS_OF_SENTENCE = 3  # Words from which on an English question has a function word.
_MOST_CHARACTERS = 8_000  # Characters that are looked at.
_SIGNS_OF_NUMBERS = frozenset("%+#&")  # Signs that say something: C++ is not C.
_SIGNS_BETWEEN_DIGITS = frozenset(".,:/-'")
_MINUS_SIGNS = frozenset("-\u2212")


@remembered(2048)
def is_english(text: str) -> bool | None:
    """Return whether a text is English, by its script and its function words; None if open.

    Short words between capitalised ones are parts of names: ``Rio de Janeiro``.
    """
    text = text[:_MOST_CHARACTERS]
    if not text.isascii():
        letters = [character for character in text if character.isalpha()]
        others = sum(not _LATIN_LETTER.match(letter) for letter in letters)
        if others > _MOST_OF_OTHER_SCRIPTS * len(letters):
            return False
    english = sum(word.casefold() in words("languages.english") for word in _WORD.findall(text))
    outside_names = _WORD.findall(_NAME_WITH_SMALL_WORDS.sub(" ", text))
    foreign = sum(word in words("languages.others") for word in outside_names)
    if english == foreign:
        return None
    return english > foreign


def speaks_english(text: str, question: str | None, golds: tuple[str, ...]) -> bool:
    """Return whether rules of English may decide an answer.

    The question must not be in another language; where the answer is too short to tell, the
    question, and else the golds, tell its language.
    """
    is_question_english = is_english(question or "")
    is_sentence = len(_WORD.findall(question or "")) >= _FEWEST_WORDS_OF_SENTENCE
    # A sentence in which no English word is known is in another language.
    is_foreign = is_question_english is False or (is_question_english is None and is_sentence)
    if is_foreign or any(_has_other_script(gold) for gold in golds):
        return False
    is_text_english = is_english(text)
    if is_text_english is not None:
        return is_text_english
    return is_question_english is True or all(is_english(gold) is not False for gold in golds)


def _has_other_script(text: str) -> bool:
    """Return whether a text has a letter that is not Latin."""
    if text.isascii():
        return False
    return any(letter.isalpha() and not _LATIN_LETTER.match(letter) for letter in text)


@lru_cache(maxsize=2048)
def identity(text: str) -> str:
    """Return what is compared of a text in any language.

    Case, width, the digits of a script, quotation marks, punctuation and white space play no part;
    accents do, and so do signs between or before digits.
    """
    # Again behind casefolding, which may take a character apart.
    said = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    kept = "".join(_compared_character(said, place) for place in range(len(said)))
    return " ".join(kept.split())


def _compared_character(text: str, place: int) -> str:
    """Return what is compared of the character at a place: itself, a digit, a space or nothing."""
    character = text[place]
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(character)
    is_invisible, is_currency = category == "Cf", category == "Sc"
    if is_invisible:
        return ""
    is_sign = category[0] in "PSZC"  # Punctuation, symbols, separators and control characters.
    if not is_sign or is_currency or character in _SIGNS_OF_NUMBERS:
        return character
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    is_between = before.isdigit() and after.isdigit()
    is_minus = character in _MINUS_SIGNS and after.isdigit() and not before.isalnum()
    return character if is_minus or (is_between and character in _SIGNS_BETWEEN_DIGITS) else " "
