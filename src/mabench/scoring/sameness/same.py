"""Where a text says a gold, in whatever wording: one idea of sameness for every rule.

The words that say a gold (``wordings``) may come in any order, each in any of its forms (``kin``,
``quantities``); what a longer name adds must not make it another thing.

A wording is one way to say a gold: its words, each a token with its place in the text, and how far
each need be said (``Need``). Texts are ``plain``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mabench.scoring.lexicon import words
from mabench.scoring.sameness.kin import (
    abbreviated,
    is_short_for,
    same_token,
    word_forms,
)
from mabench.scoring.sameness.quantities import same_measure
from mabench.scoring.sameness.units import measures, rate_behind
from mabench.scoring.sameness.wordings import (
    Need,
    Wording,
    adds_nothing,
    has_other_names,
    is_place,
    is_small,
    read_wordings,
    words_of,
)
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word

_MOST_MENTIONS = 20  # Mentions that are looked at.
_MOST_GIVEN_NAMES = 2  # Further given names that a mention may have.
_CHARACTERS_BEFORE = 14  # Characters before a mention that may make a part of it.
_MOST_WORDS_FOR_ONE = 6  # Words that one word of a gold may stand for.
_PLACE_BEHIND = re.compile(r",\s([A-Z]\w+(?: [A-Z]\w+)*)")
# One word before a mention, which opens the text: "Ice" before hockey.
_ONE_WORD = re.compile(r"(?:(?:a|an|the) )?([^\W\d_]+(?<!ly)) ", re.IGNORECASE)
# What is before or behind a mention that is a part of a compound, a number or a range, or what is
# cited or counted: "fact 13", "13 of 15". A year may be the first or last of several.
_MAKES_PART_BEFORE = re.compile(
    r"(?:[^\W_](?<!mid)(?<!late)(?<!early)-|\d[.,:/](?=\d)).\Z"
    r"|\b(?:fact|document|entry|statement|line|page)s?\s#?\d\Z|\d (?:out )?of (?:the )?\d\Z"
    r"|(?<!\d{3})\d to \d\Z",
    re.IGNORECASE | re.DOTALL,
)
_MAKES_PART_BEHIND = re.compile(
    r".(?:-[^\W_]|'[a-z]{3}|\s?BCE?\b|(?<=\d)(?:[.,:/]\d| to (?!\d{4})\d))", re.IGNORECASE
)
_YEAR = re.compile(r"\b\d{4}\b")
# Behind a number that counts nothing.
_COUNTS_NOTHING_BEHIND = re.compile(
    r"(?<=\d)[\"')\]]*(?:[.,;]?\s*$|[.;]\s|\n|\s(?:when|as|at|then)\b)"
)


class _Match(NamedTuple):
    """How many words say a wording, what of it they leave out, and whether its order is kept.

    ``left`` has the needs of the wording's words that are not said.
    """

    size: int
    left: list[Need]
    is_sure: bool


class Mention(NamedTuple):
    """A place where a gold is said, in characters, and whether it is surely the same."""

    start: int
    end: int
    sure: bool = True


def mentions(gold: str, text: str, question: str | None = None) -> list[Mention]:
    """Return where ``text``, which is ``plain``, says ``gold``, in the order of the text.

    They are those that are surely the same, or else those that may be, none within another. The
    question may hold a part of the gold, which need not be said again.
    """
    best_from = dict[int, Mention]()  # Of the mentions that begin at a place: a sure or a long one.
    for wording in read_wordings(gold, question or ""):
        for mention in _find_mentions(wording, text, question or ""):
            if not _is_in_other_place(gold, text, mention):
                known = best_from.get(mention.start, mention)
                best = max(known, mention, key=lambda one: (one.sure, one.end))
                best_from[mention.start] = best
    sure = [mention for mention in best_from.values() if mention.sure]
    apart = list[Mention]()
    for mention in sorted(sure or best_from.values())[:_MOST_MENTIONS]:
        if not apart or mention.start >= apart[-1].end:
            apart.append(mention)
    return apart


def _is_in_other_place(gold: str, text: str, mention: Mention) -> bool:
    """Return whether another country or state follows than in the gold.

    Birmingham, Alabama is not Birmingham, England.
    """
    place = gold.partition(", ")[2]
    other = _PLACE_BEHIND.match(text, mention.end) if place else None
    return other is not None and is_place(other[1]) and not mentions(place, other[1])


def _find_mentions(wording: Wording, text: str, question: str) -> Iterator[Mention]:
    """Yield where the words of a wording are said, as whole words; articles play no part."""
    said = [token for token in tokens(text) if not token.article]
    for place, first in enumerate(said):
        if first.word != wording.words[0].word and is_small(first.word):
            continue  # "The Who" is not any who.
        # Enough for small words, and further given names, between the words of the wording.
        near = said[place : place + 2 * len(wording.words) + _MOST_WORDS_FOR_ONE]
        found = _match_words(wording, text, near)
        if not found.size or Need.MUST in found.left:
            continue
        match = near[: found.size]
        if _is_part(match, text, question):
            continue
        behind = place + found.size
        neighbours = [*said[max(0, place - 1) : place], *said[behind : behind + 1]]
        is_identified = _is_identified(wording, match, found.left, text, question)
        is_whole = _is_whole(wording, match, found.left, text, neighbours, question)
        if is_identified is not None and is_whole is not None:
            is_sure = found.is_sure and is_identified and is_whole
            yield Mention(first.start, match[-1].end, is_sure and not _is_plural(wording, match))


def _is_part(match: Sequence[Token], text: str, question: str) -> bool:
    """Return whether words are a part of a compound, a number, a range, or a rate: ``5 oz a day``.

    A rate by which the question asks is none.
    """
    start, end = match[0].start, match[-1].end
    rate = rate_behind(text, end) if match[-1].word in measures() else None
    if rate and rate not in question:
        return True
    before = text[max(0, start - _CHARACTERS_BEFORE) : start + 1]
    return bool(_MAKES_PART_BEHIND.match(text, end - 1) or _MAKES_PART_BEFORE.search(before))


def _is_plural(wording: Wording, match: Sequence[Token]) -> bool:
    """Return whether a name of one word is said with an s more or less: Rhodes, Rhode.

    A people is not: Norwegians are Norwegian.
    """
    if not len(wording.words) == len(match) == 1:
        return False
    name, said = wording.words[0], match[0]
    is_people = name.word in word_forms() or has_other_names(name.raw)
    if is_people or not (name.is_name and said.is_name):
        return False
    return name.word != said.word and name.word.rstrip("s") == said.word.rstrip("s")


def _match_words(wording: Wording, text: str, said: Sequence[Token]) -> _Match:
    """Return how the first words of a text say a wording: each of its words once, in some order.

    Small words, and of a person some further given names, may be between them, but no end of a
    sentence, unless the gold has the same sign there (``Mr. Bean``). An "or" ends a match that has
    all that must be said, since another value follows.
    """
    left = list(range(len(wording.words)))  # Places of words that are not said yet.
    place = count = latest = 0  # Of the text the next word, and the end of the match.
    spare_names = _MOST_GIVEN_NAMES if Need.GIVEN in wording.needs else 0
    is_sure = True
    while left and place < len(said):
        token, last = said[place], said[place - 1]
        gap = text[last.end : token.start] if place else ""
        is_end = re.search(r"[;!?=>|\n]", gap) or (gap[:2] == ". " and len(last.raw) > len("Mrs"))
        if is_end and gap not in wording.gaps:
            break
        taken, size = _take_words(wording, left, said[place : place + _MOST_WORDS_FOR_ONE])
        if taken:
            is_sure &= wording.is_free or taken.start >= latest
            latest = taken.start
            left = [number for number in left if number not in taken]
            place = count = place + size
        elif token.word == "or" and Need.MUST not in {wording.needs[number] for number in left}:
            break
        elif count and is_small(token.word):
            place += 1
        elif count and spare_names and (token.raw.istitle() or len(token.raw) == 1):
            place, spare_names = place + 1, spare_names - 1  # A further given name.
        else:
            break
    return _Match(count, [wording.needs[number] for number in left], is_sure)


def _take_words(wording: Wording, left: Sequence[int], said: Sequence[Token]) -> tuple[range, int]:
    """Return which words of a wording the first words of a text say, and how many of these do.

    ``left`` are the places of the wording's words that are not said yet. Without any, the range is
    empty.
    """
    numbers = [number for number in left if wording.words[number].raw[0].isdigit()]
    for number in left:
        word, run = wording.words[number], wording.words[number : number + _MOST_WORDS_FOR_ONE]
        if number in numbers[1:]:  # Numbers come in the order of the gold.
            continue
        # As a quantity in any unit, as a pair, as one word in any form, or abbreviated either way.
        if number in numbers and (lengths := same_measure(run, said)):
            length_in_wording, length_in_text = lengths
            return range(number, number + length_in_wording), length_in_text
        if word.raw == "2" and _is_pair(said):
            return range(number, number + 1), 2
        is_short = wording.needs[number] is Need.GIVEN and is_short_for(word, said[0])
        if is_short or same_token(word, said[0]):
            return range(number, number + 1), 1
        if size := abbreviated(said[0], run):
            return range(number, number + size), 1
        if size := abbreviated(word, said):
            return range(number, number + 1), size
    return range(0), 0


def _is_pair(said: Sequence[Token]) -> bool:
    """Return whether words begin with two in other words: ``a pair of``."""
    first_words = [token.word for token in said[:2]]
    return first_words[1:] == ["of"] and first_words[0] in words("quantities.pairs")


def _is_identified(
    wording: Wording, match: Sequence[Token], left: Sequence[Need], text: str, question: str
) -> bool | None:
    """Return whether what a match leaves out is known, so that it surely is the gold.

    None if what is left out had to be said, so that it is no mention at all.
    """
    if Need.UNIT in left and not _goes_without_unit(wording, match, text):
        return None
    asked = words_of(question)
    names_place = any(is_place(token.word) for token in wording.words) and Need.KIND not in left
    asks_origin = asked & words("names.origin") and "language" not in asked
    if is_place(match[-1].word) and not names_place and not asks_origin:
        return False  # Kenya for Mount Kenya, Norway for Norwegian.
    says_given_name = left.count(Need.GIVEN) < wording.needs.count(Need.GIVEN)
    if Need.GIVEN not in wording.needs or says_given_name:
        return True
    # A family name alone tells who it is where the question asks who; "the street" is no Street.
    is_name = match[-1].is_name or text.islower()
    return is_name and bool(asked & words("names.person", "names.titles", "names.relatives"))


def _goes_without_unit(wording: Wording, match: Sequence[Token], text: str) -> bool:
    """Return whether a number, or a day, may be said without its unit, or its year.

    A day may where the text names no other year, a number where it counts nothing else.
    """
    is_day = len(wording.words) > 2  # Day, month and year.
    if is_day:
        return not {*_YEAR.findall(text)} - {wording.words[-1].raw}
    return _COUNTS_NOTHING_BEHIND.match(text, match[-1].end) is not None


def _is_whole(
    wording: Wording,
    match: list[Token],
    left: list[Need],
    text: str,
    neighbours: list[Token],
    question: str,
) -> bool | None:
    """Return whether a match is surely no part of a longer name; None if it is one.

    ``left`` is what of the wording it leaves out, ``neighbours`` are the words before and behind.
    """
    first, last = match[0], match[-1]
    is_sure = not _is_modified(first, last, text, question)
    is_single = len(match) == 1 and first.raw[0].isupper()
    own_words = {token.word for token in wording.words}
    # Words that make no other thing of a name beside them: its own, titles, those of the question.
    harmless = own_words | words("names.titles", "names.person")
    harmless |= {token.word for token in tokens(plain(question)) if token.raw.islower()}
    # Words that surely do: North, Junior, and another kind of thing than the one that is left out.
    telling = words("names.other_place", "names.generations")
    if Need.KIND in left:
        telling |= words("names.features", "names.kinds") - own_words
    for other in neighbours:
        is_before = other.end <= first.start
        between = text[other.end : first.start] if is_before else text[last.end : other.start]
        is_part_of_name = between == " " and other.raw[0].isupper()
        if not is_part_of_name or (other.word in harmless and other.word not in telling):
            continue
        if other.word in telling:
            return None
        if is_before and is_function_word(other.word):
            continue
        if Need.GIVEN in left or Need.KIND in left:  # Another given name, or kind, is said.
            return None
        # A single name is surely whole only behind a word that has its capital as the first of a
        # sentence, or before one that adds nothing.
        opens_sentence = not re.search(r"[^.!?:\n]\s$", text[: other.start])
        is_sure &= not is_single or (opens_sentence if is_before else adds_nothing(other.word))
    return is_sure


def _is_modified(first: Token, last: Token, text: str, question: str) -> bool:
    """Return whether a text is a term and one word before it that may make another of it.

    ``Ice hockey`` is not hockey. The mention goes from the word ``first`` to ``last``.
    """
    before = _ONE_WORD.fullmatch(text[: first.start]) if first.raw.islower() else None
    if before is None or re.search(r"\w", text[last.end :]):
        return False
    word = before[1].casefold()
    is_harmless = adds_nothing(word) or is_function_word(word) or word in words_of(question)
    return not is_harmless
