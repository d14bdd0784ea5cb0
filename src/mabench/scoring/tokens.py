"""Texts made comparable: no accents and typographic signs, quantities in one form; their words.

``fold`` is for words, ``spelling`` for texts as wholes, and ``plain`` for texts in which something
is looked for, whose words ``tokens`` returns.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mabench.scoring.lexicon import entries, remembered
from mabench.scoring.official import normalize
from mabench.scoring.sameness.quantities import in_digits, rewritten, small_number

# Typographic signs as ASCII ones, none that are invisible, and letters that do not decompose.
_SIGNS = (
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032`\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2212", "-")
    | {"&": " and "}
    | dict.fromkeys("\u3010\u3014", "[")
    | dict.fromkeys("\u3011\u3015", "]")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", "")
)
_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"}
_CAPITALS = {letter.upper(): plain.title() for letter, plain in _LETTERS.items()}
_PLAIN_CHARACTERS = str.maketrans(_SIGNS | _LETTERS | _CAPITALS)
_ACCENT = re.compile("[\u0300-\u036f]")
# A number with separators of thousands: "1,000", "1 000", "1'000".
_GROUPED_NUMBER = re.compile(r"(?<![^\W_])\d{1,3}(?:(?:,\d{3})+|(?: \d{3})+|(?:'\d{3})+)(?![^\W_])")
_WITHOUT_GROUPING = str.maketrans("", "", ", '")
_SHORT_TEXT = 2_000  # Characters of a text that takes a moment, whatever they become.
_MOST_GROWTH = 3  # By which a long text, or one of its characters, may grow.
_JOINT = "\0"  # Between the words of one, such as vice-president.
_JOINTS_OF_NUMBERS = frozenset(".,:/\u2013")  # Between digits of one thing, such as 12:30.
# A number, also of several parts such as 3.1.2, or a word.
_TOKEN = re.compile(r"(?<![^\W_])-?\d+(?:\.\d+)*(?![^\W_])|[^\W_]+(?:'[^\W_]+)*")
_BEFORE_WORD = re.compile(r"\s+[\"'(]?[^\W_]")
# The eras of years by their other names.
_ERAS = {"BCE": "BC", "CE": "AD"}
_COMMON_ERA = re.compile(r"(?<=\d )(?:BCE|CE)\b")


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


def _without_signs(text: str) -> str:
    """Return ``text`` without accents, compatibility forms and typographic signs."""
    decomposed = text if text.isascii() else _decompose(text)
    return _ACCENT.sub("", decomposed).translate(_PLAIN_CHARACTERS)


def _decompose(text: str) -> str:
    """Return ``text`` in compatibility form, unless that makes a long text much longer.

    Some characters are whole phrases (U+FDFA has 18 letters). In a long text full of them, those
    that take more than three characters stay as they are.
    """
    decomposed = unicodedata.normalize("NFKD", text)
    if len(decomposed) <= max(_SHORT_TEXT, _MOST_GROWTH * len(text)):
        return decomposed
    forms = {one: unicodedata.normalize("NFKD", one) for one in set(text)}
    kept = {ord(one): form for one, form in forms.items() if len(form) <= _MOST_GROWTH}
    return unicodedata.normalize("NFD", text.translate(kept))


def fold(text: str) -> str:
    """Return ``text`` without accents, typographic signs and case."""
    return _without_signs(text).casefold()


@remembered(8192)
def spelling(text: str) -> tuple[str, ...]:
    """Return the folded words of ``text``, to compare texts as wholes; no ``the``, no punctuation.

    Numbers lose their thousands separators and idle decimals (``1,000.0`` and ``1 000`` are
    ``1000``), number words below a hundred become digits, and a possessive ``'s`` goes.
    """
    return tuple(_spelt(text).replace(_JOINT, " ").split())


def answer_finder(text: str) -> Callable[[Sequence[str]], bool]:
    """Return a function that says whether one of some answers is in ``text``.

    Case, accents, typographic signs, ``the`` and the way a number is written play no part; a
    part of a hyphenated word is not a word, and an answer that normalises to nothing is
    nowhere. The words of ``text`` are read once, so that asking again takes no more than a
    search for a string.
    """
    # Words are between spaces, but those of one hyphenated word between joints, in the same places.
    said = _spelt(text)
    spaced = said.replace(_JOINT, " ")

    def is_in_text(phrase: str) -> bool:
        place = spaced.find(phrase)
        while place >= 0:
            begins_within_word = said[place] == _JOINT
            ends_within_word = said[place + len(phrase) - 1] == _JOINT
            if not (begins_within_word or ends_within_word):
                return True
            place = spaced.find(phrase, place + 1)
        return False

    return lambda answers: any(map(is_in_text, _phrases(tuple(answers))))


@remembered(256)  # The answers of a question are looked for in every chunk.
def _phrases(answers: tuple[str, ...]) -> list[str]:
    """Return the words of each answer between spaces, without an article that opens it."""
    phrases = list[str]()
    for answer in answers:
        said = spelling(answer) if normalize(answer) else ()
        if said and said[0] in ("a", "an"):
            said = said[1:]
        if said:
            phrases.append(f" {' '.join(said)} ")
    return phrases


@remembered()
def _number() -> re.Pattern[str]:
    """Return the pattern of a number below a hundred in words."""
    return re.compile(rf"(?<![^\W_]){small_number()}(?![^\W_]|')")


def _spelt(text: str) -> str:
    """Return the words of ``text`` in one spelling, each behind a space, with a space at the end.

    Words of one hyphenated word, and parts of one time, date or range, have joints between them.
    """
    text = _number().sub(lambda words: in_digits(words[0]), fold(text))
    text = _GROUPED_NUMBER.sub(lambda number: number[0].translate(_WITHOUT_GROUPING), text)
    parts = list[str]()
    last: re.Match[str] | None = None
    for match in _TOKEN.finditer(text):
        gap = _JOINT if last and _are_joined(text, last, match) else " "
        last = match
        word = match[0].removesuffix("'s").replace("'", "") or match[0]
        if word.count(".") == 1:  # 1.0 is 1, but 1.2.0 is a version.
            word = word.rstrip("0").rstrip(".")
        if word != "the":
            parts += [gap, word]
    return f"{''.join(parts)} "


def _are_joined(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    """Return whether two words of a text, side by side, are parts of one word or number."""
    between = text[one.end() : other.start()]
    are_digits = text[one.end() - 1].isdigit() and text[other.start()].isdigit()
    return between == "-" or (are_digits and between in _JOINTS_OF_NUMBERS)


# Of Markdown, and in a decade.
_MARKDOWN = re.compile(r"[*`]+|(?<![^\W_])_+|_+(?![^\W_])|^#+ |^> ?|(?<=\d0)'(?=s\b)", re.MULTILINE)
_INITIALS = re.compile(r"\b(?:[A-Z]\.[ ]?){2,}(?![a-z])")
# The postal code of a state behind a place: "Austin, TX".
_STATE_CODE = re.compile(r"(?<=[a-z], )[A-Z]{2}(?=\W*(?:$|\s[a-z(\d]|[.,;:]\s))")


@remembered()
def _states() -> dict[str, str]:
    """Return the name of each state by its postal code."""
    return dict(e.replace("_", " ").split(":") for e in entries("names.state_codes"))


def bare(text: str) -> str:
    """Return ``text`` without accents, Markdown signs and typographic variants; case stays."""
    return _MARKDOWN.sub("", _without_signs(text))


@remembered(512)
def plain(text: str, initials: bool = True) -> str:
    """Return ``bare`` text with its quantities in one way of writing, and its initials joined.

    Args:
        text: any text.
        initials: whether to join initials; not where ``A. B.`` may be two options.
    """
    said = _STATE_CODE.sub(lambda code: _states().get(code[0], code[0]), bare(text))
    said = _COMMON_ERA.sub(lambda era: _ERAS[era[0]], said)
    if initials:
        said = _INITIALS.sub(lambda letters: re.sub("[. ]", "", letters[0]) + " ", said)
    return rewritten(said)


@remembered(512)
def tokens(text: str) -> tuple[Token, ...]:
    """Return the words of ``text``, which is ``plain`` already."""
    said = list[Token]()
    for match in _TOKEN.finditer(text):
        word = match[0].lower() if match[0].isascii() else fold(match[0])  # Much faster.
        word = word.removesuffix("'s").replace("'", "") or word
        article = word in ("the", "a", "an") and bool(_BEFORE_WORD.match(text, match.end()))
        said.append(Token(word, match[0], match.start(), match.end(), article))
    return tuple(said)
