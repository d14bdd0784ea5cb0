"""Where a text says a gold, in whatever wording: one idea of sameness for every rule.

The words that say a gold (``wordings``) may stand in any order, each in any of its forms (``kin``,
``quantities``); what a longer name adds must not make it another thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from mabench.scoring.lexicon import pattern, words
from mabench.scoring.sameness.kin import abbreviated, irregular_forms, is_short_for, same_token
from mabench.scoring.sameness.quantities import measure
from mabench.scoring.sameness.wordings import (
    Form,
    Need,
    adds_nothing,
    forms,
    is_place,
    words_of,
)
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word

_MOST = 20  # Mentions that are looked at.
_GIVEN = 2  # Further given names that a mention may have.
_NEAR = 6  # Words that one word of a gold may stand for.
_PARTED = re.compile(r"[;!?=>|]|,\s(?:in|at|near|from)\b|(?<![^\W\d_])[^\W\d_]{4,}\.\s")
_PLACE = re.compile(r",\s([A-Z]\w+(?: [A-Z]\w+)*)")
_MODIFIER = re.compile(r"(?:(?:a|an|the) )?([^\W\d_]+(?<!ly)) ", re.IGNORECASE)
# What is before or behind a mention that is a part of a compound, a number or a range.
_AFTER_PART = re.compile(r"(?:[^\W_](?<!mid)(?<!late)(?<!early)-|\d[.,:/](?=\d)).\Z", re.I | re.S)
_BEFORE_PART = r".(?:-(?!(?:%s)\b)[^\W_]|'[a-z]{3}|(?<=\d)(?:[.,:/]\d|\s?BCE?\b))"
# The number of what is cited is no other number.
_CITED = re.compile(r"\b(?:fact|document|entry|statement|line|page)s?\s#?\d\Z", re.I)
_SUBTITLE = re.compile(r': [^"\n]{1,100}(?=")')  # "Walden: or, Life in the Woods"
_YEAR = re.compile(r"\b\d{4}\b")
_NEARLY = 0.95  # How near quantities in two units must come to be perhaps the same.
_BARE = re.compile(r"(?<=\d)[\"')\]]*(?:[.,;]?\s*$|[.;]\s|\n)")  # A number that counts nothing.
_JOINTS = frozenset({"and", "or", "not", "no", "nor", "but", "before", "after"})


class Mention(NamedTuple):
    """A place where a gold is said, in characters, and whether it is surely the same."""

    start: int
    end: int
    sure: bool = True


class _Match(NamedTuple):
    """How many words of a text say a form, the last of them, what they leave out, how surely."""

    size: int
    last: Token
    left: Sequence[int]
    sure: bool


def mentions(gold: str, text: str, question: str | None = None) -> list[Mention]:
    """Return where ``text``, which is ``plain``, says ``gold``, in the order of the text.

    Those that are surely the same, else those that may be. The question may hold a part of the
    gold, which need not be said again.
    """
    found: dict[int, Mention] = {}
    for form in forms(gold, question or ""):
        for mention in _places(form, text, question or ""):
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
    return [m for m, end in zip(every, ends, strict=False) if m.end > end]  # None in another.


def _places(form: Form, text: str, question: str) -> Iterator[Mention]:
    """Yield where the words of a form are said, as whole words; articles play no part."""
    said = [token for token in tokens(text) if not token.article]
    openings = {w[0] for t in form.words for w in (t.word, *irregular_forms().get(t.word, ()))}
    opening, is_name = form.words[0], any(token.is_name for token in form.words)
    asked = words_of(question)
    for place, first in enumerate(said):
        if first.word[0] not in openings and not (is_name and first.is_name):
            continue
        is_small = first.raw.islower() and _is_small(first.word)
        if is_small and (first.word != opening.word or (is_name and len(form.words) == 1)):
            continue  # "The Who" is not any who.
        match = _matched(form, text, said[place : place + 2 * len(form.words) + _NEAR])
        if match is None or _is_part(text, first, match.last):
            continue
        is_told = _is_told(form, match, text, asked)
        beside = said[max(0, place - 1) : place] + said[place + match.size :][:1]
        is_apart = _is_apart(form, match, text, first, beside, question)
        if is_told is not None and is_apart is not None:
            end = match.last.end
            for other in said[place + match.size :][: first.is_name and 2]:  # Olsson Motors, Ltd.
                if not (other.is_name and adds_nothing(other.word)) or is_place(other.word):
                    break
                end = other.end
            if text[: first.start].endswith('"') and (more := _SUBTITLE.match(text, end)):
                end = more.end()
            yield Mention(first.start, end, match.sure and is_told and is_apart)


def _matched(form: Form, text: str, said: Sequence[Token]) -> _Match | None:
    """Return how the words of a text, from the first, say all of a form that must be said."""
    left = list(range(len(form.words)))
    place = count = latest = 0
    spare, sure = _GIVEN if form.person else 0, True
    while left and place < len(said):
        token = said[place]
        if place and _PARTED.search(text, said[place - 1].end, token.start):
            break
        taken, size, is_sure = _taken(form, left, said[place : place + _NEAR])
        if taken:
            sure &= is_sure and (form.is_free or taken.start >= latest)
            latest = taken.start
            left = [number for number in left if number not in taken]
            place = count = place + size
        elif count and token.raw.islower() and token.word not in _JOINTS and _is_small(token.word):
            place += 1
        elif count and spare and (token.raw.istitle() or len(token.raw) == 1):
            place, spare = place + 1, spare - 1  # A further given name.
        else:
            break
    is_all = count and all(form.needs[number] is not Need.MUST for number in left)
    return _Match(count, said[count - 1], left, sure) if is_all else None


def _taken(form: Form, left: Sequence[int], said: Sequence[Token]) -> tuple[range, int, bool]:
    """Return which words of a form the first words of a text say, how many, and whether surely."""
    token, is_first = said[0], True
    for number in left:
        word, run = form.words[number], form.words[number : number + _NEAR]
        if word.raw[0].isdigit():  # Numbers come in the order of the gold.
            if not is_first:
                continue
            is_first = False
            due, given = measure([t.word for t in run]), measure([t.word for t in said])
            if due and given and due.kind == given.kind:
                low, high = sorted((due.amount, given.amount))
                is_same = high - low <= high * 1e-6
                if is_same or (due.unit != given.unit and low >= high * _NEARLY):
                    return range(number, number + due.length), given.length, is_same
                continue
        is_given = form.needs[number] is Need.GIVEN and is_short_for(word, token)
        if is_given or same_token(word, token, len(form.words) == 1):
            return range(number, number + 1), 1, True
    for number in left:
        word, run = form.words[number], form.words[number : number + _NEAR]
        if size := abbreviated(token, run):
            return range(number, number + size), 1, True
        if size := abbreviated(word, said):
            return range(number, number + 1), size, True
    return range(0), 0, True


def _is_small(word: str) -> bool:
    return is_function_word(word) or word in words("names.small")


def _is_told(form: Form, match: _Match, text: str, asked: frozenset[str]) -> bool | None:
    """Return whether what a match leaves out is known; None if it had to be said."""
    left: dict[Need, list[str]] = {}
    for number in match.left:
        left.setdefault(form.needs[number], []).append(form.words[number].word)
    is_all = match.size == len([t for t in tokens(text) if not t.article])
    if Need.UNIT in left and not is_all and not _BARE.match(text, match.last.end):
        return None
    if any(map(_YEAR.fullmatch, left.get(Need.ASKED, ()))) and _YEAR.search(text):
        return None
    is_country = is_place(match.last.word) and not any(is_place(t.word) for t in form.words)
    if is_country and not asked & words("names.origin"):
        return False  # Norway, for Norwegian.
    given = [n for n, need in enumerate(form.needs) if need is Need.GIVEN]
    if Need.GIVEN in left and given[0] in match.left:
        roles = words("names.person", "names.titles", "names.relatives")
        if len(left[Need.GIVEN]) < len(given) or not asked & roles or match.last.word in asked:
            return False
    if Need.KIND in left and is_place(match.last.word):
        return False  # Mount Kenya is not Kenya.
    return is_all or asked >= set(left.get(Need.KIND, ()))


def _is_part(text: str, opening: Token, closing: Token) -> bool:
    before = text[max(0, opening.start - 14) : opening.start + 1]
    after = text[closing.end - 1 : closing.end + 14]
    if (
        _AFTER_PART.search(before)
        or _CITED.search(before)
        or pattern(_BEFORE_PART, "names.qualifiers").match(after)
    ):
        return True
    # A year may be the first or last of several; other numbers are no ends of a range.
    in_range = re.match(r"\d to \d", after) or re.search(r"\d to \d\Z", before)
    return bool(in_range) and not _YEAR.fullmatch(closing.raw)


def _is_apart(
    form: Form, match: _Match, text: str, first: Token, beside: Sequence[Token], question: str
) -> bool | None:
    """Return whether a mention is surely no part of a longer name; None if it is one."""
    sure, last = True, match.last
    if first == last and first.raw.isupper() and text[: first.start].endswith("("):
        long = [t for t in tokens(text) if first.start - 80 <= t.start < first.start]
        long = [token for token in long if not token.article]
        if any(abbreviated(first, long[n:]) == len(long) - n for n in range(len(long))):
            return None  # What is abbreviated is said, and is another name.
    lone = first.raw.islower() and _MODIFIER.fullmatch(text[: first.start])
    if lone and not re.search(r"\w", text[last.end :]):
        word = lone[1].casefold()
        sure &= adds_nothing(word) or is_function_word(word)
    is_turned = first.word != form.words[0].word
    if is_turned and re.search(" of (?:the )?[A-Z]", text[first.end : last.end + 9]):
        return None  # Tokyo University of Science is not the University of Tokyo.
    is_single = match.size == 1 and first.raw[0].isupper()
    guarded = {form.needs[number] for number in match.left} & {Need.GIVEN, Need.KIND, Need.ASKED}
    known = {token.word for token in form.words} | words("names.titles", "names.person")
    known |= _common_words(question)
    for other in beside:
        is_before = other.end <= first.start
        between = text[other.end : first.start] if is_before else text[last.end : other.start]
        is_joint = between == " " or (between == ". " and len(other.raw) == 1 and other.raw != "I")
        if other.word in known or not other.raw[0].isupper() or not is_joint:
            continue
        if is_before and form.words[0].is_name and other.word in words("names.other_place"):
            return None
        if is_before and is_function_word(other.word):
            continue
        if guarded:
            return None
        if is_before and is_single:
            sure &= not re.search(r"[^.!?:\n]\s$", text[: other.start][-2:])
        elif is_single and not adds_nothing(other.word):
            if len(tokens(text)) <= 3:
                return None
            sure = False
    return sure


@lru_cache(maxsize=512)
def _common_words(text: str) -> frozenset[str]:
    """Return the words that are written small: no names."""
    return frozenset(token.word for token in tokens(plain(text)) if token.raw.islower())
