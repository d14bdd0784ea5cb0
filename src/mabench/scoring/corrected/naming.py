"""Names that are said otherwise, and mentions that only say whose or when something else is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from mabench.scoring.mentions import Mention, Token, mentions, tokens, wanted_tokens

_MOST = 20  # Mentions that are looked at.
_NICKNAME = re.compile(r"[\"'\u201c(]([A-Z][\w.-]*)[\"'\u201d)]")
_OWNED = re.compile(r"\s+(?:[\w-]+\s+){0,3}[\w-]+\W*$")
_ERAS = frozenset({"bc", "bce", "ad", "ce"})
_YEAR = re.compile(r"\b\d{4}\b")
_CLAUSES = re.compile(r",|;|\band\b|\bbut\b|\bwhile\b|\bwhereas\b|\.\s")
_CONTENT = re.compile(r"[a-z]{4,}")


def otherwise_named(gold: str, text: str) -> tuple[tuple[Token, ...], list[Mention]]:
    """Return where ``text`` says a name otherwise than ``gold`` does, and the words that do.

    These are a name without its middle names, or with their initials (``J. S. Kern``), a
    nickname that the gold gives, the family name first and a comma, and a number without its
    unit, where the text says nothing else.
    """
    for name, is_all in _forms(gold):
        words = wanted_tokens(name)
        where = [
            mention
            for mention in islice(mentions(words, text), _MOST)
            if _spelt(tokens(text[mention.start : mention.end])) == _spelt(words)
        ]
        if where and (not is_all or len(tokens(text)) == len(words)):
            return words, where
    return (), []


def _forms(gold: str) -> Iterator[tuple[str, bool]]:
    """Yield other forms of a name, and whether the text must say nothing else."""
    words = [token.raw for token in wanted_tokens(gold)]
    if len(words) == 2 and words[0].isdigit() and words[1].casefold() not in _ERAS:
        yield words[0], True
    if len(words) < 2 or not all(word[0].isupper() and word.isalpha() for word in words):
        return
    *given, family = words
    yield f"{family}, {' '.join(given)}", True
    nickname = _NICKNAME.search(gold)
    if nickname:
        yield f"{nickname[1]} {family}", False
    if len(given) > 1:
        yield f"{given[0]} {family}", False
        yield f"{''.join(word[0] + '.' for word in given)} {family}", False
        yield f"{given[0]} {' '.join(word[0] for word in given[1:])} {family}", False


def _spelt(said: Sequence[Token]) -> list[str]:
    return [token.word for token in said]


def is_of_another(
    text: str, wanted: Sequence[Token], mention: Mention, question: str | None
) -> bool:
    """Say whether a mention only says whose or when something else is.

    ``Ann Hale's brother`` is not Ann Hale; of ``It was begun in 1932 and completed in 1934`` the
    year of the completion is 1934.
    """
    said = text[mention.start : mention.end]
    asked = (question or "").casefold()
    if said.endswith("'s") and not wanted[-1].raw.endswith("'s"):
        bare = not re.search(r"\w", text[: mention.start])
        return bare and "whose" not in asked and bool(_OWNED.match(text[mention.end :]))
    return _YEAR.fullmatch(said) is not None and _other_year(text, mention, asked)


def _other_year(text: str, mention: Mention, asked: str) -> bool:
    """Say whether another clause than that of a year has a year, and words of the question."""
    if len({*_YEAR.findall(text)}) < 2:
        return False
    words = {word[:6] for word in _CONTENT.findall(asked)}
    start, others = 0, False
    for end in [*(cut.start() for cut in _CLAUSES.finditer(text)), len(text)]:
        clause = text[start:end]
        known = any(word[:6] in words for word in _CONTENT.findall(clause.casefold()))
        if start <= mention.start < end:
            if known:
                return False
        elif known and _YEAR.search(clause):
            others = True
        start = end
    return others
