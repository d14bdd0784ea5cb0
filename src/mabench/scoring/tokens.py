"""Texts made comparable: no accents and typographic signs, quantities in one form; their words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from mabench.scoring.lexicon import entries
from mabench.scoring.sameness.quantities import rewritten
from mabench.scoring.words import fold, without_signs

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
    signs = _DECORATION.sub("", without_signs(_NOTE_NUMBER.sub("", text)))
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
