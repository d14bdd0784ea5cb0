"""Where a text says a gold, in whatever wording: one idea of sameness for every rule.

The gold decides what may be left out or said otherwise (``_wordings``); a word may be inflected
(``kin``), and what a longer name adds must not make it another thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from mabench.scoring.lexicon import words
from mabench.scoring.sameness.kin import same_word
from mabench.scoring.sameness.namesakes import (
    abbreviated,
    is_given_name,
    is_short_for,
    is_transliterated,
    joined,
)
from mabench.scoring.sameness.wordings import (
    NameForm,
    adds_nothing,
    forms,
    is_place,
)
from mabench.scoring.tokens import Token, tokens
from mabench.text.stems import is_function_word

_MOST = 20  # Mentions that are looked at.
_FEW = 12  # Words of a text in which a word that is spelt like the gold is looked for.
_WINDOW = 80
_GIVEN = 2  # Further given names that a mention may have.
_PREFIX = re.compile(r"(?<![^\W_])([^\W_]+)-$")
_PARTED = re.compile(r"[;!?=>|]|(?<![^\W\d_])[^\W\d_]{4,}\.\s")
_PLACE = re.compile(r",\s([A-Z]\w+(?: [A-Z]\w+)*)")
_MODIFIER = re.compile(r"(?:(?:a|an|the) )?([^\W\d_]+(?<!ly)) ", re.IGNORECASE)
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
    place = gold.partition(", ")[2]
    for start, mention in list(found.items()) if place else ():
        other = _PLACE.match(text, mention.end)
        if other and is_place(other[1]) and not mentions(place, other[1]):
            del found[start]  # Birmingham, Alabama is not Birmingham, England.
    every = sorted([m for m in found.values() if m.sure] or found.values())[:_MOST]
    ends = list(accumulate((m.end for m in every), max, initial=0))
    return [m for m, end in zip(every, ends, strict=False) if m.end > end]


def _places(form: NameForm, text: str) -> Iterator[Mention]:
    """Yield where the words of a form are said in a row, as whole words; articles play no part."""
    wanted = form.words
    said = [token for token in tokens(text) if not token.article]
    is_name = len(wanted) > 1 and all(token.raw[0].isupper() for token in wanted)
    openings = {token.word[0] for token in wanted}
    for place, first in enumerate(said):
        is_short = first.raw[0].isupper() and (is_name or first.raw.isupper())
        if first.word[0] not in openings and not is_short:
            continue
        count = _matched(form, said[place : place + len(wanted) + _GIVEN + 4])
        if not count:
            continue
        opening, closing = said[place], said[place + count - 1]
        if _is_part(text, opening, closing) or _PARTED.search(text, opening.end, closing.start):
            continue
        beside = [*said[max(0, place - 1) : place], *said[place + count : place + count + 1]]
        sure = _is_apart(form, text, opening, closing, beside)
        if sure is not None:
            yield Mention(opening.start, closing.end, sure)


def _matched(form: NameForm, said: Sequence[Token]) -> int:
    """Return how many words of ``said``, from its first, say all of a form; 0 if none do."""
    wanted = form.words
    place, number, spare = 0, 0, _GIVEN if form.person else 0
    while number < len(wanted):
        token = wanted[number]
        is_inner = number and wanted[number - 1].word not in words("names.titles")
        while (
            is_inner and spare and place < len(said) and is_given_name(wanted[number:], said[place])
        ):
            place, spare = place + 1, spare - 1
        if place >= len(said):
            return 0
        other = said[place]
        is_given = form.person and number < len(wanted) - 1
        is_same = same_word(token.word, other.word)
        is_same = is_same or is_transliterated(token, other, len(wanted) == 1)
        if is_same or (is_given and is_short_for(token, other)):
            place, number = place + 1, number + 1
        elif count := abbreviated(other, wanted[number:]):
            place, number = place + 1, number + count
        elif count := abbreviated(token, said[place:]):
            place, number = place + count, number + 1
        elif count := joined(other, wanted[number:]):
            place, number = place + 1, number + count
        elif count := joined(token, said[place:]):
            place, number = place + count, number + 1
        else:
            return 0
    return place


def _is_part(text: str, opening: Token, closing: Token) -> bool:
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
    if closing.raw[-1].isdigit() and re.match(r"[.,:/]\d|\s?BCE?\b", after):
        return True
    # A year may be the first or last of several; other numbers are no ends of a range.
    in_range = re.match(r" to \d", after) or re.search(r"\d to $", before)
    return bool(in_range) and closing.raw.isdigit() and len(closing.raw) != _YEAR_DIGITS


def _is_apart(
    form: NameForm, text: str, opening: Token, closing: Token, beside: Sequence[Token]
) -> bool | None:
    """Return whether a mention is surely no part of a longer name; None if it is one."""
    sure, said = form.sure, tuple(token.word for token in form.words)
    if opening == closing and opening.raw.isupper() and text[: opening.start].endswith("("):
        before = tokens(text[max(0, opening.start - _WINDOW) : opening.start])[-8:]
        long = [t for t in before if not t.article]
        if any(abbreviated(opening, long[n:]) == len(long) - n for n in range(len(long))):
            return None  # What is abbreviated is said, and is another name.
    is_single = len(said) == 1 and form.words[0].raw[0].isupper()
    if is_single:  # Jan van Eyck may be another Eyck.
        lead = text[max(0, opening.start - 40) : opening.start].split()
        named = [word for word in lead if word not in words("names.particles")]
        sure &= not (named and named[-1] != lead[-1] and named[-1][0].isupper())
    if form.words[0].raw.islower() and (lone := _MODIFIER.fullmatch(text[: opening.start])):
        ends = not re.search(r"\w", text[closing.end :])
        sure &= not ends or adds_nothing(lone[1].casefold()) or is_function_word(lone[1].casefold())
    for other in beside:
        if other.word in said or other.word in words("names.titles") or not other.raw[0].isupper():
            continue
        is_before = other.end <= opening.start
        between = text[other.end : opening.start] if is_before else text[closing.end : other.start]
        if between != " " and not (between == ". " and len(other.raw) == 1):
            continue
        if is_before and form.words[0].is_name and other.word in words("names.other_place"):
            return None
        if is_before and is_function_word(other.word):
            continue
        if form.guarded:
            return None
        if is_before and is_single:
            sure &= not re.search(r"[^.!?:\n]\s$", text[: other.start][-2:])
        elif is_single and not adds_nothing(other.word):
            if len(tokens(text)) <= len(said) + 2:
                return None
            sure = False
    return sure
