"""Texts made comparable: no accents and typographic signs, quantities in one form; their words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from mabench.scoring.lexicon import entries
from mabench.scoring.official import normalize
from mabench.scoring.sameness.quantities import rewritten

# Typographic signs as ASCII ones, and none that are invisible.
_SIGNS = (
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032`\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2212", "-")
    | {"&": " and "}
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", "")
)
# Letters that do not decompose.
_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"}
_PLAIN, _FOLDED = str.maketrans(_SIGNS), str.maketrans(_SIGNS | _LETTERS)
_ACCENT = re.compile("[\u0300-\u036f]")
_UNGROUPED = str.maketrans("", "", ", '")
_GROUPS = r"\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+|\d{1,3}(?:'\d{3})+|\d+"
_WORD = re.compile(
    rf"(?<![^\W_])(?P<number>(?:(?<!\S)-)?(?:{_GROUPS})(?:\.\d+)*)(?![^\W_])"
    r"|[^\W_]+(?:'[^\W_]+)*"
)
_BELOW_20, _TENS = entries("quantities.units"), ("", "", *entries("quantities.tens"))
_NUMBER = re.compile(
    rf"(?<![^\W_])(?:({'|'.join(_TENS[2:])})(?:[ -]({'|'.join(_BELOW_20[1:10])}))?"
    rf"|({'|'.join(_BELOW_20)}))(?![^\W_]|')"
)


def _without_signs(text: str) -> str:
    """Return ``text`` without accents, compatibility forms and typographic signs."""
    decomposed = text if text.isascii() else unicodedata.normalize("NFKD", text)
    return _ACCENT.sub("", decomposed).translate(_PLAIN)


def fold(text: str) -> str:
    """Return ``text`` without signs as above, and without case."""
    folded = text.casefold()
    if not folded.isascii():  # Most texts are, and this takes ten times as long.
        folded = _ACCENT.sub("", unicodedata.normalize("NFKD", folded)).casefold()
    return folded.translate(_FOLDED)


@lru_cache(maxsize=8192)
def spelling(text: str) -> tuple[str, ...]:
    """Return the folded words of ``text``, to compare texts as wholes; no ``the``, no punctuation.

    Numbers lose their thousands separators and idle decimals (``1,000.0`` and ``1 000`` are
    ``1000``), number words below a hundred become digits, and a possessive ``'s`` goes.
    """
    return tuple(word for word, _ in _words(text))


def answer_finder(text: str) -> Callable[[Sequence[str]], bool]:
    """Return a function that says whether one of some answers stands in ``text``.

    Case, accents, typographic signs, ``the`` and the way a number is written play no part; a
    part of a hyphenated word is not a word, and an answer that normalises to nothing stands
    nowhere. The words of ``text`` are read once, so that asking again takes no more than a
    search for a string.
    """
    read = list(_words(text))
    # No word holds a space, so a place in this string gives the number of the word there.
    spaced = f" {' '.join(word for word, _ in read)} "
    joined = bytes(joined for _, joined in read) + b"\0"

    def stands(wanted: tuple[str, ...]) -> bool:
        phrase = f" {' '.join(wanted)} "
        place = spaced.find(phrase)
        while place >= 0:
            start = spaced.count(" ", 0, place)
            if not (joined[start] or joined[start + len(wanted)]):
                return True
            place = spaced.find(phrase, place + 1)
        return False

    return lambda answers: any(map(stands, _wanted_words(tuple(answers))))


@lru_cache(maxsize=256)  # The answers of a question are looked for in every chunk.
def _wanted_words(answers: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the words to look for; an article that opens an answer need not be said."""
    wanted = [spelling(gold) for gold in answers if normalize(gold)]
    wanted = [said[1:] if said[:1] in {("a",), ("an",)} else said for said in wanted]
    return [said for said in wanted if said]


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the words, each with whether it belongs to the one before (``vice-president``)."""
    text, end = _NUMBER.sub(_in_digits, fold(text)), 0
    for match in _WORD.finditer(text):
        word, between = match[0], text[end : match.start()]
        is_number = end > 0 and text[end - 1].isdigit() and word[0].isdigit()
        joined = end > 0 and (between == "-" or (is_number and between in {*".,:/\u2013"}))
        end = match.end()
        if match["number"]:
            word = word.translate(_UNGROUPED)
            if word.count(".") == 1:
                word = word.rstrip("0").rstrip(".")
        word = word.removesuffix("'s").replace("'", "") or word
        if word != "the":
            yield word, joined


def _in_digits(said: re.Match[str]) -> str:
    if said[3]:
        return str(_BELOW_20.index(said[3]))
    return str(10 * _TENS.index(said[1]) + (_BELOW_20.index(said[2]) if said[2] else 0))


_DECORATION = re.compile(r"[*`]+|(?<![^\W_])_+|_+(?![^\W_])|^#+ |^> ?", re.MULTILINE)
_NOTE_NUMBER = re.compile("(?<=[^\\W\\d_]{3})[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")
_DECADE = re.compile(r"(\d0)'s\b")
_INITIALS = re.compile(r"\b(?:[A-Z]\.[ ]?){2,}(?![a-z])")
_STATES = dict(e.replace("_", " ").split(":") for e in entries("names.state_codes"))
_STATE = re.compile(r"(?<=[a-z], )[A-Z]{2}(?=\W*(?:$|\s[a-z(\d]|[.,;:]\s))")
_TOKEN = re.compile(r"(?<![^\W_])-?\d+(?:\.\d+)*(?![^\W_])|[^\W_]+(?:'[^\W_]+)*")
_BEFORE_WORD = re.compile(r"\s+[\"'(]?[^\W_]")


class Token(NamedTuple):
    """A word of a text: folded, as it is written, where, and whether it is an article."""

    word: str
    raw: str
    start: int
    end: int
    article: bool

    @property
    def is_name(self) -> bool:
        """Whether it begins as a name or a number does."""
        return self.raw[0].isupper() or self.raw[0].isdigit()


def bare(text: str) -> str:
    """Return ``text`` without accents, Markdown signs and typographic variants; case stays."""
    signs = _DECORATION.sub("", _without_signs(_NOTE_NUMBER.sub("", text)))
    return _DECADE.sub(r"\1s", signs)


@lru_cache(maxsize=512)
def plain(text: str, initials: bool = True) -> str:
    """Return ``bare`` text with its quantities in one way of writing, and its initials joined.

    Args:
        text: any text.
        initials: whether to join initials; not where ``A. B.`` may be two options.
    """
    said = _STATE.sub(lambda m: _STATES.get(m[0], m[0]), bare(text))
    if initials:
        said = _INITIALS.sub(lambda m: re.sub("[. ]", "", m[0]) + " ", said)
    return rewritten(said)


@lru_cache(maxsize=512)
def tokens(text: str) -> tuple[Token, ...]:
    """Return the words of ``text``, which is ``plain`` already."""
    listed: list[Token] = []
    for match in _TOKEN.finditer(text):
        word = match[0].lower() if match[0].isascii() else fold(match[0])  # Much faster.
        word = word.removesuffix("'s").replace("'", "") or match[0]
        article = word in ("the", "a", "an") and bool(_BEFORE_WORD.match(text, match.end()))
        listed.append(Token(word, match[0], match.start(), match.end(), article))
    return tuple(listed)


_CONTRACTED = re.compile(
    r"\b(?:(ca|wo|sha|\w{2,6}?)n['\u2019]t|(did|does|do|is|was|are|were|had|has|have|could"
    r"|would|should)nt)\b",
    re.IGNORECASE,
)
_CONTRACTIONS = {"ca": "can", "wo": "will", "sha": "shall"}


def without_contractions(text: str) -> str:
    """Return a text without contracted negations: ``didn't`` becomes ``did not``."""
    return _CONTRACTED.sub(
        lambda m: _CONTRACTIONS.get((m[1] or m[2]).casefold(), m[1] or m[2]) + " not", text
    )
