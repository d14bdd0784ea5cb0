"""Reads FactConsolidation's facts and questions, to find the facts on which a gold answer rests.

The audit uses this; no agent's code may take part in it, and no agent may use it.

A statement is split into a subject, an object and the words around them, its frame: "The capital of
NORWAY is OSLO". Frames are found because they recur around different names. A question means a
chain of statements that leads from a name in the question to the gold. Several chains may do so;
which one fits the words of the question best is learned from all questions of the row, by
expectation maximization over words and frames (as in IBM model 1 of Brown et al., 1993).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from mabench.data import Row
from mabench.scoring import normalize
from mabench.text.spans import Span
from mabench.text.stems import content_words, tokens

_STATEMENT = re.compile(r"^(\d+)\. (.+?)\.?$", re.MULTILINE)
_POSSESSIVE = re.compile(r"(?<=\w)('s) ")
# From how many statements, spread over the history, frames are learned.
_MOST_LEARNED_FROM = 2_000
# How many statements a chain may have, and how many chains of a question are tried.
_MOST_HOPS = 4
_MOST_ROUTES = 50_000
# Rounds of expectation maximization.
_ROUNDS = 8
# The least probability of a word, for frames with which it was never seen.
_LEAST = 1e-3
# How much less likely than the best a reading may be, in nats, to count as likely.
_NEAR = 3.0

# The words before the subject, and those between subject and object.
WordFrame = tuple[tuple[str, ...], tuple[str, ...]]


class NumberedStatement(NamedTuple):
    """One numbered statement of a history."""

    serial: str
    text: str
    frame: WordFrame
    subject: str
    object: str
    span: Span  # Where it is in the history.


class Interpretation(NamedTuple):
    """A way to understand a question: the frames to follow, one after the other, from a name."""

    start: str
    frames: tuple[WordFrame, ...]


# A chain of statements, each about the object of the one before.
Route = tuple[NumberedStatement, ...]
# The statements by subject and frame, in the order of the history.
Book = Mapping[str, Mapping[WordFrame, Sequence[NumberedStatement]]]


class FactReading(NamedTuple):
    """The statements of a row, and how each of its questions can be understood."""

    book: Book
    statements: list[NumberedStatement]
    routes: list[dict[Interpretation, Route]]  # Of each question, all that give its gold.
    rankings: list[list[Interpretation]]  # Of each question, the likely ones, the best first.


def read_row(row: Row) -> FactReading:
    """Return the statements of a row, and how each of its questions can be understood."""
    return _read_context(row.context, tuple(row.questions), tuple(map(tuple, row.answers)))


# Cached because the audit of a row and its page need the same.
@lru_cache(1)
def _read_context(
    context: str, questions: Sequence[str], answers: Sequence[Sequence[str]]
) -> FactReading:
    """Return the reading of a row, from its history, questions and gold answers."""
    book: dict[str, dict[WordFrame, list[NumberedStatement]]] = defaultdict(
        lambda: defaultdict(list)
    )
    statements = _read_statements(context)
    for statement in statements:
        book[statement.subject.casefold()][statement.frame].append(statement)
    routes = [
        _routes_to(book, question, golds)
        for question, golds in zip(questions, answers, strict=True)
    ]
    words = [content_words(question) for question in questions]
    return FactReading(book, statements, routes, _rank_readings(words, routes))


def _read_statements(context: str) -> list[NumberedStatement]:
    """Return the statements of a history, each split by its most valuable frame."""
    matches = list(_STATEMENT.finditer(context))
    lines = [_POSSESSIVE.sub(r" \1 ", match[2]).split() for match in matches]
    values = _value_frames(lines)
    statements = []
    for match, words in zip(matches, lines, strict=True):
        best = max(_ways_to_split(words), key=lambda way: values.get(way[0], 0.0), default=None)
        if best and values.get(best[0]):
            frame, subject, object_ = best
            serial, text = match.groups()
            statements.append(
                NumberedStatement(serial, text, frame, subject, object_, match.span())
            )
    return statements


def _value_frames(lines: Sequence[Sequence[str]]) -> dict[WordFrame, float]:
    """Return how well each frame splits statements: frames with more words and names are better.

    How varied the names in a frame are is counted at its edges, by the words next to its own: a
    frame that is cut too short has words of the whole frame there, which hardly vary.
    """
    edges: dict[WordFrame, _EdgeWords] = defaultdict(lambda: _EdgeWords(set(), set(), set()))
    step = max(1, len(lines) // _MOST_LEARNED_FROM)
    for words in lines[::step]:
        for frame, subject, object_ in _ways_to_split(words):
            before_subject, _ = frame
            # Without words before the subject, the whole subject is its first edge.
            subject_start = subject.split()[0] if before_subject else subject
            edges[frame].subject_start.add(subject_start)
            edges[frame].subject_end.add(subject.split()[-1])
            edges[frame].object_start.add(object_.split()[0])
    inner_words = {word for words in lines for word in words[1:]}
    values: dict[WordFrame, float] = {}
    for frame, words_at_edges in edges.items():
        variety = min(map(len, words_at_edges))
        if variety > 1:
            values[frame] = max(0, _worth_of_words(frame, inner_words)) * math.log1p(variety)
    return values


class _EdgeWords(NamedTuple):
    """The words of names that were seen next to the words of a frame."""

    subject_start: set[str]
    subject_end: set[str]
    object_start: set[str]


def _worth_of_words(frame: WordFrame, inner_words: Container[str]) -> int:
    """Return how many more words of a frame are plain than are likely to belong to names.

    A word in lower case counts 1, and a capitalized one -1. The first word of a statement is
    capitalized anyway: it counts -1 if it never occurs in lower case within a statement, since it
    belongs to a name then, and 0 otherwise. ``inner_words`` are all words but the first of each
    statement.
    """
    before, between = frame
    worth = 0
    for word in (*before[1:], *between):
        worth += -1 if word[0].isupper() else 1
    if before and before[0].lower() not in inner_words:
        worth -= 1
    return worth


def _ways_to_split(words: Sequence[str]) -> Iterator[tuple[WordFrame, str, str]]:
    """Yield every way to split a statement into a frame, a subject and an object."""
    for start in range(len(words) - 2):
        for end in range(start + 1, len(words) - 1):
            for last in range(end + 1, len(words)):
                frame = tuple(words[:start]), tuple(words[end:last])
                yield frame, " ".join(words[start:end]), " ".join(words[last:])


def _routes_to(book: Book, question: str, golds: Sequence[str]) -> dict[Interpretation, Route]:
    """Return all readings of a question that lead to a gold, each with its newest such chain."""
    text = f" {' '.join(tokens(question))} "
    named = [name for name in book if f" {' '.join(tokens(name))} " in text]
    # A name that is a part of another name in the question is not meant.
    starts = [name for name in named if not any(name in other for other in named if other != name)]
    routes: dict[Interpretation, Route] = {}
    # The list grows while it is walked: breadth first.
    open_routes: list[tuple[str, Route]] = [(name, ()) for name in starts]
    for start, route in open_routes:
        if len(open_routes) > _MOST_ROUTES:
            break
        if route and gives_gold(route[-1].object, golds):
            routes[Interpretation(start, tuple(step.frame for step in route))] = route
        if len(route) < _MOST_HOPS:
            name = route[-1].object.casefold() if route else start
            open_routes += [
                (start, (*route, step))
                for steps in book.get(name, {}).values()
                for step in steps
                if step not in route
            ]
    return routes


def gives_gold(name: str, golds: Sequence[str]) -> bool:
    """Return whether a name contains one of the golds, after both are normalized."""
    return any(normalize(gold) in normalize(name) for gold in golds)


def _rank_readings(
    words: Sequence[frozenset[str]], routes: Sequence[Mapping[Interpretation, Route]]
) -> list[list[Interpretation]]:
    """Return the likely readings of each question, the best first.

    ``words`` are the content words of each question, and ``routes`` its readings.
    """
    of_names = [
        {word for reading in readings for word in content_words(reading.start)}
        for readings in routes
    ]
    asked = [content - names for content, names in zip(words, of_names, strict=True)]
    frames = {frame for readings in routes for reading in readings for frame in reading.frames}
    # How often each frame goes with each word of a question; at first, with its own words once.
    counts: dict[WordFrame, dict[str, float]] = {
        frame: dict.fromkeys(content_words(" ".join([*frame[0], *frame[1]])), 1.0)
        for frame in frames
    }
    likelihoods: list[dict[Interpretation, float]] = []
    for _ in range(_ROUNDS):
        shares = {
            frame: {word: count / sum(of_frame.values()) for word, count in of_frame.items()}
            for frame, of_frame in counts.items()
        }
        likelihoods = [
            {reading: _log_likelihood(reading, of_question, shares) for reading in readings}
            for of_question, readings in zip(asked, routes, strict=True)
        ]
        for of_question, of_readings in zip(asked, likelihoods, strict=True):
            _add_expected_counts(counts, of_question, of_readings, shares)
    return [_likely_first(of_readings) for of_readings in likelihoods]


# The part of each word among the words that go with a frame.
_Shares = Mapping[WordFrame, Mapping[str, float]]


def _log_likelihood(reading: Interpretation, words: Iterable[str], shares: _Shares) -> float:
    """Return the log likelihood of a question's words under a reading, in nats."""
    total = 0.0
    for word in words:
        share = sum(shares[frame].get(word, 0.0) for frame in reading.frames)
        total += math.log(max(_LEAST, share) / len(reading.frames))
    return total


def _add_expected_counts(
    counts: Mapping[WordFrame, dict[str, float]],
    words: Iterable[str],
    likelihoods: Mapping[Interpretation, float],
    shares: _Shares,
) -> None:
    """Add the words of a question to the counts of the frames by which it may be understood.

    The readings share a count of 1 for each word by their likelihoods, and the frames of a reading
    share its part by how often each goes with the word.
    """
    best = max(likelihoods.values(), default=0.0)
    total = sum(math.exp(value - best) for value in likelihoods.values())
    for reading, value in likelihoods.items():
        probability = math.exp(value - best) / total
        for word in words:
            parts = Counter({frame: shares[frame].get(word, _LEAST) for frame in reading.frames})
            for frame, part in parts.items():
                of_frame = counts[frame]
                of_frame[word] = of_frame.get(word, 0.0) + probability * part / parts.total()


def _likely_first(likelihoods: Mapping[Interpretation, float]) -> list[Interpretation]:
    """Return the readings that are about as likely as the best one, the best first."""
    ranked = sorted(likelihoods.items(), key=lambda item: -item[1])
    least = max(likelihoods.values(), default=0.0) - _NEAR
    return [reading for reading, value in ranked if value >= least]
