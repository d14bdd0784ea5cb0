"""The noun phrases of a sentence: plain, with a name among their words, and of several parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from mabench.text.stems import content_words, is_function_word, stem
from mabench_floor.qa.lexicon import Lexicon
from mabench_floor.qa.questions import Asked

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_AND = re.compile(r",? (?:and|or) (?:the |an? )?")
_DETERMINER = re.compile(r"\b(?:the|an?|his|her|its|their|our|my|your|this|these) $", re.IGNORECASE)
_LONGEST_DETERMINER = len("these ")
_LONGEST_JOINT = len(", and the ")
# Words that open or break a noun phrase without being part of its name.
_BREAKING_WORDS = """many several much another first last second next other others one two three
also however nevertheless moreover therefore thus although though despite
since whereas early late later former latter"""
_BREAKING = frozenset(_BREAKING_WORDS.split())


class Span(NamedTuple):
    """A stretch of a sentence.

    Attributes:
        start: the place of its first character.
        end: the place after its last.
        text: what stands there.
        is_name: whether it is a name.
        parts: what it is made of: "" where it is a plain name or phrase, "compound" where a
            name stands among other words, "joined" where "and" or "or" joins two phrases.
    """

    start: int
    end: int
    text: str
    is_name: bool
    parts: str = ""


def phrases(sentence: str, asked: Asked, lexicon: Lexicon, names: Sequence[Span]) -> Iterator[Span]:
    """Yield the runs of content words, verbs and adverbs left out, that say something new."""
    named = {place for name in names for place in range(name.start, name.end)}
    plain: list[Span] = []
    for run in _runs(sentence, lexicon):
        parts = [list(part) for _, part in groupby(run, lambda word: word.start() in named)]
        for part in parts:
            if part[0].start() not in named:
                plain += _trimmed(part, sentence, asked)
        yield from _mixed(parts, sentence, asked, named)
    yield from plain
    yield from _joined(sentence, asked, sorted({*plain, *names}))


def _runs(sentence: str, lexicon: Lexicon) -> Iterator[list[re.Match[str]]]:
    """Yield the words that stand together with nothing but a space between."""
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(sentence):
        breaks = _breaks(match, sentence, lexicon)
        if run and (breaks or sentence[run[-1].end() : match.start()] != " "):
            yield run
            run = []
        if not breaks:
            run.append(match)
    if run:
        yield run


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


def _mixed(
    parts: Sequence[Sequence[re.Match[str]]], sentence: str, asked: Asked, named: set[int]
) -> Iterator[Span]:
    """Yield names with the words behind them, and before, as in "carved Orkney stones"."""
    for place, part in enumerate(parts[:-1]):
        if part[0].start() in named:
            end = parts[place + 1][-1].end()
            for first in range(max(place - 1, 0), place + 1):
                start = parts[first][0].start()
                text = sentence[start:end]
                if not content_words(text) <= asked.words:
                    yield Span(start, end, text, False, "compound")


def _joined(sentence: str, asked: Asked, spans: Sequence[Span]) -> Iterator[Span]:
    """Yield what "and" or "or" joins."""
    for one, other in pairwise(spans):
        near = other.start - one.end <= _LONGEST_JOINT and not (one.is_name and other.is_name)
        if near and _AND.fullmatch(sentence, one.end, other.start):
            text = sentence[one.start : other.end]
            if not content_words(text) <= asked.words:
                yield Span(one.start, other.end, text, False, "joined")
