from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import mabench
from mabench.page import run_page
from mabench.page.charts import Dot, Scale, draw_curves
from mabench.page.questions import PageQuestion, pack_questions, questions_of
from mabench.page.sections import Bin, answer_times, bin_lengths, bin_places, error_kinds
from mabench.results import Judgment, Run
from mabench.results.records.sample import answer_hash
from mabench.results.records.store import RunFolder
from tests.page.made import FACTS, QA, failed, plain, sample, unpacked, written, wrong


@pytest.fixture
def questions(tmp_path: Path) -> list[PageQuestion]:
    return questions_of(plain(tmp_path / "run"))


def scores(bins: list[Bin]) -> dict[str, float | None]:
    return {one.name: one.score and one.score.mean.value for one in bins}


def test_each_fifth_of_the_history_has_its_score_and_its_hits(
    questions: list[PageQuestion],
) -> None:
    bins = bin_places(questions)
    # Even questions are right: as many in each fifth.
    assert scores(bins) == {f"{n}\u2013{n + 20} %": 50.0 for n in range(0, 100, 20)}
    # Of the failed ones nobody knows where the gold stands.
    assert [one.score and one.score.n for one in bins] == [8] * 5
    first = bins[0].hit
    assert first is not None
    # Chunks 0 and 1: questions 0, 10 (hit), 1 (hit), 11 (hit) of two sources.
    assert (first.n, first.mean.value) == (8, 75.0)
    assert first.mean.these is not None
    assert 0 < first.mean.these[0] < 75 < first.mean.these[1] < 100


def test_a_gold_stands_where_it_stands_last_unless_its_history_is_gone(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [sample(0, gold_chunks=(0, 9)), sample(1, gold_chunks=())])
    assert [one.name for one in bin_places(questions_of(run))] == ["80\u2013100 %"]
    (question,) = questions_of(written(tmp_path / "gone", [sample(0)]))
    assert "came from memory" in (question.view.without or "")
    assert question.view.sample.source == QA


def test_histories_are_binned_by_doublings_of_their_length(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [sample(0), wrong(0, row=1), wrong(0, row=2)])
    assert scores(bin_lengths(questions_of(run))) == {
        "4k\u20138k": 100.0,
        "8k\u201316k": 0.0,
        "16k\u201332k": 0.0,
    }


@pytest.mark.skipif(find_spec("altair") is None, reason="the extra `page` is not installed")
def test_lengths_are_compared_within_a_source_and_lines_end_at_a_gap(tmp_path: Path) -> None:
    samples = [sample(0, row=row) for row in (0, 1, 6)] + [sample(0, FACTS, row=2)]
    run = written(tmp_path / "run", samples)
    own = [one for one in questions_of(run) if one.view.sample.source == QA]
    # Of 6,000, 15,000 and 60,000 tokens.
    assert scores(bin_lengths(own)) == {
        "4k\u20138k": 100.0,
        "8k\u201316k": 100.0,
        "16k\u201332k": None,
        "32k\u201364k": 100.0,
    }
    text = run_page(run)
    assert f"{QA}: score and hit by length" in text
    assert f"{FACTS}: score and hit by length" not in text
    dots = [Dot(label, "score", 50.0) for label in "abd"]
    for drawing in draw_curves(dots, "abcd", "place", Scale("score")):
        lines = re.findall(r'<path d="(M[^"]*)" stroke="[^"]*" stroke-width="2"/>', drawing)
        assert [line.count("L") for line in lines] == [1, 0]


def test_times_are_told_only_where_all_are_known_and_errors_by_kind(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [sample(0), sample(1)])
    assert answer_times(questions_of(run)) == (0.1, 0.1, 0.1)
    lines = (run.folder / "timings.jsonl").read_text().splitlines()
    (run.folder / "timings.jsonl").write_text(lines[0] + "\n")
    assert answer_times(questions_of(Run(run.folder))) is None
    other = wrong(0, prediction=None, error="OSError: gone")
    run = written(tmp_path / "failed", [other, failed(1), failed(2), sample(3)])
    assert error_kinds(questions_of(run)) == [
        ("TimeoutError", 2, "no answer within 5 s"),
        ("OSError", 1, "gone"),
    ]


def test_causes_follow_the_scores_and_what_a_judge_settled(tmp_path: Path) -> None:
    half = wrong(
        2, official={"substring_exact_match": 0.5}, corrected={"substring_exact_match": 0.5}
    )
    unjudged = sample(0, "longmemeval_s*", official={}, corrected={}, row=7)
    unclear = sample(4, verdict="unclear")
    run = written(tmp_path / "run", [sample(0), wrong(1), half, failed(3), unclear, unjudged])
    parts = [question.view.part for question in questions_of(run)]
    assert parts == ["right", "unclear", "unclear", "failed", "right", "unclear"]
    run = written(tmp_path / "judged", [sample(4, verdict="unclear")])
    judgment = Judgment(
        *("Accurate_Retrieval", 0, 4, QA, "judge", "3" * 16, answer_hash("gold 4")),
        verdict={"correct": 0},
        value=0,
    )
    RunFolder(run.folder).append_judgment(judgment)
    (question,) = questions_of(Run(run.folder))
    view = question.view
    assert (view.part, view.official, view.corrected) == ("unclear", 1, 0)
    (result,) = unpacked(pack_questions([[question]]))[0]["results"]
    assert result["judges"] == ["judge: correct 0"]


def test_hits_and_golds_come_from_the_run(tmp_path: Path) -> None:
    run = mabench.run(
        "bm25",
        mabench.load("synthetic:small"),
        sources=["factconsolidation_sh_6k"],
        limit_questions=5,
        out=tmp_path / "run",
    )
    for question in questions_of(run):
        view = question.view
        assert view.without is None
        assert view.golds
        assert view.chunks
        assert question.depth is not None
        assert question.hit
        passage = view.passages[question.hit - 1]
        assert passage.evidence
        assert passage.chunk in {gold.chunk for gold in view.golds}
        assert passage.text
        start, end = passage.marks[0]
        golds = {answer.lower() for answer in view.sample.answers}
        assert passage.text[start:end].lower() in golds
