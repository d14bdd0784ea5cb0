"""FactConsolidation: a numbered list of facts in which later facts supersede earlier ones.

Questions ask one fact (sh) or a chain of facts (mh); the gold is always a single string.

Which golds follow from a superseded fact is found by a reading of its own; no agent's code takes
part. Statements are split by frames that recur around varying names. A gold tells which chains of
statements a question may mean: those that lead from a name in it to the gold. Which of these fits
the question's words best is learnt from all questions of the row, by expectation maximisation over
words and frames (as in the first model of Brown et al., 1993).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from mabench.data import Row
from mabench.families.family import AuditCheck, Family, budgets, by_rule
from mabench.families.parts import GOLD_ABSENT, read_prompts, split_after
from mabench.scoring import Catalogue, correct_answer, normalize
from mabench.text.marks import Span
from mabench.text.stems import content_words, tokens

_LINE_END = re.compile(r"\n+")
_STATEMENT = re.compile(r"^(\d+)\. (.+?)\.?$", re.MULTILINE)
_POSSESSIVE = re.compile(r"(?<=\w)('s) ")
_MOST_LEARNT = 2_000  # Statements that frames are learnt from, spread over the history.
_MOST_HOPS = 4
_MOST_ROUTES = 50_000  # Of one question.
_ROUNDS = 8
_LEAST = 1e-3  # The probability of a word that no frame is known to go with.
_NEAR = 3.0  # How much less likely than the best a reading may be, in nats.

_Frame = tuple[tuple[str, ...], tuple[str, ...]]  # The words before the subject and after it.


class _Statement(NamedTuple):
    serial: str
    text: str
    frame: _Frame
    subject: str
    object: str
    span: Span  # Where it stands in the history.


class _Interpretation(NamedTuple):
    """A way to understand a question: the frames to follow from a name, one after the other."""

    start: str
    frames: tuple[_Frame, ...]


_Route = tuple[_Statement, ...]
_Book = Mapping[str, Mapping[_Frame, Sequence[_Statement]]]  # By subject and frame, in order.
# With the statements, and for each question its readings and the likely ones, the best first.
_Read = tuple[
    _Book, list[_Statement], list[dict[_Interpretation, _Route]], list[list[_Interpretation]]
]


def _gold_superseded(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """A gold that follows from a fact that a later fact of the history contradicts.

    The detail shows both chains of facts: the one that the gold needs, and the one of the newest
    facts. A gold that the newest facts give by any likely reading of the question is sound, and
    one that no facts give is not judged, since the reading may be wrong.
    """
    book, statements, routes, rankings = _read_row(row)
    for index, (ranked, golds) in enumerate(zip(rankings, row.answers, strict=True)):
        rules = [_newest(book, reading) for reading in ranked]
        pairs = zip(rules, ranked, strict=True)
        whole = [rule[-1] for rule, reading in pairs if len(rule) == len(reading.frames)]
        if rules and not any(
            _gives(last.object, golds) or _gives(_name_from_other_side(statements, last), golds)
            for last in whole
        ):
            needed, rule = (
                " > ".join(f"{step.serial}. {step.text}." for step in route)
                for route in (routes[index][ranked[0]], rules[0])
            )
            yield index, f"needs {needed}; the rule gives {rule}"


def _older_facts(row: Row) -> Iterator[list[Span]]:
    """Yield for each question where the facts stand that newer ones replaced.

    They are about the same as those by which the likeliest reading leads to its gold.
    """
    book, _, routes, rankings = _read_row(row)
    for readings, ranked in zip(routes, rankings, strict=True):
        route = readings[ranked[0]] if ranked else ()
        yield [one.span for step in route for one in book[step.subject.casefold()][step.frame][:-1]]


def _read_row(row: Row) -> _Read:
    return _read(row.context, (*row.questions,), (*map(tuple, row.answers),))


@lru_cache(1)  # The audit of a row and its page want the same.
def _read(context: str, questions: Sequence[str], answers: Sequence[Sequence[str]]) -> _Read:
    book: dict[str, dict[_Frame, list[_Statement]]] = defaultdict(lambda: defaultdict(list))
    statements = _read_statements(context)
    for statement in statements:
        book[statement.subject.casefold()][statement.frame].append(statement)
    routes = [
        _routes_to(book, question, golds)
        for question, golds in zip(questions, answers, strict=True)
    ]
    words = [content_words(question) for question in questions]
    return book, statements, routes, _rank_readings(words, routes)


def _read_statements(context: str) -> list[_Statement]:
    """Split each statement by the frame that recurs with the most words and names.

    How varied the names in a frame are is counted by the words beside its own, since a frame that
    is cut too short has parts of another frame there.
    """
    lines = [
        (match[1], match[2], _POSSESSIVE.sub(r" \1 ", match[2]).split(), match.span())
        for match in _STATEMENT.finditer(context)
    ]
    beside: dict[_Frame, tuple[set[str], set[str], set[str]]] = defaultdict(
        lambda: (set(), set(), set())
    )
    for _, _, words, _ in lines[:: max(1, len(lines) // _MOST_LEARNT)]:
        for frame, subject, rest in _splits(words):
            first = subject.split()[0] if frame[0] else subject
            edges = first, subject.split()[-1], rest.split()[0]
            for varied, edge in zip(beside[frame], edges, strict=True):
                varied.add(edge)
    lower = {word for _, _, words, _ in lines for word in words[1:]}
    value: dict[_Frame, float] = {}
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
            statements.append(_Statement(serial, text, *best, span))
    return statements


def _splits(words: Sequence[str]) -> Iterator[tuple[_Frame, str, str]]:
    """Yield every way to see a statement as a frame with its subject and its object."""
    for start in range(len(words) - 2):
        for end in range(start + 1, len(words) - 1):
            for last in range(end + 1, len(words)):
                frame = tuple(words[:start]), tuple(words[end:last])
                yield frame, " ".join(words[start:end]), " ".join(words[last:])


def _routes_to(book: _Book, question: str, golds: Sequence[str]) -> dict[_Interpretation, _Route]:
    """Return the readings that can give a gold, each with its newest chain that does."""
    text = f" {' '.join(tokens(question))} "
    named = [name for name in book if f" {' '.join(tokens(name))} " in text]
    starts = [name for name in named if not any(name in other for other in named if other != name)]
    routes: dict[_Interpretation, _Route] = {}
    open_routes: list[tuple[str, _Route]] = [(name, ()) for name in starts]
    for start, route in open_routes:
        if len(open_routes) > _MOST_ROUTES:
            break
        if route and _gives(route[-1].object, golds):
            routes[_Interpretation(start, tuple(step.frame for step in route))] = route
        if len(route) < _MOST_HOPS:
            name = route[-1].object.casefold() if route else start
            open_routes += [
                (start, (*route, step))
                for steps in book.get(name, {}).values()
                for step in steps
                if step not in route
            ]
    return routes


def _gives(name: str, golds: Sequence[str]) -> bool:
    return any(normalize(gold) in normalize(name) for gold in golds)


def _name_from_other_side(statements: Sequence[_Statement], last: _Statement) -> str:
    """Return what the newest statement of a frame says from the other side; "" if none does.

    ``Oslo is the twin city of Bern`` tells the twin city of Bern, too.
    """
    same = (one for one in reversed(statements) if one.frame == last.frame)
    return next((one.subject for one in same if one.object == last.subject), "")


def _newest(book: _Book, reading: _Interpretation) -> _Route:
    name, route = reading.start, []
    for frame in reading.frames:
        steps = book.get(name, {}).get(frame)
        if not steps:
            break
        route.append(steps[-1])
        name = steps[-1].object.casefold()
    return tuple(route)


def _rank_readings(
    words: Sequence[frozenset[str]], routes: Sequence[Mapping[_Interpretation, _Route]]
) -> list[list[_Interpretation]]:
    names = [{word for reading in each for word in content_words(reading.start)} for each in routes]
    asked = [each - of_name for each, of_name in zip(words, names, strict=True)]
    frames = {frame for each in routes for reading in each for frame in reading.frames}
    goes_with: dict[_Frame, dict[str, float]] = {
        frame: dict.fromkeys(content_words(" ".join([*frame[0], *frame[1]])), 1.0)
        for frame in frames
    }
    likelihoods: list[dict[_Interpretation, float]] = []  # In nats.
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


FAMILY = Family(
    name="factconsolidation",
    prompts=read_prompts("factconsolidation"),
    units=lambda context: split_after(_LINE_END, context),
    budgets=budgets(paper=(512, 10), repository=(4096, 10)),
    metric="substring_exact_match",
    corrected=by_rule("substring_exact_match", correct_answer),
    gold_in_text=lambda answers: True,
    audit_checks=(GOLD_ABSENT, AuditCheck("gold-superseded", _gold_superseded, lowers_best=True)),
    older_values=_older_facts,
)
