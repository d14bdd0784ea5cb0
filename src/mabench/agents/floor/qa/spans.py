"""Spans of the sentences found that may answer a question, and how well each would."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self

from mabench.agents.floor.answer_types import NAME, answer_pattern, asks_for_one_of, new_mentions
from mabench.agents.floor.qa.search import Hit, Search
from mabench.text.stems import content_words, is_function_word, stem, tokens

_TRUST = 4  # The power of a sentence's score, relative to the best, with which its spans count.
_FADES = 6.0  # The distance in words at which a word of the question counts half.
_MIXED = 0.5  # For a span that repeats a word of the question,
_UNNAMED = 0.6  # for one that is no name where the question asks for one of a kind.
_PLACED = 1.3  # For a span after a preposition of place where the question asks where.
_PLACE = re.compile(r"\b(?:in|at|to|near|on|from|into|of) (?:the )?$", re.IGNORECASE)
_LONGEST_PLACE = len("from the ")
_WORD = re.compile(r"[^\W_]+")
_COMPOUND = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_WHERE = re.compile(r"\bwhere\b", re.IGNORECASE)


class AnswerType(NamedTuple):
    """What a question asks for: a kind of thing, "which ...", "where"; and its own stems."""

    kind: re.Pattern[str] | None
    one_of: bool
    place: bool
    words: frozenset[str]


class Span(NamedTuple):
    """A stretch of a sentence."""

    start: int
    end: int
    text: str
    is_name: bool


class _Words(NamedTuple):
    """Where the words of a sentence end, and the places of those that the question says.

    Read once a sentence: a sentence may be as long as a chunk.
    """

    ends: list[int]
    asked: Mapping[str, list[int]]

    @classmethod
    def of(cls, sentence: str, asked: AnswerType) -> Self:
        """Read a sentence."""
        words = [(match.end(), stem(match.group().lower())) for match in _WORD.finditer(sentence)]
        said: defaultdict[str, list[int]] = defaultdict(list)
        for place, (_, word) in enumerate(words):
            if word in asked.words:
                said[word].append(place)
        return cls([end for end, _ in words], said)


def best_spans(question: str, hits: Sequence[Hit], search: Search) -> list[str]:
    """Return spans of the sentences found that may answer ``question``, the best first.

    A span is a name, date or number where the question asks for one, else any name or run of
    content words. It counts by how near the words of the question stand in its sentence, by
    their rarity; by the sentence's score; and the more, the more sentences hold it.
    """
    votes: defaultdict[str, float] = defaultdict(float)
    forms: dict[str, tuple[float, str]] = {}
    one_of, place = asks_for_one_of(question), bool(_WHERE.search(question))
    asked = AnswerType(answer_pattern(question), one_of, place, content_words(question))
    for number, score in hits:
        sentence = search.sentences[number].text
        trust = (score / hits[0].score) ** _TRUST
        words = _Words.of(sentence, asked)
        for span in _spans(sentence, asked, search):
            vote = trust * _fit(span, sentence, words, asked, search)
            key = " ".join(tokens(span.text))
            votes[key] += vote
            forms[key] = max(forms.get(key, (0.0, "")), (vote, span.text))
    return [forms[key][1] for key in sorted(votes, key=lambda key: -votes[key])]


def _spans(sentence: str, asked: AnswerType, search: Search) -> Iterator[Span]:
    named = asked.kind in (None, NAME)
    things = new_mentions(asked.kind or NAME, sentence, asked.words)
    taken = [Span(*thing.span(), thing.group(), named) for thing in things]
    if asked.kind is None:
        ends = [name.end for name in taken]
        # Names stand in order: a run can only overlap the first of those that end after its start.
        for run in _runs(sentence, asked.words):
            after = bisect_right(ends, run.start)
            if after == len(ends) or taken[after].start >= run.end:
                taken.append(run)
    for span in taken:
        # The first word of a sentence has its capital from there.
        if not (named and span.start == 0 and search.is_common(span.text)):
            yield span


def _runs(sentence: str, asked: frozenset[str]) -> Iterator[Span]:
    """Yield the runs of content words that the question does not say, adverbs left out."""
    start = end = -1
    for match in _COMPOUND.finditer(sentence):
        word = match.group()
        breaks = is_function_word(word.lower()) or word.endswith("ly")
        if breaks or content_words(word) <= asked:
            continue
        if start >= 0 and sentence[end : match.start()] != " ":
            yield Span(start, end, sentence[start:end], False)
            start = -1
        start = match.start() if start < 0 else start
        end = match.end()
    if start >= 0:
        yield Span(start, end, sentence[start:end], False)


def _fit(span: Span, sentence: str, words: _Words, asked: AnswerType, search: Search) -> float:
    """Return how well a span would answer, by the words around it."""
    first = bisect_right(words.ends, span.start)
    last = bisect_left(words.ends, span.end)
    fit = sum(
        search.index.rarity(word) / (1 + _gap(places, first, last) / _FADES)
        for word, places in sorted(words.asked.items())
    )
    if content_words(span.text) & asked.words:
        fit *= _MIXED
    if asked.one_of and not span.is_name:
        fit *= _UNNAMED
    if asked.place and _PLACE.search(sentence, max(span.start - _LONGEST_PLACE, 0), span.start):
        fit *= _PLACED
    return fit


def _gap(places: Sequence[int], first: int, last: int) -> int:
    """Return how far the nearest of ``places``, which ascend, is from ``first`` to ``last``."""
    after = bisect_left(places, first)
    before = first - places[after - 1] if after else None
    behind = max(places[after] - last, 0) if after < len(places) else None
    return min(gap for gap in (before, behind) if gap is not None)
