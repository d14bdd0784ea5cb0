"""Where a text says a gold, in whatever wording: one idea of sameness for every rule.

The gold decides what may be left out or said otherwise (``_wordings``); a word may be inflected
(``kin``), and what a longer name adds must not make it another thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from mabench.scoring.kin import same_word
from mabench.scoring.lexicon import names, words
from mabench.scoring.tokens import Token, tokens
from mabench.scoring.wordings import (
    NameForm,
    adds_nothing,
    forms,
    is_place,
    stems_of,
    wanted_tokens,
)
from mabench.text.stems import is_function_word, stem

_MOST = 20  # Mentions that are looked at.
_GIVEN = 2  # Further given names that a mention may have.
_PREFIX = re.compile(r"(?<![^\W_])([^\W_]+)-$")
_YEAR_DIGITS = 4
_BARE = re.compile(r"(?<=\d)[\"')\]]*(?:[.,;]?\s*$|[.;]\s|\n)")  # A number that counts nothing.


class Mention(NamedTuple):
    """A place where a gold is said, in characters, and whether it is surely the same."""

    start: int
    end: int
    sure: bool = True


def mentions(gold: str, text: str, question: str | None = None) -> list[Mention]:
    """Return where ``text``, which is ``plain``, says ``gold``, in the order of the text.

    Those that are surely the same, else those that may be. The question may hold a part of the
    gold, which need not be said again.
    """
    said = tokens(text)
    found: dict[int, Mention] = {}
    for form in forms(gold, question or ""):
        for mention in _places(form, text):
            if form.alone and len(said) != len(form.words) and not _BARE.match(text, mention.end):
                continue
            known = found.get(mention.start)
            if known is None or (mention.sure, mention.end) > (known.sure, known.end):
                found[mention.start] = mention
    sure = [mention for mention in found.values() if mention.sure]
    return sorted(sure or found.values())[:_MOST]


def is_beside_name(text: str, mention: Mention) -> bool:
    """Return whether all that is said is the mention and another name, which is no place of it.

    ``Rome, Italy`` is Rome; of ``Rome, Paris`` nobody can tell.
    """
    parts = [part.strip(" .!\"'") for part in text.split(",", 2)]
    if len(parts) != 2 or not all(part[:1].isupper() for part in parts):
        return False
    said = text[mention.start : mention.end]
    if said not in parts or any(len(tokens(part)) > 4 for part in parts) or parts[0] in parts[1]:
        return False
    return not is_place(parts[1])


def share_said(gold: str, text: str, question: str | None = None) -> float:
    """Return how much of a gold of several words a text says, from 0 to 1.

    None of it is said where most of what tells it is not: what is neither in the question nor a
    kind of thing, the last word of a name, a number or a month beside another one.
    """
    asked = stems_of(question or "")
    wanted = [t for t in wanted_tokens(gold) if t.word not in words("names.small")]
    said = tokens(text)
    left = [token for token in wanted if not any(_is_form(token, other) for other in said)]
    telling = [t for t in wanted if not (stem(t.word) in asked or t.word in words("names.kinds"))]
    missing = [token for token in telling if token in left]
    is_name = all(token.raw[0].isupper() for token in wanted) and "," not in gold
    if len(wanted) < 2 or len(missing) * 2 > len(telling) or not telling:
        return 0.0
    if is_name and " of " not in gold and wanted[-1] in left:
        return 0.0
    others = {t.word for t in said if _is_number(t)} - {t.word for t in wanted}
    if {word for word in others if stem(word) not in asked} and any(map(_is_number, left)):
        return 0.0
    return 1 - len(left) / len(wanted)


def _is_number(token: Token) -> bool:
    return token.raw[0].isdigit() or token.word in words("quantities.months")


def _places(form: NameForm, text: str) -> Iterator[Mention]:
    """Yield where the words of a form are said in a row, as whole words.

    Articles play no part. In a name neither do further given names; where it has an ``of``, or
    the text has, neither does the order.
    """
    wanted = form.words
    kept = any(token.article for token in wanted)
    said = [token for token in tokens(text) if kept or not token.article]
    is_name = len(wanted) > 1 and all(token.raw[0].isupper() for token in wanted)
    openings = {token.word[0] for token in wanted}
    for place, first in enumerate(said):
        is_short = first.raw[0].isupper() and (is_name or first.raw.isupper())
        if first.word[0] not in openings and not is_short:
            continue
        count = _matched(wanted, said[place : place + len(wanted) + _GIVEN + 4], is_name)
        count = count or _jumbled(wanted, said[place : place + len(wanted) + 1])
        if not count:
            continue
        opening, closing = said[place], said[place + count - 1]
        if _is_part(text, opening, closing):
            continue
        beside = [*said[max(0, place - 1) : place], *said[place + count : place + count + 1]]
        sure = _is_apart(form, text, opening, closing, beside)
        if sure is not None:
            yield Mention(opening.start, closing.end, sure)


def _matched(wanted: Sequence[Token], said: Sequence[Token], is_name: bool) -> int:
    """Return how many words of ``said``, from its first, say all of ``wanted``; 0 if none do."""
    place, number, spare = 0, 0, _GIVEN
    while number < len(wanted):
        token = wanted[number]
        inner = is_name and number > 0
        while inner and spare and place < len(said) and _is_given(wanted[number:], said[place]):
            place, spare = place + 1, spare - 1
        if place >= len(said):
            return 0
        other = said[place]
        if _is_form(token, other):
            place, number = place + 1, number + 1
        elif count := _abbreviated(other, wanted[number:]):
            place, number = place + 1, number + count
        elif count := _abbreviated(token, said[place:]):
            place, number = place + count, number + 1
        elif is_name and number < len(wanted) - 1 and _is_short_for(token, other):
            place, number = place + 1, number + 1
        elif inner and len(token.word) == 1 and number < len(wanted) - 1:
            place, number = place + (other.word[0] == token.word), number + 1
        else:
            return 0
    return place


def _jumbled(wanted: Sequence[Token], said: Sequence[Token]) -> int:
    """Return how many words say a name with ``of`` in another order: ``Calcutta University``."""
    told = [token for token in wanted if token.word != "of"]
    if len(told) < 2 or not said or not all(token.raw[0].isupper() for token in told):
        return 0
    has_of = len(told) < len(wanted)
    length = len(told) + (not has_of)
    run = list(said[:length])
    others = [token for token in run if token.word != "of"]
    if len(run) < length or len(others) != len(told) or run[0].word == "of":
        return 0
    if run[-1].word == "of" or not all(any(_is_form(t, o) for o in others) for t in told):
        return 0
    return length


def _abbreviated(short: Token, said: Sequence[Token]) -> int:
    """Return how many of the words, from the first, are those of an abbreviation; 0 if none."""
    letters = short.raw
    if len(letters) < 2 or not letters.isupper() or not letters.isalpha():
        return 0
    count = 0
    for token in said:
        if not letters:
            break
        if len(token.raw) > 1 and letters == token.raw and count > 1:
            letters = ""
        elif letters.startswith(token.raw[0].upper()) and not token.raw.isupper():
            letters = letters[1:]
        elif not (count and token.word in words("names.small")):
            return 0
        count += 1
    return count if not letters and count > 1 else 0


def _is_form(wanted: Token, said: Token) -> bool:
    return same_word(wanted.word, said.word)


@lru_cache(maxsize=4096)
def _nicknames_of(name: str) -> frozenset[str]:
    alike = [group for group in names("nicknames") if name == group[0]]
    return frozenset(other for group in alike for other in group)


def _is_short_for(wanted: Token, said: Token) -> bool:
    """Say whether two given names are of one person: an initial or a nickname."""
    if min(len(wanted.word), len(said.word)) == 1:
        return wanted.word[0] == said.word[0]
    return said.word in _nicknames_of(wanted.word) or wanted.word in _nicknames_of(said.word)


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
    suffix = re.match(r"-([^\W_]+)|'[a-z]{3,}", after)
    if suffix and (suffix[1] or "") not in words("names.qualifiers"):
        return True
    if opening.raw[0].isdigit() and re.search(r"\d[.,:/]$|(?<![^\W_]) -$", before):
        return True
    if closing.raw[-1].isdigit() and re.match(r"[.,:/]\d", after):
        return True
    # A year may be the first or last of several; other numbers are no ends of a range.
    in_range = re.match(r" to \d", after) or re.search(r"\d to $", before)
    return bool(in_range) and closing.raw.isdigit() and len(closing.raw) != _YEAR_DIGITS


def _is_apart(
    form: NameForm, text: str, opening: Token, closing: Token, beside: Sequence[Token]
) -> bool | None:
    """Return whether a mention is surely no part of a longer name; None if it is one."""
    sure = form.sure
    for other in beside:
        between = text[other.end : opening.start] or text[closing.end : other.start]
        if between != " " and not (between == ". " and len(other.raw) == 1):
            continue
        if not other.raw[0].isupper() or other.word in words("names.titles"):
            continue
        if other.end <= opening.start:
            if other.word in words("names.other_place") and form.words[0].raw[0].isupper():
                return None
            if form.guarded and not is_function_word(other.word):
                return None
        elif form.guarded:
            return None
        elif len(form.words) == 1 and form.words[0].raw[0].isupper():
            if adds_nothing(other.word):
                continue
            if len(tokens(text)) <= len(form.words) + 2:
                return None
            sure = False
    return sure
