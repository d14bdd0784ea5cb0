from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

import mabench
from mabench.page.charts import Dot, Scale, draw_curves
from mabench.page.pages import run_page
from mabench.page.questions import PageQuestion, pack_questions
from mabench.page.sections import answer_times, run_sections
from mabench.reports.tables import Value
from mabench.results import Judgment, Measure, Run
from mabench.results.records.store import RunFolder
from tests.page.made import FACTS, QA, failed, plain, sample, unpacked, written, wrong

pytestmark = pytest.mark.skipif(find_spec("altair") is None, reason="pip install -e '.[page]'")


def figures(run: Run, name: str, number: int = 0) -> list[Sequence[Value]]:
    """Return the figures of a section of a run's page."""
    for section in run_sections(run.summary, PageQuestion.of_run(run)):
        if section.name == name:
            tables = [*(chart.table for chart in section.charts), *section.tables]
            return [*tables[number].values]
    return []


def scores(rows: list[Sequence[Value]]) -> dict[Value, float | None]:
    return {row[0]: row[1].value if isinstance(row[1], Measure) else None for row in rows}


def test_each_fifth_of_the_history_has_its_score_and_its_hits(tmp_path: Path) -> None:
    bins = figures(plain(tmp_path / "run"), "place")
    # Even questions are right: as many in each fifth.
    assert scores(bins) == {f"{n}\u2013{n + 20} %": 50.0 for n in range(0, 100, 20)}
    # Of the failed ones nobody knows where the gold stands.
    assert [row[3] for row in bins] == [8] * 5
    # Chunks 0 and 1: questions 0, 10 (hit), 1 (hit), 11 (hit) of two sources.
    hit, n = bins[0][4], bins[0][6]
    assert isinstance(hit, Measure)
    assert (n, hit.value) == (8, 75.0)
    assert hit.these is not None
    assert 0 < hit.these[0] < 75 < hit.these[1] < 100
    assert bins[0][5] == f"{hit.these[0]:.1f} to {hit.these[1]:.1f}"


def test_a_gold_stands_where_it_stands_last_unless_its_history_is_gone(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [sample(0, gold_chunks=(0, 9)), sample(1, gold_chunks=())])
    assert [row[0] for row in figures(run, "place")] == ["80\u2013100 %"]
    (question,) = PageQuestion.of_run(written(tmp_path / "gone", [sample(0)]))
    assert "came from memory" in (question.view.without or "")
    assert question.view.sample.source == QA


def test_lengths_are_compared_within_a_source_and_lines_end_at_a_gap(tmp_path: Path) -> None:
    samples = [sample(0), wrong(0, row=1), sample(0, row=6), sample(0, FACTS, row=2)]
    run = written(tmp_path / "run", samples)
    # Of 6,000, 15,000 and 60,000 tokens.
    assert scores(figures(run, "length")) == {
        "4k\u20138k": 100.0,
        "8k\u201316k": 0.0,
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
    assert answer_times(PageQuestion.of_run(run)) == (0.1, 0.1, 0.1)
    lines = (run.folder / "timings.jsonl").read_text().splitlines()
    (run.folder / "timings.jsonl").write_text(lines[0] + "\n")
    assert answer_times(PageQuestion.of_run(Run(run.folder))) is None
    other = wrong(0, prediction=None, error="OSError: gone")
    run = written(tmp_path / "failed", [other, failed(1), failed(2), sample(3)])
    assert figures(run, "errors") == [
        ["TimeoutError", 2, "no answer within 5 s"],
        ["OSError", 1, "gone"],
    ]


def test_causes_follow_the_scores_and_what_a_judge_settled(tmp_path: Path) -> None:
    half = wrong(
        2, official={"substring_exact_match": 0.5}, corrected={"substring_exact_match": 0.5}
    )
    unjudged = sample(0, "longmemeval_s*", official={}, corrected={}, row=7)
    unclear = sample(4, verdict="unclear")
    run = written(tmp_path / "run", [sample(0), wrong(1), half, failed(3), unclear, unjudged])
    parts = [question.view.part for question in PageQuestion.of_run(run)]
    assert parts == ["right", "unclear", "unclear", "failed", "right", "unclear"]
    run = written(tmp_path / "judged", [sample(4, verdict="unclear")])
    judgment = Judgment(
        *("Accurate_Retrieval", 0, 4, QA, "judge", "3" * 16, sample(4).answer_hash),
        verdict={"correct": 0},
        value=0,
    )
    RunFolder(run.folder).append_judgment(judgment)
    (question,) = PageQuestion.of_run(Run(run.folder))
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
    for question in PageQuestion.of_run(run):
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
