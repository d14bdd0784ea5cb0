"""What the page's script is given: every question, trimmed, and never more than fits."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mabench.page.content import Asked, Result, ShownPassage, questions_of
from mabench.page.explorer import packed
from tests.page.made import hostile, plain

_RESULT = Result(
    verdict="right",
    official=1.0,
    corrected=1.0,
    rule=None,
    prediction="43",
    error=None,
    hit=None,
    passages=(),
    judgments=(),
    seconds=0.1,
    input_tokens=None,
    output_tokens=None,
    cost=None,
)
_ASKED = Asked(
    source="made",
    split="Split",
    row=0,
    index=0,
    question="What?",
    answers=("43",),
    golds=None,
    depth=None,
    chunks=None,
    history_tokens=None,
    result=_RESULT,
)


def unpacked(content: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(content)))


@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_any_text_arrives_as_it_is(text: str) -> None:
    one = replace(_ASKED, question=text, result=replace(_RESULT, prediction=text))
    (found,) = unpacked(packed([[one]]))
    same = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert found["question"] == same
    assert found["results"][0]["answer"] == same


def test_no_text_is_longer_than_a_reader_needs() -> None:
    one = replace(_ASKED, question="x" * 1_000_000)
    (found,) = unpacked(packed([[one]]))
    assert len(found["question"]) < 5000
    assert found["question"].endswith("… [996,000 characters more]")


def test_texts_are_trimmed_until_the_questions_fit() -> None:
    texts = [Random(number).randbytes(300).hex() for number in range(100)]
    asked = [replace(_ASKED, index=n, question=text) for n, text in enumerate(texts)]
    whole, trimmed = packed([asked]), packed([asked], most=20_000)
    assert len(trimmed) < len(whole)
    assert len(unpacked(trimmed)) == 100


def test_a_passage_is_cut_to_what_stands_around_its_golds() -> None:
    text = f"{'before ' * 100}gold{' after' * 100}"
    start = text.index("gold")
    passage = ShownPassage(
        rank=1, text=text, chunk=3, score=1.0, marks=((start, start + 4),), gold=True
    )
    one = replace(_ASKED, result=replace(_RESULT, hit=1, passages=(passage,)))
    (shown,) = unpacked(packed([[one]]))[0]["results"][0]["passages"]
    before, gold, after = shown["text"]
    assert gold == "gold"
    assert before.startswith("…")
    assert before.endswith("before ")
    assert after.startswith(" after")
    assert after.endswith("…")
    assert len(before) + len(after) < 400


def test_of_many_passages_the_best_and_that_with_the_gold_have_their_texts() -> None:
    passages = tuple(
        ShownPassage(rank=rank, text="text", chunk=rank, score=None, marks=(), gold=rank == 7)
        for rank in range(1, 31)
    )
    one = replace(_ASKED, result=replace(_RESULT, hit=7, passages=passages))
    result = unpacked(packed([[one]]))[0]["results"][0]
    assert [one["rank"] for one in result["passages"] if "text" in one] == [1, 2, 3, 7]
    assert len(result["passages"]) + result["more"] == 30


def test_results_of_several_runs_stand_beside_each_other(tmp_path: Path) -> None:
    runs = [questions_of(plain(tmp_path / name)).asked for name in "ab"]
    found = unpacked(packed([runs[0], runs[1][1:]]))
    assert [len(one["results"]) for one in found] == [2] * len(runs[0])
    assert found[0]["results"][1] is None


def test_the_same_run_makes_the_same_data(tmp_path: Path) -> None:
    asked = questions_of(hostile(tmp_path / "run")).asked
    assert packed([asked]) == packed([asked])
