"""The checks of the answer key: each looks at one row and names the questions it doubts.

A check yields the index of the question and a few words on what was found. None looks at a
prediction.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

from mabench.audit.superseded import FAMILY, SUPERSEDED, superseded_golds
from mabench.data import Row
from mabench.scoring import Catalogue, normalize
from mabench.scoring.words import spelling
from mabench.text import options_in

Doubt = tuple[int, str]
_LABELLED = re.compile(r"((?:(?!^label: ).*\n)+?)label: (.*)$", re.MULTILINE)
_OPPOSITES = ({("yes",), ("no",)}, {("true",), ("false",)})
_NOT_EXTRACTIVE = frozenset({"yes", "no"})


class AuditCheck(NamedTuple):
    """A check with the reason it gives and the families it looks at; none means all.

    ``find`` takes the row and, for recommendation rows, the catalogue if it is known.
    """

    reason: str
    families: tuple[str, ...]
    find: Callable[[Row, Catalogue | None], Iterator[Doubt]]


def gold_empty(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """A gold that normalises to nothing is, officially, in every output."""
    for index, answers in enumerate(row.answers):
        for answer in answers:
            if not normalize(answer):
                yield index, f"{answer!r} normalises to nothing"
                break


def gold_absent(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """An extractive question of which no gold stands in the context."""
    context = normalize(row.context)
    for index, answers in enumerate(row.answers):
        golds = [normalize(answer) for answer in answers]
        if not any(gold in _NOT_EXTRACTIVE or gold in context for gold in golds):
            yield index, f"none of {answers!r} stands in the context"


def text_shown(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """A text to label that stands among the demonstrations."""
    labels: dict[str, set[str]] = defaultdict(set)
    for text, label in _LABELLED.findall(row.context):
        labels[_folded(text)].add(label.strip())
    for index, question in enumerate(row.questions):
        shown = labels.get(_folded(question))
        if shown:
            yield index, f"shown with label {', '.join(sorted(shown))}"


def gold_not_offered(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """A question whose options cannot be read or do not hold the gold."""
    for index, (question, answers) in enumerate(zip(row.questions, row.answers, strict=True)):
        options = options_in(question)
        offered = {spelling(option.text) for option in options}
        offered |= {spelling(f"{option.letter}. {option.text}") for option in options}
        if not any(spelling(answer) in offered for answer in answers):
            yield index, f"none of {answers!r} is among the {len(options)} options"


def no_gold_turn(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """An answerable question about chats of which no turn is marked to hold the answer."""
    haystacks = row.metadata.haystack_sessions or []
    if len(haystacks) != len(row.questions):
        return  # Sessions that are not kept by question tell nothing of a single one.
    for question, haystack in zip(row.flatten(), haystacks, strict=True):
        marked = any(turn.has_answer for session in haystack for turn in session)
        if not marked and "_abs" not in (question.question_id or ""):
            yield question.question_index, "no turn is marked has_answer"


def candidates_contradict(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """Two golds of a question of which at most one can be right.

    One says yes and the other no, or both hold numbers and have none in common.
    """
    for index, answers in enumerate(row.answers):
        pairs = combinations(dict.fromkeys(answers), 2)
        clash = next((pair for pair in pairs if _contradict(*map(spelling, pair))), None)
        if clash:
            yield index, f"{clash[0]!r} and {clash[1]!r}"


def asked_twice(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """The same question twice in a row, with different golds."""
    golds: dict[str, dict[frozenset[str], int]] = defaultdict(dict)
    for index, (question, answers) in enumerate(zip(row.questions, row.answers, strict=True)):
        golds[_folded(question)].setdefault(frozenset(map(normalize, answers)), index)
    for index, question in enumerate(row.questions):
        different = golds[_folded(question)]
        if len(different) > 1:
            others = [other for other in different.values() if other != index]
            yield index, f"question {others[0]} asks the same and has other golds"


def entity_unknown(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """A gold id that the entity file does not hold."""
    for index, answers in enumerate(row.answers if catalogue else ()):
        unknown = [answer for answer in answers if not _titles(answer, catalogue)]
        if unknown:
            yield index, f"no entity has the id {', '.join(unknown)}"


def gold_already_named(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """A gold item that the conversation names before it is to be recommended."""
    for index, answers in enumerate(row.answers if catalogue else ()):
        titles = [title for answer in answers for title in _titles(answer, catalogue)]
        named = next((title for title in titles if _is_named(title, row.questions[index])), None)
        if named:
            yield index, f"{named!r} is named in the conversation"


def gold_superseded(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """A gold that needs a fact which a later one contradicts."""
    yield from superseded_golds(row)


def _is_named(title: str, conversation: str) -> bool:
    """Whether a title stands in a conversation; one of a single word needs its year behind it.

    ``It`` opens many a sentence in which no film is meant.
    """
    year = "" if " " in title else r" \(\d{4}\)"
    return re.search(rf"(?<!\w){re.escape(title)}(?!\w){year}", conversation) is not None


def _titles(answer: str, catalogue: Catalogue | None) -> list[str]:
    return catalogue.titles([answer]) if catalogue else []


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _contradict(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    numbers, others = _numbers(one), _numbers(other)
    return {one, other} in _OPPOSITES or (
        bool(numbers) and bool(others) and numbers.isdisjoint(others)
    )


def _numbers(words: tuple[str, ...]) -> set[str]:
    return {digits for word in words for digits in re.findall(r"\d+", word)}


CHECKS = (
    AuditCheck("gold-empty", (), gold_empty),
    AuditCheck("gold-absent", ("ruler", "factconsolidation"), gold_absent),
    AuditCheck(SUPERSEDED, (FAMILY,), gold_superseded),
    AuditCheck("text-shown", ("icl",), text_shown),
    AuditCheck("gold-not-offered", ("eventqa", "detective"), gold_not_offered),
    AuditCheck("no-gold-turn", ("longmemeval",), no_gold_turn),
    AuditCheck("candidates-contradict", ("ruler",), candidates_contradict),
    AuditCheck("asked-twice", (), asked_twice),
    AuditCheck("entity-unknown", ("recsys",), entity_unknown),
    AuditCheck("gold-already-named", ("recsys",), gold_already_named),
)
