"""Where a name is mentioned in a text, however its words are inflected and its numbers written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from mabench.scoring.inflection import same_word
from mabench.scoring.quantities import rewritten
from mabench.scoring.words import fold

_ACCENT = re.compile("[\u0300-\u036f]")
_PLAIN = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032`\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2212", "-")
    | dict.fromkeys("\u00a0\u202f\u2009\u2007", " ")
    | {"&": " and "}
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None)
)
_DECORATION = re.compile(r"[*`]+|(?<![^\W_])_+|_+(?![^\W_])|^#+ |^> ?", re.MULTILINE)
_NOTE_NUMBER = re.compile("(?<=[^\\W\\d_]{3})[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")
_DECADE = re.compile(r"(\d0)'s\b")
_INITIALS = re.compile(r"\b(?:[A-Z]\.[ ]?){2,}(?![a-z])")
_TOKEN = re.compile(r"(?<![^\W_])-?\d+(?:\.\d+)*(?![^\W_])|[^\W_]+(?:'[^\W_]+)*")
_ARTICLES = frozenset({"the", "a", "an"})
_BEFORE_WORD = re.compile(r"\s+[\"'(]?[^\W_]")
_PREPOSITIONS = frozenset({"in", "on", "at", "by", "from", "to", "of", "since", "for", "with"})
_PRONOUNS = frozenset({"who", "it", "that", "us", "them", "this"})
_PREFIX = re.compile(r"(?<![^\W_])([^\W_]+)-$")
# A hyphen makes another word of a mention, unless what follows only qualifies it.
_SUFFIX = re.compile(
    r"-(?!(?:based|born|style|speaking|language|area|era|wide|made|led|held|backed|century"
    r"|long|year|day)\b)[^\W_]"
    r"|'[a-z]{3,}"
)
_YEAR_DIGITS = 4
_GIVEN = 2  # Further given names that a mention may have.


class Token(NamedTuple):
    """A word of a text: folded, as it is written, where, and whether it is an article."""

    word: str
    raw: str
    start: int
    end: int
    article: bool


class Mention(NamedTuple):
    """A place where a name is mentioned, in characters."""

    start: int
    end: int


def bare(text: str) -> str:
    """Return ``text`` without accents, Markdown signs and typographic variants; case stays."""
    text = _NOTE_NUMBER.sub("", text)
    decomposed = _ACCENT.sub("", unicodedata.normalize("NFKD", text)).translate(_PLAIN)
    return _DECADE.sub(r"\1s", _DECORATION.sub("", decomposed))


def plain(text: str, initials: bool = True) -> str:
    """Return ``bare`` text with its quantities in one way of writing, and its initials joined.

    Args:
        text: any text.
        initials: whether to join initials; not where ``A. B.`` may be two options.
    """
    if initials:
        text = _INITIALS.sub(lambda m: m[0].replace(".", "").replace(" ", "") + " ", bare(text))
    return rewritten(text if initials else bare(text))


@lru_cache(maxsize=512)
def tokens(text: str) -> tuple[Token, ...]:
    """Return the words of ``text``, which is ``plain`` already."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        word = _word(match[0])
        article = word in _ARTICLES and bool(_BEFORE_WORD.match(text, match.end()))
        article &= word == "the" or match[0].islower() or not found
        found.append(Token(word, match[0], match.start(), match.end(), article))
    return tuple(found)


@lru_cache(maxsize=4096)
def wanted_tokens(name: str, initials: bool = True) -> tuple[Token, ...]:
    """Return the words of a name to look for: no articles, no preposition that opens it."""
    said = tokens(plain(name, initials).strip())
    short = [token for token in said if not token.article]
    while len(short) > 1 and short[0].word in _PREPOSITIONS and short[0].raw.islower():
        short = short[1:]
    if len(short) == 1 and len(said) > 1 and short[0].word in _PRONOUNS:
        return said  # The Who, not any who.
    return tuple(short or said)


def mentions(wanted: Sequence[Token], text: str) -> Iterator[Mention]:
    """Yield where ``wanted`` is mentioned in ``text``, which is ``plain``, as whole words.

    Articles between the words play no part, and in a name of several words neither do further
    given names. A part of a compound is no mention, unless the compound only qualifies it
    (``Rome-based``, ``16th-century``).
    """
    kept = any(token.article for token in wanted)
    said = [token for token in tokens(text) if kept or not token.article]
    is_name = len(wanted) > 1 and all(token.raw[0].isupper() for token in wanted)
    for place, opening in enumerate(said):
        if wanted and same_word(wanted[0].word, opening.word):
            count = _matched(wanted, said[place : place + len(wanted) + _GIVEN], is_name)
            closing = said[place + count - 1]
            if count and not _is_part(text, opening, closing):
                yield Mention(opening.start, closing.end)


def _matched(wanted: Sequence[Token], said: Sequence[Token], is_name: bool) -> int:
    """Return how many words of ``said``, from its first, say all of ``wanted``; 0 if none do."""
    place, spare = 0, _GIVEN
    for number, token in enumerate(wanted):
        inner = is_name and number > 0
        while inner and spare and place < len(said) and _is_given(wanted[number:], said[place]):
            place, spare = place + 1, spare - 1
        if place < len(said) and same_word(token.word, said[place].word):
            place += 1
        elif inner and len(token.word) == 1 and number < len(wanted) - 1:
            place += place < len(said) and said[place].word[0] == token.word
        else:
            return 0
    return place


def _is_given(wanted: Sequence[Token], said: Token) -> bool:
    """Say whether a word may be a given name before those that are wanted."""
    if any(same_word(token.word, said.word) for token in wanted) or said.word[0] == wanted[0].word:
        return False
    return (said.raw[0].isupper() and not said.raw.isupper()) or len(said.raw) == 1


def _is_part(text: str, opening: Token, closing: Token) -> bool:
    """Say whether a mention is a part of a compound or a number."""
    before = text[max(0, opening.start - 14) : opening.start]
    after = text[closing.end : closing.end + 14]
    prefix = _PREFIX.search(before)
    if prefix and not prefix[1].casefold().startswith(("mid", "late", "early")):
        return True
    if _SUFFIX.match(after):
        return True
    if opening.raw[0].isdigit() and re.search(r"\d[.,:/]$|(?<![^\W_]) -$", before):
        return True
    if closing.raw[-1].isdigit() and re.match(r"[.,:/]\d", after):
        return True
    # A year may be the first or last of several; other numbers are no ends of a range.
    in_range = re.match(r" to \d", after) or re.search(r"\d to $", before)
    return bool(in_range) and closing.raw.isdigit() and len(closing.raw) != _YEAR_DIGITS


def _word(raw: str) -> str:
    return fold(raw).removesuffix("'s").replace("'", "") or raw
