"""A run as flat rows, as an Arrow table, and as a notebook shows it."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pyarrow
import pytest

import mabench
from mabench.families import family_of
from mabench.runs import QuestionRow, Run, Sample
from mabench.runs.records.judgments import Judgment, answer_hash
from mabench.runs.records.store import RunFolder
from tests.comparison.made import made_run
from tests.rows import dataset

_CHATS, _QA = "longmemeval_s*", "ruler_qa1_197K"


def test_the_table_has_a_row_for_each_question(tmp_path: Path) -> None:
    run = mabench.run("bm25", dataset(), out=tmp_path / "run")
    table = run.table()
    assert isinstance(table, pyarrow.Table)
    assert table.column_names == [*QuestionRow._fields]
    samples = [*run.samples()]
    assert table.num_rows == len(samples) == 5
    assert table["golds"].to_pylist() == [one.answers for one in samples]
    assert table["hit_rank"].to_pylist() == [one.hit_rank for one in samples]
    assert table["official"].to_pylist() == [
        float(one.official[family_of(one.source).metric]) for one in samples
    ]
    assert table.to_pandas()["verdict"].isin(["right", "wrong"]).all()
    assert None not in table["rule"].to_pylist()
    assert None not in table["seconds"].to_pylist()


def test_an_empty_run_has_an_empty_table(tmp_path: Path) -> None:
    made_run(tmp_path / "run", {_QA: []})
    assert Run(tmp_path / "run").table().column_names == [*QuestionRow._fields]


@pytest.mark.parametrize(("score", "verdict"), [(1.0, "right"), (0.0, "wrong"), (0.4, "partial")])
def test_a_verdict_is_what_the_corrected_score_means(
    tmp_path: Path, score: float, verdict: str
) -> None:
    (one,) = Run(made_run(tmp_path / "run", {_QA: [[score]]})).rows()
    assert (one.corrected, one.verdict) == (score, verdict)


def test_a_rule_is_the_one_that_decided(tmp_path: Path) -> None:
    run = mabench.run("oracle", dataset(), out=tmp_path / "run")
    store = RunFolder(run.folder)
    listed = list(store.samples())
    assert [one.rule for one in run.rows()] == [one.rule for one in listed]
    # Earlier versions kept it only where both scores differ, and no verdicts.
    earlier = [replace(one, rule=None, verdict=None) for one in listed]
    store.replace_samples([replace(earlier[0], difference="inside-word"), *earlier[1:]])
    assert [one.rule for one in run.rows()] == ["inside-word", None, None, None, None]
    assert {one.verdict for one in run.rows()} == {"right"}


def test_unclear_answers_are_settled_by_a_judge(tmp_path: Path) -> None:
    store = RunFolder(made_run(tmp_path / "run", {_QA: [[0.0, 0.0]]}))
    unclear = [replace(one, verdict="unclear", rule="alias") for one in store.samples()]
    store.replace_samples(unclear)
    run = Run(tmp_path / "run")
    assert [(one.verdict, one.rule) for one in run.rows()] == [("unclear", "alias")] * 2
    _judge(store, unclear[0], 1.0)
    first, second = run.rows()
    assert (first.official, first.corrected, first.verdict, first.rule) == (0, 1, "right", "judge")
    assert (second.corrected, second.verdict, second.rule) == (0, "unclear", "alias")


def test_failed_answers_are_wrong(tmp_path: Path) -> None:
    store = RunFolder(made_run(tmp_path / "run", {_QA: [[0.0]]}))
    store.replace_samples(
        [replace(one, prediction=None, error="ValueError: no") for one in [*store.samples()]]
    )
    (one,) = Run(tmp_path / "run").rows()
    assert (one.prediction, one.error) == (None, "ValueError: no")
    assert (one.verdict, one.rule) == ("wrong", "no-answer")


def test_judged_answers_have_the_judges_score(tmp_path: Path) -> None:
    store = RunFolder(made_run(tmp_path / "run", {_CHATS: [[0.0, 0.0]]}))
    bare = [replace(one, official={}, corrected={}, verdict=None) for one in store.samples()]
    store.replace_samples(bare)
    run = Run(tmp_path / "run")
    assert [(one.official, one.verdict, one.rule) for one in run.rows()] == [(None, None, None)] * 2
    for sample, value in zip(bare, (1.0, 0.0), strict=True):
        _judge(store, sample, value)
    assert [(one.official, one.verdict, one.rule) for one in run.rows()] == [
        (1.0, "right", "judge"),
        (0.0, "wrong", "judge"),
    ]
    official = run.summary.sources[_CHATS].official
    assert official == 50


def _judge(store: RunFolder, sample: Sample, value: float) -> None:
    store.append_judgment(
        Judgment(
            *sample.key,
            source=sample.source,
            model="judge",
            prompts="3" * 16,
            answer=answer_hash(sample.prediction or ""),
            value=value,
        )
    )


class _Cells(HTMLParser):
    """Notes the tags and the texts of the cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        assert not attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_notebook_shows_the_scores(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=y>"
    run = Run(made_run(tmp_path / "run", {_QA: [[1] * 9 + [0]]}, agent=evil))
    cells = _Cells()
    cells.feed(run._repr_html_())
    assert cells.tags == {"p", "b", "br", "small", "table", "thead", "tbody", "tr", "th", "td"}
    assert f"{evil} on made-up, protocol structured" in cells.texts
    assert {_QA, "90.0", "substring_exact_match", "10"} <= {*cells.texts}
    assert any(text.endswith("†") for text in cells.texts)
