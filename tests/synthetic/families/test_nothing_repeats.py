"""Rows of facts and documents repeat nothing of each other, and priors answer no question."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache

import pytest

from mabench.data.schema import RowContent
from mabench_synthetic import GENERATORS, row_specs
from tests.synthetic.families.ruler_solver import world_of

_SOURCES = (
    "factconsolidation_sh_6k",
    "factconsolidation_mh_6k",
    "ruler_qa1_197K",
    "ruler_qa2_421K",
)
_OPENING = 4  # Words of a question that tell of what kind it is.
_CHANCE = 0.07


@cache
def _row(source: str, seed: int) -> RowContent:
    (spec,) = row_specs(source, seed, tokens=8_000, questions=40)
    return GENERATORS[source.split("_")[0]].make_row(spec)


def _facts(source: str, seed: int) -> set[str]:
    """Return the sentences of a row that name somebody or something."""
    context = _row(source, seed).context
    if source.startswith("factconsolidation"):
        return {line.partition(". ")[2] for line in context.splitlines()[1:]}
    (spec,) = row_specs(source, seed, tokens=8_000, questions=40)
    names = {word for name in world_of(spec).dates for word in name.split() if len(word) > 6}
    clauses = re.split(r"[.;]\s|\n", context)
    return {clause for clause in clauses if names & set(re.findall(r"\w+", clause))}


def _repeats_nothing(source: str, seeds: range) -> None:
    """No fact is told in two rows.

    A sentence of a document may name nobody but its subject. Two of 200 worlds may by chance
    invent the same name and say the same of it: of one sentence in ten thousand at most.
    """
    told = [_facts(source, seed) for seed in seeds]
    assert min(map(len, told)) > 100
    rows_of = Counter(fact for facts in told for fact in facts)
    repeated = [fact for fact, rows in rows_of.items() if rows > 1]
    by_chance = 0 if source.startswith("factconsolidation") else len(rows_of) / 10_000
    assert len(repeated) <= by_chance, repeated


def _guessed(source: str, seeds: range) -> float:
    """Return the share right when each question gets the usual gold of its kind on other rows."""
    right = asked = 0
    usual: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for seed in seeds:
        row = _row(source, seed)
        for question, answers in zip(row.questions, row.answers, strict=True):
            kind = " ".join(question.split()[:_OPENING])
            if seed >= len(seeds) // 2 and usual[kind]:
                right += usual[kind].most_common(1)[0][0] in answers
            asked += seed >= len(seeds) // 2
            if seed < len(seeds) // 2:
                usual[kind][answers[0]] += 1
    return right / asked


@pytest.mark.parametrize("source", _SOURCES)
def test_no_two_rows_share_a_sentence_of_facts_and_priors_fail(source: str) -> None:
    _repeats_nothing(source, range(6))
    assert _guessed(source, range(6)) <= _CHANCE


@pytest.mark.slow
@pytest.mark.parametrize("source", _SOURCES)
def test_none_of_two_hundred_rows_shares_a_sentence_of_facts_and_priors_fail(source: str) -> None:
    _repeats_nothing(source, range(200))
    assert _guessed(source, range(200)) <= _CHANCE
