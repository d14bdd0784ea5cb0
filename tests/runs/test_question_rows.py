"""A run as flat rows, as an Arrow table, and as a notebook shows it."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pyarrow
import pytest

import mabench
from mabench.families import family_of
from mabench.page.content import questions_of
from mabench.runs import QuestionRow, Run
from mabench.runs.records.store import RunFolder
from tests.comparison.made import add_judgment, made_run, unjudged_run
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
    assert all(one.rule for one in listed)


def test_unclear_answers_are_settled_by_a_judge(tmp_path: Path) -> None:
    store = RunFolder(made_run(tmp_path / "run", {_QA: [[0.0, 0.0]]}))
    unclear = [replace(one, verdict="unclear", rule="alias") for one in store.samples()]
    store.replace_samples(unclear)
    run = Run(tmp_path / "run")
    assert [(one.verdict, one.rule) for one in run.rows()] == [("unclear", "alias")] * 2
    add_judgment(store, unclear[0], 1.0)
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


@pytest.mark.parametrize(
    ("values", "verdicts", "official"),
    [
        ((), [None, None, 0], None),
        ((1.0,), [1, None, 0], None),
        ((None,), [None, None, 0], None),
        ((1.0, 0.0), [1, 0, 0], 100 / 3),
        ((0.0, None), [0, 0, 0], 0),
    ],
)
def test_the_judge_that_counts_in_the_report_counts_everywhere(
    tmp_path: Path,
    values: tuple[float | None, ...],
    verdicts: list[float | None],
    official: float | None,
) -> None:
    store = unjudged_run(tmp_path / "run", 3)
    first, second, third = store.samples()
    store.replace_samples([first, second, replace(third, prediction=None, error="OSError: no")])
    for sample, value in zip((first, second), values, strict=False):
        add_judgment(store, sample, value)
    words: dict[float | None, str] = {None: "not judged", 0: "wrong", 1: "right"}
    rules: dict[float | None, str | None] = {None: None, 0: "judge", 1: "judge"}
    run = Run(store.path)
    assert [(one.official, one.corrected, one.verdict, one.rule) for one in run.rows()] == [
        *((value, value, words[value], rules[value]) for value in verdicts[:2]),
        (0, 0, "wrong", "no-answer"),
    ]
    assert run.summary.sources[_CHATS].official == pytest.approx(official)
    on_page = [one.result.verdict for one in questions_of(run).asked]
    assert on_page == [*(words[value] for value in verdicts[:2]), "error"]


def test_a_judge_that_is_through_counts_before_a_later_one_that_is_not(tmp_path: Path) -> None:
    store = unjudged_run(tmp_path / "run", 2)
    first, second = store.samples()
    for sample, model, value in ((first, "a", 1.0), (second, "a", 1.0), (first, "b", 0.0)):
        add_judgment(store, sample, value, model)
    judges = [(one.official, one.judge and one.judge.model) for one in Run(store.path).questions()]
    assert judges == [(1, "a"), (1, "a")]
    add_judgment(store, second, 0.0, "b")
    judges = [(one.official, one.judge and one.judge.model) for one in Run(store.path).questions()]
    assert judges == [(0, "b"), (0, "b")]


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
