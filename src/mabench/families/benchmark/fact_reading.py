"""How FactConsolidation's facts and questions are read, to find which facts a gold rests on.

The reading is independent: no agent's code takes part in it.

Statements are split by frames that recur around varying names. A gold shows which chains of
statements a question may mean: those that lead from a name in the question to the gold. Which chain
fits the words of the question best is learned from all questions of the row, by expectation
maximization over words and frames (as in the first model of Brown et al., 1993).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from mabench.data import Row
from mabench.scoring import normalize
from mabench.text.spans import Span
from mabench.text.stems import content_words, tokens

_STATEMENT = re.compile(r"^(\d+)\. (.+?)\.?$", re.MULTILINE)
_POSSESSIVE = re.compile(r"(?<=\w)('s) ")
_MOST_LEARNT = 2_000  # Statements that frames are learnt from, spread over the history.
_MOST_HOPS = 4
_MOST_ROUTES = 50_000  # Of one question.
_ROUNDS = 8
_LEAST = 1e-3  # The probability of a word that no frame is known to go with.
_NEAR = 3.0  # How much less likely than the best a reading may be, in nats.

Frame = tuple[tuple[str, ...], tuple[str, ...]]  # The words before the subject and after it.


class Statement(NamedTuple):
    """One numbered statement of a history."""

    serial: str
    text: str
    frame: Frame
    subject: str
    object: str
    span: Span  # Where it is in the history.


class Interpretation(NamedTuple):
    """A way to understand a question: the frames to follow from a name, one after the other."""

    start: str
    frames: tuple[Frame, ...]


Route = tuple[Statement, ...]
Book = Mapping[str, Mapping[Frame, Sequence[Statement]]]  # By subject and frame, in order.
# With the statements, and for each question its readings and the likely ones, the best first.
ReadRow = tuple[
    Book, list[Statement], list[dict[Interpretation, Route]], list[list[Interpretation]]
]


def read_row(row: Row) -> ReadRow:
    """Return the statements of a row, and how each of its questions can be understood."""
    return _read(row.context, (*row.questions,), (*map(tuple, row.answers),))


@lru_cache(1)  # The audit of a row and its page want the same.
def _read(context: str, questions: Sequence[str], answers: Sequence[Sequence[str]]) -> ReadRow:
    book: dict[str, dict[Frame, list[Statement]]] = defaultdict(lambda: defaultdict(list))
    statements = _read_statements(context)
    for statement in statements:
        book[statement.subject.casefold()][statement.frame].append(statement)
    routes = [
        _routes_to(book, question, golds)
        for question, golds in zip(questions, answers, strict=True)
    ]
    words = [content_words(question) for question in questions]
    return book, statements, routes, _rank_readings(words, routes)


def _read_statements(context: str) -> list[Statement]:
    """Split each statement by the frame that recurs with the most words and names.

    How varied the names in a frame are is counted by the words beside its own, since a frame that
    is cut too short has parts of another frame there.
    """
    lines = [
        (match[1], match[2], _POSSESSIVE.sub(r" \1 ", match[2]).split(), match.span())
        for match in _STATEMENT.finditer(context)
    ]
    beside: dict[Frame, tuple[set[str], set[str], set[str]]] = defaultdict(
        lambda: (set(), set(), set())
    )
    for _, _, words, _ in lines[:: max(1, len(lines) // _MOST_LEARNT)]:
        for frame, subject, rest in _splits(words):
            first = subject.split()[0] if frame[0] else subject
            edges = first, subject.split()[-1], rest.split()[0]
            for varied, edge in zip(beside[frame], edges, strict=True):
                varied.add(edge)
    lower = {word for _, _, words, _ in lines for word in words[1:]}
    value: dict[Frame, float] = {}
    for (before, between), names in beside.items():
        if (least := min(map(len, names))) > 1:
            # Words of names, in capitals, count against a frame. The first word of a statement is
            # no part of a name where it occurs in lower case, too.
            count = sum(-1 if word[0].isupper() else 1 for word in (*before[1:], *between))
            count -= bool(before and before[0].lower() not in lower)
            value[before, between] = max(0, count) * math.log1p(least)
    statements = []
    for serial, text, words, span in lines:
        best = max(_splits(words), key=lambda split: value.get(split[0], 0.0), default=None)
        if best and value.get(best[0]):
            statements.append(Statement(serial, text, *best, span))
    return statements


def _splits(words: Sequence[str]) -> Iterator[tuple[Frame, str, str]]:
    """Yield every way to see a statement as a frame with its subject and its object."""
    for start in range(len(words) - 2):
        for end in range(start + 1, len(words) - 1):
            for last in range(end + 1, len(words)):
                frame = tuple(words[:start]), tuple(words[end:last])
                yield frame, " ".join(words[start:end]), " ".join(words[last:])


def _routes_to(book: Book, question: str, golds: Sequence[str]) -> dict[Interpretation, Route]:
    """Return the readings that can give a gold, each with its newest chain that does."""
    text = f" {' '.join(tokens(question))} "
    named = [name for name in book if f" {' '.join(tokens(name))} " in text]
    starts = [name for name in named if not any(name in other for other in named if other != name)]
    routes: dict[Interpretation, Route] = {}
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
    """Whether a name contains one of the golds, once both are normalized."""
    return any(normalize(gold) in normalize(name) for gold in golds)


def _rank_readings(
    words: Sequence[frozenset[str]], routes: Sequence[Mapping[Interpretation, Route]]
) -> list[list[Interpretation]]:
    names = [{word for reading in each for word in content_words(reading.start)} for each in routes]
    asked = [each - of_name for each, of_name in zip(words, names, strict=True)]
    frames = {frame for each in routes for reading in each for frame in reading.frames}
    goes_with: dict[Frame, dict[str, float]] = {
        frame: dict.fromkeys(content_words(" ".join([*frame[0], *frame[1]])), 1.0)
        for frame in frames
    }
    likelihoods: list[dict[Interpretation, float]] = []  # In nats.
    for _ in range(_ROUNDS):
        share = {
            frame: {word: count / sum(counts.values()) for word, count in counts.items()}
            for frame, counts in goes_with.items()
        }
        likelihoods = [
            {
                reading: sum(
                    math.log(
                        max(_LEAST, sum(share[frame].get(word, 0.0) for frame in reading.frames))
                        / len(reading.frames)
                    )
                    for word in of_question
                )
                for reading in each
            }
            for of_question, each in zip(asked, routes, strict=True)
        ]
        for of_question, each in zip(asked, likelihoods, strict=True):
            best = max(each.values(), default=0.0)
            total = sum(math.exp(value - best) for value in each.values())
            for reading, value in each.items():
                weight = math.exp(value - best) / total
                for word in of_question:
                    parts = Counter({f: share[f].get(word, _LEAST) for f in reading.frames})
                    for frame, part in parts.items():
                        counts = goes_with[frame]
                        counts[word] = counts.get(word, 0.0) + weight * part / parts.total()
    return [
        [
            reading
            for reading, value in sorted(each.items(), key=lambda item: -item[1])
            if value >= max(each.values()) - _NEAR
        ]
        for each in likelihoods
    ]
