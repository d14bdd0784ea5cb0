"""The spans of a sentence that a question may ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from mabench.agents.floor.answer_types import DATE, NAME, NUMBER, new_mentions
from mabench.agents.floor.qa.lexicon import Lexicon
from mabench.agents.floor.qa.questions import Asked, Kind
from mabench.text.stems import content_words, is_function_word, stem

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_TITLE = re.compile(r"[\"\u201c]([^\W_a-z][^\"\u201c\u201d]{1,60})[\"\u201d]")
_RANGE = re.compile(r"(?: ?[-\u2013] ?| to )\d[\d,.]*(?<![,.])(?:%| percent\b)?")
_OWNER = re.compile(r"['\u2019]s ")
_NEXT = re.compile(r" ([a-z]+)\b")
_AND = re.compile(r"( and (?:the )?)")
_DETERMINER = re.compile(r"\b(?:the|an?|his|her|its|their|our|my|your|this|these) $", re.IGNORECASE)
_DIRECTION = re.compile(r"\b(?:(?:north|south)?-?(?:east|west)?ern|central|upper|lower) $")
_LONGEST_DIRECTION = len("north-eastern ")
_LONGEST_DETERMINER = len("these ")
# Words that open or break a noun phrase without being part of its name.
_BREAKING_WORDS = """many several much another first last second next other others one two three
also however nevertheless moreover therefore thus although though despite
since whereas early late later former latter"""
_BREAKING = frozenset(_BREAKING_WORDS.split())


class Span(NamedTuple):
    """A stretch of a sentence."""

    start: int
    end: int
    text: str
    is_name: bool


def spans_in(sentence: str, asked: Asked, lexicon: Lexicon) -> Iterator[Span]:
    """Yield the dates or numbers where they are asked for, else names and noun phrases.

    All of them say something that the question does not.
    """
    if asked.kind is Kind.DATE:
        for date in new_mentions(DATE, sentence, asked.words):
            yield Span(*date.span(), date.group(), False)
    elif asked.kind is Kind.NUMBER:
        yield from _numbers(sentence, asked)
    else:
        yield from _things(sentence, asked, lexicon)


def _numbers(sentence: str, asked: Asked) -> Iterator[Span]:
    dates = _days(sentence)
    for number in new_mentions(NUMBER, sentence, asked.words):
        if number.start() in dates:
            continue
        more = _RANGE.match(sentence, number.end())
        end = more.end() if more else number.end()
        unit = _NEXT.match(sentence, end) if asked.measure else None
        end = unit.end() if unit and not is_function_word(unit.group(1)) else end
        yield Span(number.start(), end, sentence[number.start() : end], False)


def _days(sentence: str) -> set[int]:
    """Return the places that dates take up."""
    return {place for date in DATE.finditer(sentence) for place in range(*date.span())}


def _things(sentence: str, asked: Asked, lexicon: Lexicon) -> Iterator[Span]:
    dates = _days(sentence)
    names = [
        _with_direction(name, sentence)
        for name in new_mentions(NAME, sentence, asked.words)
        if name.start() not in dates
    ]
    names = _with_titles(sentence, asked, sorted([*names, *_owned(sentence, names)]))
    if asked.one_of and not asked.plural:
        names = [part for name in names for part in _parts(name)]
    if asked.noun == stem("nationality"):
        yield from (name for name in names if modifies(name.end, name.text, sentence, lexicon))
        return
    taken = list(names)
    covered = dates.union(place for name in names for place in range(name.start, name.end))
    runs = _runs(sentence, asked, lexicon)
    taken.extend(run for run in runs if covered.isdisjoint(range(run.start, run.end)))
    for span in taken:
        if span.start > 0 or not lexicon.is_common(span.text):
            yield span
        # The first word of a sentence has its capital from there.
        elif sentence[span.end : span.end + 1] != "," and lexicon.is_noun(span.text.lower()):
            yield span._replace(is_name=False)


def _with_direction(name: re.Match[str], sentence: str) -> Span:
    """Return a name with the word before it that says which part of a place it is."""
    before = _DIRECTION.search(sentence, max(name.start() - _LONGEST_DIRECTION, 0), name.start())
    start = before.start() if before else name.start()
    return Span(start, name.end(), sentence[start : name.end()], True)


def _with_titles(sentence: str, asked: Asked, names: Sequence[Span]) -> list[Span]:
    """Return the names, with titles in quotation marks in place of the names within them."""
    titles = [
        Span(*title.span(1), title.group(1), True)
        for title in _TITLE.finditer(sentence)
        if not content_words(title.group(1)) <= asked.words
    ]
    inside = {place for title in titles for place in range(title.start, title.end)}
    return sorted([*titles, *(name for name in names if name.start not in inside)])


def _owned(sentence: str, names: Sequence[Span]) -> list[Span]:
    """Return the names that begin with an owner's, as in "Ness's Mill Company"."""
    return [
        Span(one.start, other.end, sentence[one.start : other.end], True)
        for one, other in pairwise(names)
        if (mark := _OWNER.match(sentence, one.end)) and mark.end() == other.start
    ]


def modifies(end: int, name: str, sentence: str, lexicon: Lexicon) -> bool:
    """Say whether a name that ends there stands before a noun, as in "Norman castles"."""
    after = _NEXT.match(sentence, end)
    return bool(after and " " not in name and lexicon.may_be_noun(after.group(1)))


def _parts(name: Span) -> Iterator[Span]:
    """Yield the names that "and" joins."""
    start = name.start
    for place, part in enumerate(_AND.split(name.text)):
        if place % 2 == 0 and part:
            yield Span(start, start + len(part), part, True)
        start += len(part)


def _runs(sentence: str, asked: Asked, lexicon: Lexicon) -> Iterator[Span]:
    """Yield the runs of content words, verbs and adverbs left out, that say something new."""
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(sentence):
        breaks = _breaks(match, sentence, lexicon)
        if run and (breaks or sentence[run[-1].end() : match.start()] != " "):
            yield from _trimmed(run, sentence, asked)
            run = []
        if not breaks:
            run.append(match)
    yield from _trimmed(run, sentence, asked)


def _breaks(match: re.Match[str], sentence: str, lexicon: Lexicon) -> bool:
    word = match.group().lower()
    if is_function_word(word) or word in _BREAKING or word.endswith("ly"):
        return True
    if not match.group().islower() or not lexicon.is_verb(word):
        return False
    start = max(match.start() - _LONGEST_DETERMINER, 0)
    return not _DETERMINER.search(sentence, start, match.start())


def _trimmed(run: Sequence[re.Match[str]], sentence: str, asked: Asked) -> Iterator[Span]:
    """Yield a run without the words of the question around it; the noun asked for may end it."""
    first, last = 0, len(run)
    while first < last and content_words(run[first].group()) <= asked.words:
        first += 1
    while last > first and _ends_known(run[last - 1].group(), asked):
        last -= 1
    if first < last and not all(content_words(w.group()) <= asked.words for w in run[first:last]):
        start, end = run[first].start(), run[last - 1].end()
        yield Span(start, end, sentence[start:end], False)
        whole = run[0].start(), run[-1].end()
        if whole != (start, end):
            yield Span(*whole, sentence[slice(*whole)], False)


def _ends_known(word: str, asked: Asked) -> bool:
    return content_words(word) <= asked.words and stem(word.lower()) != asked.noun
