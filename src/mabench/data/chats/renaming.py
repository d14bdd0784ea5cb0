"""Invented names for people, and marks for addresses, numbers, links and keys.

This is no anonymization: who writes about what, when and how stays, and so do names of people whom
the export does not list. Texts must be read before they are given away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product

_SYLLABLES = (
    *("ba", "de", "fi", "go", "ka", "le", "mi", "no"),
    *("pa", "ru", "sa", "te", "vi", "zo", "ju", "he"),
)
_WORD = re.compile(r"\w+")
# Scripts that do not separate words by spaces.
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
# Names that are words as well: they are replaced only where they are written as in the name.
_ALSO_WORDS = """
will mark may rose grace hope joy art bill pat rob sue dean drew frank jack june april august guy
chip faith bob nick dawn eve ray rich sky summer autumn lane miles page ward young long brown green
white black gray grey king price rice stone wood hill field fox wolf bush bot support team service
help info admin sales the of and de van der la el al agent customer group
"""
_WORDS = frozenset(_ALSO_WORDS.split())
_LINK = re.compile(r"\b(?:https?://|www\.)\S{1,2000}", re.IGNORECASE)
_E_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_PHONE = re.compile(r"(?<![\w.,:/-])(?:\+|\(?0)?[\d(][\d ()/.-]{5,24}\d(?![\w:/])")
_DATE = re.compile(r"\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4}")
_KEY = re.compile(
    r"(?<![\w-])(?:(?:sk|pk|rk|ghp|gho|glpat|xox[abprs]|AKIA|ASIA|AIza|eyJ)[\w.-]{11,}[\w-]"
    r"|(?=[\w+/=-]{0,200}[a-z])(?=[\w+/=-]{0,200}[A-Z])(?=[\w+/=-]{0,200}\d)[\w+/=-]{20,200}"
    r"|[0-9a-fA-F]{32,128})"
    r"(?![\w-])"
)
_FEWEST_DIGITS, _MOST_DIGITS = 7, 15


class Renamer:
    """Gives every person the same invented name wherever one of their names occurs."""

    def __init__(self, names: Iterable[str]) -> None:
        self._whole: dict[str, str] = {}  # Names without a word in them, such as phone numbers.
        self._by_word: dict[str, str] = {}  # By word of a name, without case.
        self._as_written: dict[str, str] = {}  # By word that must be written as in the name.
        self._unspaced: dict[str, str] = {}
        names = [*names]
        taken = {word.casefold() for name in names for word in _WORD.findall(name)}
        invented = (name for name in _invent() if name.casefold() not in taken)
        for name in names:
            self._learn(name, invented)

    def _learn(self, name: str, invented: Iterator[str]) -> None:
        """Take the next invented names for a name, or for each word of it that is new."""
        if _E_MAIL.fullmatch(name) or not any(map(str.isalpha, name)):
            self._whole.setdefault(name, next(invented))
            return
        for word in _WORD.findall(name):
            if len(word) < 2 or word.isdigit():
                continue
            if _UNSPACED.search(word):
                self._unspaced.setdefault(word, next(invented))
            elif word.casefold() in _WORDS:
                if word not in self._as_written:
                    self._as_written[word] = next(invented)
            elif word.casefold() not in self._by_word:
                self._by_word[word.casefold()] = next(invented)

    def rename(self, name: str) -> str:
        """Return the invented name of a person, or of a channel or file that names people."""
        return self._whole.get(name) or self.rewrite(name)

    def rewrite(self, text: str) -> str:
        """Return a text with invented names, and with marks for addresses, numbers and keys."""
        for name, invented in self._whole.items():
            if name in text:
                text = text.replace(name, invented)
        text = _LINK.sub("[link]", text)
        text = _E_MAIL.sub("[e-mail]", text)
        text = _KEY.sub("[key]", text)
        text = _PHONE.sub(_mark_phone, text)
        text = _WORD.sub(self._word, text)
        for name, invented in self._unspaced.items():
            text = text.replace(name, invented)
        return text

    def _word(self, match: re.Match[str]) -> str:
        """Return the invented name for a word of a name; any other word as it is."""
        word = match[0]
        invented = self._as_written.get(word) or self._by_word.get(word.casefold())
        if invented is None:
            return word
        return invented.lower() if word.islower() else invented


def _mark_phone(match: re.Match[str]) -> str:
    """Return a mark for a phone number; a date or a bare number stays as it is."""
    text = match[0]
    digits = sum(map(str.isdigit, text))
    is_bare = text.isdigit() and not text.startswith("0")
    if is_bare or _DATE.search(text) or not _FEWEST_DIGITS <= digits <= _MOST_DIGITS:
        return text
    return "[phone]"


def _invent() -> Iterator[str]:
    """Yield names that nobody has, always the same ones."""
    for length in range(2, 6):
        for syllables in product(_SYLLABLES, repeat=length):
            if len({*syllables}) == length:
                yield f"{''.join(syllables).title()}n"
