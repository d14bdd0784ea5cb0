"""RULER rows against the world's state and against the documents."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from mabench.data.schema import Row, RowContent
from mabench.errors import UsageError
from mabench.synthesis import GENERATORS, row_specs
from mabench.synthesis.families.ruler.generator import world_of
from mabench.synthesis.world.relations import RELATIONS
from mabench.synthesis.world.world import World
from tests.synthesis.wordings import read


def _resolve(world: World, words: str) -> str:
    for relation in RELATIONS:
        for slots in read(words, relation.phrases):
            inner = _resolve(world, slots["s"])
            if (relation.name, inner) in world.state:
                return world.state[relation.name, inner]
    return words


def _by_relation(world: World, question: str) -> str | None:
    for relation in RELATIONS:
        for slots in read(question, relation.questions):
            subject = _resolve(world, slots["s"])
            if (relation.name, subject) in world.state:
                return world.state[relation.name, subject]
    return None


def _named(world: World, question: str) -> list[str]:
    return sorted((name for name in world.dates if name in question), key=question.index)


def _solve(world: World, question: str) -> str:
    """Answer from the state: a relation, else a comparison, a likeness, a date or a number."""
    answer = _by_relation(world, question)
    named = _named(world, question)
    if answer:
        return answer
    if len(named) == 2 and re.search(r"first|older", question):
        return min(named, key=world.dates.__getitem__)
    if len(named) == 2:
        return "yes" if _alike(world, question, named) else "no"
    if "inhabitants" in question or "population" in question:
        return f"{world.populations[named[0]]:,}"
    day = world.dates[named[0]]
    return f"{day.day} {day:%B} {day.year}"


def _alike(world: World, question: str, named: list[str]) -> bool:
    asked = {"birth": "birthplace", "born": "birthplace", "game": "game", "countr": "country"}
    asked |= {"employer": "employer", "colleagues": "employer"}
    relation = next(asked[word] for word in asked if word in question)
    return len({world.state[relation, name] for name in named}) == 1


@pytest.mark.parametrize("source", ["ruler_qa1_197K", "ruler_qa2_421K"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_state_of_the_world_answers_every_question(source: str, seed: int) -> None:
    (spec,) = row_specs(source, seed, tokens=20_000, questions=60)
    row, world = GENERATORS["ruler"].make_row(spec), world_of(spec)
    solved = [_solve(world, question) for question in row.questions]
    assert solved == [answers[0] for answers in row.answers]


def test_knobs_set_the_surface_forms_and_the_likeness_of_people() -> None:
    def row(**knobs: float) -> RowContent:
        (spec,) = row_specs("ruler_qa1_197K", 0, tokens=9_000, questions=20, knobs=knobs)
        return GENERATORS["ruler"].make_row(spec)

    assert {len(answers) for answers in row(forms=1).answers} == {2, 3}

    def surnames(likeness: float) -> int:
        (spec,) = row_specs("ruler_qa1_197K", 0, tokens=9_000, knobs={"likeness": likeness})
        return len({name.split()[-1] for name in world_of(spec).entities["person"]})

    assert surnames(0.9) < surnames(0) / 2


def test_so_short_a_row_is_refused() -> None:
    (spec,) = row_specs("ruler_qa1_197K", 0, tokens=300, questions=500)
    with pytest.raises(UsageError, match="fewer questions or more tokens"):
        GENERATORS["ruler"].make_row(spec)


def test_golds_stand_in_the_documents_and_not_in_the_questions(
    rows_of: Callable[[str], list[Row]],
) -> None:
    (row,) = rows_of("ruler_qa1_197K")
    for question, answers in zip(row.questions, row.answers, strict=True):
        assert len(answers) in (3, 4)
        assert answers[0] in row.context
        assert not any(answer in question for answer in answers)


def test_joined_questions_ask_for_a_chain_a_comparison_and_a_likeness(
    rows_of: Callable[[str], list[Row]],
) -> None:
    (row,) = rows_of("ruler_qa2_421K")
    golds = [answers[0] for answers in row.answers]
    assert {"yes", "no"} < set(golds)
    offered = [gold for gold, q in zip(golds, row.questions, strict=True) if gold in q]
    assert 4 <= len(offered) <= 8
    assert all(gold in ("yes", "no") or gold in row.context for gold in golds)


@pytest.mark.parametrize("source", ["ruler_qa1_197K", "ruler_qa2_421K"])
def test_documents_are_numbered_and_titled_as_on_the_hub(
    rows_of: Callable[[str], list[Row]], source: str
) -> None:
    (row,) = rows_of(source)
    documents = row.context.split("\n\n")
    for i, document in enumerate(documents, start=1):
        header, *lines = document.split("\n")
        assert header == f"Document {i}:"
        assert len(lines) == (2 if source == "ruler_qa2_421K" else 1)
        assert lines[0].lower() in lines[-1].lower()
