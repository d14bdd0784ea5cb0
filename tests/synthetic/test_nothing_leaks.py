import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from mabench.data.schema import Row
from mabench_synthetic import make_rows, row_specs
from tests.synthetic.priors import by_answers, by_looks, by_surface, by_wording, choices

# A source of each kind of question: tokens and questions of a short row.
_SOURCES = {
    "ruler_qa1_197K": (5_000, 20),
    "ruler_qa2_421K": (5_000, 20),
    "eventqa_full": (6_000, 15),
    "longmemeval_s*": (12_000, 24),
    "recsys_redial_full": (6_000, 20),
    "icl_banking77_5900shot_balance": (5_000, 20),
    "icl_trec_coarse_6600shot_balance": (4_000, 20),
    "infbench_sum_eng_shots2": (5_000, 1),
    "detective_qa": (5_000, 10),
    "factconsolidation_mh_6k": (4_000, 20),
    "factconsolidation_sh_6k": (4_000, 20),
}
# Texts to be labelled are no facts: as on the hub, two histories may have one in common.
_FACTS = sorted(source for source in _SOURCES if not source.startswith("icl"))
_OPTIONS = {"eventqa_full": 1 / 6, "detective_qa": 1 / 4}
# What the commonest answer gives: a sixth of six labels; comparisons and yes or no in qa2 are
# right half the time; and so many questions about chats have no answer, which can be said of all.
_BY_CHANCE = {
    "icl_trec_coarse_6600shot_balance": 1 / 6,
    "icl_banking77_5900shot_balance": 1 / 77,
    "ruler_qa2_421K": 0.15,
    "longmemeval_s*": 2 / 24,
}
_LEEWAY = 0.05
_FEW, _MANY = 10, 200
_FEW_AND_MANY = pytest.mark.parametrize(
    "seeds", [_FEW, pytest.param(_MANY, marks=pytest.mark.slow)]
)
_SENTENCE_ENDS = re.compile(r";\s|(?<=[.?!])[\"']?\s+|\n+|\\n")
# A number, or a name inside a sentence that is no day of the week.
_FACT = re.compile(r"\d|(?<=[a-z,] )(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)[A-Z][a-z]{2,}")
_HEADINGS = re.compile(r"(Document|Dialogue|Chapter|label:) ?\d+:?")


@cache
def _rows(source: str, seeds: int) -> dict[int, list[Row]]:
    tokens, questions = _SOURCES[source]
    return {
        seed: list(make_rows(row_specs(source, seed, tokens=tokens, rows=1, questions=questions)))
        for seed in range(1000, 1000 + seeds)
    }


@pytest.mark.parametrize("seeds", [50, pytest.param(_MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("source", _OPTIONS)
def test_nothing_about_an_option_tells_the_gold(source: str, seeds: int) -> None:
    """Place, length, wording, likeness to the others, and a classifier over characters."""
    asked = choices(_rows(source, seeds))
    most = _OPTIONS[source] + _LEEWAY
    for look, share in by_looks(asked).items():
        assert share <= most, look
    assert by_surface(asked) <= most


@_FEW_AND_MANY
@pytest.mark.parametrize("source", sorted({*_SOURCES} - {*_OPTIONS}))
def test_the_commonest_answer_of_other_seeds_is_of_no_use(source: str, seeds: int) -> None:
    assert by_answers(_rows(source, seeds)) <= _BY_CHANCE.get(source, 0) + _LEEWAY
    if source.startswith(("factconsolidation", "ruler")):  # By how a question begins.
        assert by_answers(_rows(source, seeds), words=4) <= 0.07


@pytest.mark.parametrize(
    ("seeds", "leeway"), [(40, 0.15), pytest.param(_MANY, _LEEWAY, marks=pytest.mark.slow)]
)
def test_no_question_about_chats_tells_that_it_has_no_answer(seeds: int, leeway: float) -> None:
    asked = {
        seed: [
            (question.question, (question.question_id or "").endswith("_abs"))
            for row in rows
            for question in row.flatten()
            if question.question_type == "single-session-user"
        ]
        for seed, rows in _rows("longmemeval_s*", seeds).items()
    }
    assert by_wording(asked) <= 1 / 2 + leeway


@_FEW_AND_MANY
@pytest.mark.parametrize("source", _FACTS)
def test_no_two_histories_tell_the_same(source: str, seeds: int) -> None:
    """No sentence of ten thousand with a name or a number stands in the rows of several seeds.

    Two of 200 worlds may by chance have the same name or the same large number.
    """
    seen = Counter(
        sentence
        for rows in _rows(source, seeds).values()
        for row in rows
        for sentence in {*_sentences(row)}
    )
    twice = {sentence for sentence, rows in seen.items() if rows > 1}
    few = 0 if source.startswith("factconsolidation") else len(seen) / 10_000
    assert len(twice) <= few, (twice, len(seen))


def _sentences(row: Row) -> Iterator[str]:
    for sentence in _SENTENCE_ENDS.split(row.context):
        # Serial numbers of facts, and who speaks, are no part of what is said.
        bare = re.sub(r"^\d+\.\s*|^(System|User): ", "", sentence).strip()
        if len(bare.split()) > 3 and _FACT.search(bare) and not _HEADINGS.fullmatch(bare):
            yield bare


@pytest.mark.parametrize("source", sorted(_SOURCES))
def test_questions_and_golds_are_unique(source: str) -> None:
    for rows in _rows(source, _FEW).values():
        for row in rows:
            assert len({*row.questions}) == len(row.questions)
            for answers in row.answers:
                assert len({answer.lower() for answer in answers}) == len({*answers}) > 0
