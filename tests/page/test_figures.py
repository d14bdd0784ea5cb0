"""The figures of a page, from typed questions; nothing is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

import mabench
from mabench.page.content import Asked, questions_of
from mabench.page.figures import by_length, by_place, error_kinds, times
from mabench.results import Judgment, Run
from mabench.results.records.sample import answer_hash
from mabench.results.records.store import RunFolder
from tests.page.made import QA, failed, plain, sample, written, wrong


@pytest.fixture
def asked(tmp_path: Path) -> tuple[Asked, ...]:
    return questions_of(plain(tmp_path / "run")).asked


def test_each_fifth_of_the_history_has_its_score_and_its_hits(asked: tuple[Asked, ...]) -> None:
    bins = by_place(asked)
    assert [one.name for one in bins] == [
        "0\u201320 %",
        "20\u201340 %",
        "40\u201360 %",
        "60\u201380 %",
        "80\u2013100 %",
    ]
    # Of the failed ones nobody knows where the gold stands.
    assert [one.score and one.score.n for one in bins] == [8] * 5
    # Even questions are right: as many in each fifth.
    assert {one.score and one.score.mean for one in bins} == {50.0}
    first = bins[0].hit
    assert first is not None
    # Chunks 0 and 1: questions 0, 10 (hit), 1 (hit), 11 (hit) of two sources.
    assert (first.n, first.mean) == (8, 75.0)
    assert first.limits is not None
    assert 0 < first.limits[0] < 75 < first.limits[1] < 100


def test_a_gold_in_several_chunks_stands_where_it_stands_last(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [sample(0, gold_chunks=(0, 9)), sample(1, gold_chunks=())])
    assert [one.name for one in by_place(questions_of(run).asked)] == ["80\u2013100 %"]


def test_histories_are_binned_by_doublings_of_their_length(tmp_path: Path) -> None:
    samples = [sample(0), wrong(0, row=1), wrong(0, row=2)]
    bins = by_length(questions_of(written(tmp_path / "run", samples)).asked)
    assert [(one.name, one.score and one.score.mean) for one in bins] == [
        ("4k\u20138k", 100.0),
        ("8k\u201316k", 0.0),
        ("16k\u201332k", 0.0),
    ]


def test_times_are_told_only_where_all_are_known(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [sample(0), sample(1)])
    found = times(questions_of(run).asked)
    assert found is not None
    assert (found.n, found.p50, found.p95) == (2, 0.1, 0.1)
    lines = (run.folder / "timings.jsonl").read_text().splitlines()
    (run.folder / "timings.jsonl").write_text(lines[0] + "\n")
    assert times(questions_of(Run(run.folder)).asked) is None


def test_errors_are_counted_by_kind(tmp_path: Path) -> None:
    other = wrong(0, prediction=None, error="OSError: gone")
    run = written(tmp_path / "run", [other, failed(1), failed(2), sample(3)])
    assert error_kinds(questions_of(run).asked) == [
        ("TimeoutError", 2, "no answer within 5 s"),
        ("OSError", 1, "gone"),
    ]


def test_verdicts_follow_the_scores(tmp_path: Path) -> None:
    half = wrong(
        2, official={"substring_exact_match": 0.5}, corrected={"substring_exact_match": 0.5}
    )
    unjudged = sample(0, "longmemeval_s*", official={}, corrected={}, row=7)
    unclear = sample(4, verdict="unclear")
    run = written(tmp_path / "run", [sample(0), wrong(1), half, failed(3), unclear, unjudged])
    verdicts = [one.result.verdict for one in questions_of(run).asked]
    assert verdicts == ["right", "wrong", "partial", "error", "unclear", "not judged"]


def test_what_a_judge_settled_is_no_longer_unclear(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [sample(4, verdict="unclear")])
    judgment = Judgment(
        *("Accurate_Retrieval", 0, 4, QA, "judge", "3" * 16, answer_hash("gold 4")),
        verdict={"correct": 0},
        value=0,
    )
    RunFolder(run.folder).append_judgment(judgment)
    (one,) = questions_of(Run(run.folder)).asked
    assert (one.result.verdict, one.result.official, one.result.corrected) == ("wrong", 1, 0)
    assert one.result.judgments == ("judge: correct 0",)


def test_hits_and_golds_come_from_the_run(tmp_path: Path) -> None:
    run = mabench.run(
        "bm25",
        mabench.load("synthetic:small"),
        sources=["factconsolidation_sh_6k"],
        limit_questions=5,
        out=tmp_path / "run",
    )
    known = questions_of(run)
    assert known.without is None
    for one in known.asked:
        assert one.golds
        assert one.chunks
        assert one.depth is not None
        hit = one.result.hit
        assert hit
        passage = one.result.passages[hit - 1]
        assert passage.gold
        assert passage.chunk in one.golds
        assert passage.text
        start, end = passage.marks[0]
        assert passage.text[start:end].lower() in {answer.lower() for answer in one.answers}


def test_a_run_of_rows_from_memory_says_that_its_history_is_gone(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [sample(0)])
    assert "came from memory" in (questions_of(run).without or "")
    assert questions_of(run).asked[0].source == QA
