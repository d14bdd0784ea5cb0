import re
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from mabench.data.schema import Row
from mabench_synthetic import make_rows, row_specs
from mabench_synthetic.world import RELATIONS, shared_words
from tests.synthetic.wordings import pattern, read

# What is stated of a relation and a subject, by serial number.
Ledger = dict[tuple[str, str], dict[int, str]]
_SINGLE, _MULTI = "factconsolidation_sh_6k", "factconsolidation_mh_6k"


def _made(
    source: str, seed: int = 2, tokens: int = 12_000, questions: int = 30, **knobs: float
) -> Row:
    specs = row_specs(source, seed, tokens=tokens, questions=questions, knobs=knobs)
    (row,) = make_rows(specs)
    return row


def _ledger(row: Row) -> Ledger:
    header, *lines = row.context.splitlines()
    assert header == "Here is a list of facts:"
    ledger: Ledger = {}
    for serial, line in enumerate(lines):
        number, _, text = line.partition(". ")
        assert number == str(serial)
        ((key, value),) = (
            ((relation.name, slots["s"].lower()), slots["o"])
            for relation in RELATIONS
            for slots in read(text, relation.statements)
        )
        ledger.setdefault(key, {})[serial] = value
    return ledger


def _read(ledger: Ledger, words: str, asked: bool = True, last: int = -1) -> str | None:
    """Return what a question asks for, or a phrase stands for, by the statement at ``last``."""
    for relation in RELATIONS:
        for slots in read(words, relation.questions if asked else relation.phrases):
            inner = _read(ledger, slots["s"], False, last) or ""
            if stated := ledger.get((relation.name, inner.lower())):
                return [*stated.values()][last]
    return None if asked else words


def _answers(ledger: Ledger, row: Row, last: int = -1) -> list[bool]:
    """Say of each question whether the statement at ``last`` answers it."""
    pairs = zip(row.questions, row.answers, strict=True)
    found = ((_read(ledger, question, last=last), gold) for question, (gold,) in pairs)
    return [one is not None and one.lower() == gold.lower() for one, gold in found]


def _hops(row: Row) -> set[int]:
    phrases = [pattern(phrase) for relation in RELATIONS for phrase in relation.phrases]

    def depth(words: str) -> int:
        inner = [found["s"] for found in (p.fullmatch(words) for p in phrases) if found]
        return 1 + max(map(depth, inner)) if inner else 0

    asked = [[s["s"] for r in RELATIONS for s in read(q, r.questions)] for q in row.questions]
    return {1 + max(map(depth, subjects)) for subjects in asked}


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 52), marks=pytest.mark.slow)])
def test_the_later_serial_answers_every_question_and_the_first_few(seeds: range) -> None:
    for seed in seeds:
        single, multi = (_made(source, seed, 6_000, 100) for source in (_SINGLE, _MULTI))
        assert single.context == multi.context
        assert 300 < single.context.count("\n") < 520, "as many as on the hub"
        assert re.search(r"\.\n\Z", single.context)
        assert not {*single.questions} & {*multi.questions}
        ledger = _ledger(single)
        for row in (single, multi):
            assert all(_answers(ledger, row))
            assert sum(_answers(ledger, row, last=0)) <= 50
        assert _hops(multi) == {2, 3, 4}


def test_conflicts_and_their_distance_are_knobs() -> None:
    def lags(**knobs: Any) -> list[int]:
        """How many lines lie between a fact and the one that contradicts it."""
        stated = _ledger(_made(_SINGLE, **knobs)).values()
        return [later - first for serials in stated for first, later in pairwise(serials)]

    assert lags(conflicts=0) == []
    many, near = lags(conflicts=0.5), lags(conflicts=0.5, distance=0.02)
    assert len(many) > 250
    assert max(near) < 30 < max(many)


@pytest.mark.parametrize("hops", [2, 4])
def test_hops_are_a_knob(hops: int) -> None:
    row = _made(_MULTI, fewest_hops=hops, most_hops=hops)
    assert all(_answers(_ledger(row), row))
    assert _hops(row) == {hops}


def test_every_statement_can_be_asked_for_in_its_own_words() -> None:
    for relation in RELATIONS:
        for statement in relation.statements:
            for wordings in (relation.questions, relation.phrases):
                shared = max(shared_words(wording, statement) for wording in wordings)
                assert shared > 0, (statement, wordings)


@pytest.mark.parametrize("tokens", [700, 1_000, 2_000])
def test_the_shortest_histories_have_something_to_contradict(tokens: int) -> None:
    for seed in range(3):
        assert len(_made(_MULTI, seed, tokens, 2).questions) == 2


def test_names_stand_in_chains_as_in_the_real_rows() -> None:
    # In the real rows nine subjects of ten have one relation, more than half of what is stated is
    # contradicted, once, and what a chain begins with stands nowhere else.
    row = _made(_MULTI, paraphrase=0)
    ledger = _ledger(row)
    relations = Counter(subject for _, subject in ledger)
    assert sum(count == 1 for count in relations.values()) > 0.8 * len(relations)
    assert 0.45 < sum(len(values) > 1 for values in ledger.values()) / len(ledger) < 0.7
    assert max(map(len, ledger.values())) == 2
    ends = Counter(value.lower() for values in ledger.values() for value in values.values())
    starts = [next(s for s in relations if s in question.lower()) for question in row.questions]
    assert sum(ends[start] <= 1 for start in starts) > 0.9 * len(starts)
    golds = Counter(answers[0] for answers in row.answers)
    assert max(golds.values()) <= 0.2 * len(row.questions)
