"""Where a text says a gold, in whatever wording: one idea of sameness for every rule.

The words that say a gold (``wordings``) may stand in any order, each in any of its forms (``kin``,
``quantities``); what a longer name adds must not make it another thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from mabench.scoring.lexicon import pattern, words
from mabench.scoring.sameness.kin import abbreviated, is_short_for, same_token, word_forms
from mabench.scoring.sameness.quantities import same_measure
from mabench.scoring.sameness.wordings import (
    Form,
    Need,
    adds_nothing,
    forms,
    is_place,
    is_small,
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
# What is before or behind a mention that is a part of a compound, a number or a range, or what is
# cited or counted: "fact 13", "13 of 15". A year may be the first or last of several.
_AFTER_PART = re.compile(
    r"(?:[^\W_](?<!mid)(?<!late)(?<!early)-|\d[.,:/](?=\d)).\Z"
    r"|\b(?:fact|document|entry|statement|line|page)s?\s#?\d\Z|\d (?:out )?of (?:the )?\d\Z"
    r"|(?<!\d{3})\d to \d\Z",
    re.IGNORECASE | re.DOTALL,
)
_BEFORE_PART = r".(?:-(?!(?:%s)\b)[^\W_]|'[a-z]{3}|(?<=\d)(?:[.,:/]\d|\s?BCE?\b| to (?!\d{4})\d))"
_YEAR = re.compile(r"\b\d{4}\b")
_BARE = re.compile(  # A number that counts nothing.
    r"(?<=\d)[\"')\]]*(?:[.,;]?\s*$|[.;]\s|\n|\s(?:when|as|at|then)\b)"
)
_JOINTS = frozenset({"and", "or", "but"})


class Mention(NamedTuple):
    """A place where a gold is said, in characters, and whether it is surely the same."""

    start: int
    end: int
    sure: bool = True


class _Match(NamedTuple):
    """Words of a text that say a form, what they leave out of it by its need, and how surely."""

    said: Sequence[Token]
    left: Mapping[Need, Sequence[Token]]
    sure: bool


def mentions(gold: str, text: str, question: str | None = None) -> list[Mention]:
    """Return where ``text``, which is ``plain``, says ``gold``, in the order of the text.

    Those that are surely the same, else those that may be. The question may hold a part of the
    gold, which need not be said again.
    """
    found: dict[int, Mention] = {}
    place = gold.partition(", ")[2]
    for form in forms(gold, question or ""):
        for mention in _places(form, text, question or ""):
            other = _PLACE.match(text, mention.end) if place else None
            if other and is_place(other[1]) and not mentions(place, other[1]):
                continue  # Birmingham, Alabama is not Birmingham, England.
            known = found.get(mention.start, mention)
            found[mention.start] = max(known, mention, key=lambda m: (m.sure, m.end))
    every = sorted([m for m in found.values() if m.sure] or found.values())[:_MOST]
    ends = list(accumulate((m.end for m in every), max, initial=0))
    return [m for m, end in zip(every, ends, strict=False) if m.end > end]  # None in another.


def _places(form: Form, text: str, question: str) -> Iterator[Mention]:
    """Yield where the words of a form are said, as whole words; articles play no part."""
    said = [token for token in tokens(text) if not token.article]
    is_title = len(form.words) == 1 and form.words[0].is_name
    spelt = word_forms("irregular")
    openings = {w[0] for t in form.words for w in (t.word, *spelt.get(t.word, ()))} | {
        *"0123456789"
    }
    is_named = any(token.is_name for token in form.words)
    for place, first in enumerate(said):
        letter = first.word[0]
        if not (letter in openings or letter.isdigit() or (is_named and first.is_name)):
            continue
        is_other = is_title or first.word != form.words[0].word
        if is_other and first.raw.islower() and is_small(first.word):
            continue  # "The Who" is not any who.
        near = said[place : place + 2 * len(form.words) + _NEAR]
        if (match := _matched(form, text, near)) is None:
            continue
        before, end = text[max(0, first.start - 14) : first.start + 1], match.said[-1].end
        is_part = pattern(_BEFORE_PART, "names.qualifiers").match(text, end - 1)
        if is_part or _AFTER_PART.search(before):
            continue
        beside = (*said[max(0, place - 1) : place], *said[place + len(match.said) :][:1])
        is_told = _is_told(form, match, text, question)
        is_whole = _is_whole(form, match, text, beside, question)
        if is_told is not None and is_whole is not None:
            yield Mention(first.start, end, match.sure and is_told and is_whole)


def _matched(form: Form, text: str, said: Sequence[Token]) -> _Match | None:
    """Return how the words of a text, from the first, say all of a form that must be said."""
    left = list(range(len(form.words)))
    place = count = latest = 0
    spare, sure = _GIVEN if Need.GIVEN in form.needs else 0, True
    while left and place < len(said):
        token = said[place]
        if place and _PARTED.search(text, said[place - 1].end, token.start):
            break
        taken, size = _taken(form, left, said[place : place + _NEAR])
        if taken:
            sure &= form.is_free or taken.start >= latest
            latest = taken.start
            left = [number for number in left if number not in taken]
            place = count = place + size
        elif count and token.raw.islower() and token.word not in _JOINTS and is_small(token.word):
            place += 1
        elif count and spare and (token.raw.istitle() or len(token.raw) == 1):
            place, spare = place + 1, spare - 1  # A further given name.
        else:
            break
    unsaid = {n: [form.words[at] for at in left if form.needs[at] is n] for n in Need}
    return _Match(said[:count], unsaid, sure) if count and not unsaid[Need.MUST] else None


def _taken(form: Form, left: Sequence[int], said: Sequence[Token]) -> tuple[range, int]:
    """Return which words of a form the first words of a text say, and how many."""
    numbers = [number for number in left if form.words[number].raw[0].isdigit()]
    for number in left:
        word, run = form.words[number], form.words[number : number + _NEAR]
        if number in numbers[1:]:  # Numbers come in the order of the gold.
            continue
        if number in numbers and (sizes := same_measure(run, said)):
            return range(number, number + sizes[0]), sizes[1]
        is_short = form.needs[number] is Need.GIVEN and is_short_for(word, said[0])
        if is_short or same_token(word, said[0]):
            return range(number, number + 1), 1
        if size := abbreviated(said[0], run):
            return range(number, number + size), 1
        if size := abbreviated(word, said):
            return range(number, number + 1), size
    return range(0), 0


def _is_told(form: Form, match: _Match, text: str, question: str) -> bool | None:
    """Return whether what a match leaves out is known; None if it had to be said."""
    last, asked, left = match.said[-1], words_of(question), match.left
    for token in left[Need.UNIT]:
        is_year = _YEAR.fullmatch(token.word)
        if _YEAR.search(text) if is_year else not _BARE.match(text, last.end):
            return None
    is_of_place = not left[Need.KIND] and any(is_place(token.word) for token in form.words)
    asks_origin = asked & words("names.origin") and "language" not in asked
    if is_place(last.word) and not is_of_place and not asks_origin:
        return False  # Kenya for Mount Kenya, Norway for Norwegian.
    given = [word for word, need in zip(form.words, form.needs, strict=True) if need is Need.GIVEN]
    if not given or given[0] not in left[Need.GIVEN]:
        return True
    # A family name alone tells who it is where the question asks who.
    roles = words("names.person", "names.titles", "names.relatives")
    return left[Need.GIVEN] == given and last.word not in asked and bool(asked & roles)


def _is_whole(
    form: Form, match: _Match, text: str, beside: Sequence[Token], question: str
) -> bool | None:
    """Return whether a mention is surely no part of a longer name; None if it is one."""
    first, last, sure = match.said[0], match.said[-1], True
    lone = first.raw.islower() and _MODIFIER.fullmatch(text[: first.start])
    if lone and not re.search(r"\w", text[last.end :]):  # Ice hockey.
        word = lone[1].casefold()
        sure = adds_nothing(word) or is_function_word(word) or word in words_of(question)
    is_turned = first.word != form.words[0].word
    if is_turned and re.search(" of (?:the )?[A-Z]", text[first.end : last.end + 9]):
        return None  # Tokyo University of Science is not the University of Tokyo.
    is_single = len(match.said) == 1 and first.raw[0].isupper()
    is_guarded = match.left[Need.GIVEN] or match.left[Need.KIND]
    known = {token.word for token in form.words} | words("names.titles", "names.person")
    known |= {token.word for token in tokens(plain(question)) if token.raw.islower()}
    for other in beside:
        is_before = other.end <= first.start
        between = text[other.end : first.start] if is_before else text[last.end : other.start]
        is_joint = between == " " or (between == ". " and len(other.raw) == 1 and other.raw != "I")
        if other.word in known or not other.raw[0].isupper() or not is_joint:
            continue
        if form.words[0].is_name and other.word in words("names.other_place", "names.generations"):
            return None
        if is_before and is_function_word(other.word):
            continue
        if is_guarded:
            return None
        opens = not re.search(r"[^.!?:\n]\s$", text[: other.start])
        if not is_single or (opens if is_before else adds_nothing(other.word)):
            continue
        sure = False
    return sure
