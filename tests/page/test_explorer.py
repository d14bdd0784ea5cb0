from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mabench.inspection import PassageView, QuestionView
from mabench.page.questions import PageQuestion, pack_questions
from tests.page.made import hostile, plain, sample, unpacked

_VIEW = QuestionView(
    sample=sample(0),
    metric="substring_exact_match",
    official=1.0,
    corrected=1.0,
    verdict="right",
    rule=None,
    part="right",
    chunks=None,
    golds=None,
    passages=(),
    prompt=None,
    judgments=(),
    seconds=0.1,
    without=None,
    calls=None,
    shared_calls=0,
)


def made(
    hit: int | None = None, passages: tuple[PassageView, ...] = (), **fields: Any
) -> PageQuestion:
    if hit is not None:
        fields |= {"hit_by": "mention", "hit_rank": hit, "shown_tokens": 1}
    golds = None if hit is None else ()
    sample = replace(_VIEW.sample, **fields)
    return PageQuestion(replace(_VIEW, sample=sample, passages=passages, golds=golds), None)


@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_any_text_arrives_as_it_is(text: str) -> None:
    (question,) = unpacked(pack_questions([[made(question=text, prediction=text)]]))
    same = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert question["question"] == same
    assert question["results"][0]["answer"] == same


def test_texts_are_no_longer_than_needed_and_trimmed_until_the_questions_fit() -> None:
    (question,) = unpacked(pack_questions([[made(question="x" * 1_000_000)]]))
    assert len(question["question"]) < 5000
    assert question["question"].endswith("… [996,000 characters more]")
    texts = [Random(number).randbytes(300).hex() for number in range(100)]
    questions = [made(question_index=n, question=text) for n, text in enumerate(texts)]
    whole, trimmed = pack_questions([questions]), pack_questions([questions], most=20_000)
    assert len(trimmed) < len(whole)
    assert len(unpacked(trimmed)) == 100


def test_a_passage_is_cut_to_what_stands_around_its_golds() -> None:
    text = f"{'before ' * 100}gold{' after' * 100}"
    start = text.index("gold")
    passage = PassageView(
        rank=1, text=text, chunk=3, score=1.0, marks=((start, start + 4),), evidence=False
    )
    (question,) = unpacked(pack_questions([[made(1, (passage,))]]))
    before, gold, after = question["results"][0]["passages"][0]["text"]
    assert gold == "gold"
    assert before.startswith("…")
    assert before.endswith("before ")
    assert after.startswith(" after")
    assert after.endswith("…")
    assert len(before) + len(after) < 400


def test_of_many_passages_the_best_and_that_with_the_gold_have_their_texts() -> None:
    passages = tuple(
        PassageView(rank=rank, text="text", chunk=rank, score=None, marks=(), evidence=False)
        for rank in range(1, 31)
    )
    (question,) = unpacked(pack_questions([[made(7, passages)]]))
    result = question["results"][0]
    assert [one["rank"] for one in result["passages"] if "text" in one] == [1, 2, 3, 7]
    assert len(result["passages"]) + result["more"] == 30
    passages = (*passages[:8], replace(passages[8], evidence=True), *passages[9:])
    (question,) = unpacked(pack_questions([[made(7, passages)]]))
    shown = question["results"][0]["passages"]
    assert [one["rank"] for one in shown if "text" in one] == [1, 2, 3, 7, 9]
    assert [one["rank"] for one in shown if "evidence" in one] == [9]


def test_results_of_runs_stand_beside_each_other_and_stay_the_same(tmp_path: Path) -> None:
    runs = [PageQuestion.of_run(plain(tmp_path / name)) for name in "ab"]
    questions = unpacked(pack_questions([runs[0], runs[1][1:]]))
    assert [len(question["results"]) for question in questions] == [2] * len(runs[0])
    assert questions[0]["results"][1] is None
    questions = PageQuestion.of_run(hostile(tmp_path / "run"))
    assert pack_questions([questions]) == pack_questions([questions])
