"""The spans of a sentence that a question may ask for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mabench.agents.floor.answer_types import DATE, NAME, NUMBER, new_mentions
from mabench.agents.floor.qa.lexicon import Lexicon
from mabench.agents.floor.qa.questions import Asked, Kind
from mabench.text.stems import content_words, is_function_word, stem

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
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
        unit = _NEXT.match(sentence, number.end()) if asked.measure else None
        end = unit.end() if unit and not is_function_word(unit.group(1)) else number.end()
        yield Span(number.start(), end, sentence[number.start() : end], False)


def _days(sentence: str) -> set[int]:
    """Return the places that dates take up."""
    return {place for date in DATE.finditer(sentence) for place in range(*date.span())}


def _things(sentence: str, asked: Asked, lexicon: Lexicon) -> Iterator[Span]:
    dates = _days(sentence)
    names = [
        _with_direction(name, sentence)
        for name in new_mentions(NAME, sentence, asked.words)
        if name.start() not in dates and not _modifies(name, sentence, lexicon)
    ]
    if asked.one_of and not asked.plural:
        names = [part for name in names for part in _parts(name)]
    ends = [name.end for name in names]
    taken = list(names)
    # Names stand in order: a run can only overlap the first of those that end after its start.
    for run in _runs(sentence, asked, lexicon):
        after = bisect_right(ends, run.start)
        if after == len(ends) or names[after].start >= run.end:
            taken.append(run)
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


def _modifies(name: re.Match[str], sentence: str, lexicon: Lexicon) -> bool:
    """Say whether a name stands before a noun, as in "Norman castles"."""
    after = _NEXT.match(sentence, name.end())
    return bool(after and " " not in name.group() and lexicon.may_be_noun(after.group(1)))


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
