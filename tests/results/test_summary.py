from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import mabench
from mabench.data import export_hub_layout
from mabench.data.inventory import CATEGORIES, SOURCES
from mabench.reports.leaderboard import show_leaderboard
from mabench.results import MeanScore, Run, RunFolder, rescore
from tests.comparison.made import made_run
from tests.printing import markdown, print_on
from tests.rows import dataset, row

_QA = "ruler_qa1_197K"


def test_a_mean_is_the_published_codes_to_the_last_digit(tmp_path: Path) -> None:
    """It takes numpy's mean and then a hundred times that: 11 of 20 is a little over 55."""
    run = Run(made_run(tmp_path / "run", {_QA: [[1.0] * 11 + [0.0] * 9]}))
    source = run.summary.sources[_QA]
    values = [sample.official["substring_exact_match"] for sample in run.samples()]
    assert source.official == source.corrected == float(np.mean(values)) * 100 == 55.00000000000001


def test_a_complete_category_is_the_mean_of_its_columns(tmp_path: Path) -> None:
    scores = {f"factconsolidation_{hops}_262k": [[1.0] * 100] for hops in ("sh", "mh")}
    summary = Run(made_run(tmp_path / "run", scores)).summary
    category = summary.categories["CR"]
    assert replace(category, interval=None, interval_corrected=None) == MeanScore(
        official=100, corrected=100, complete=True, coverage=1
    )
    assert category.interval
    low, high = category.interval.these_histories or (0, 0)
    assert 98 < low < 99 < high == 100
    assert category.interval.new_histories is None
    assert summary.overall is None
    # No column names these lengths.
    scores = {f"factconsolidation_sh_{size}k": [[1.0] * 100] for size in (6, 32)}
    short = Run(made_run(tmp_path / "short", scores))
    assert (short.summary.columns, short.summary.categories["CR"].official) == ({}, None)
    printed = markdown(short)
    assert "Overall" not in printed
    assert "partial" not in printed


def _generated(folder: Path) -> object:
    export_hub_layout(mabench.load("synthetic:small"), folder / "rows")
    return folder / "rows"


def _own(folder: Path) -> object:
    pairs = [("What?", ["43"])]
    return dataset([row(_QA, "It is 43.", pairs, index) for index in range(2)])


@pytest.mark.parametrize("data", [lambda folder: "synthetic:small", _generated, _own])
def test_rows_that_are_not_the_benchmarks_feed_no_column(
    tmp_path: Path, data: Callable[[Path], object]
) -> None:
    rows = mabench.load(data(tmp_path))
    assert not rows.is_benchmark
    # The last question is left out: what is asked of the rows does not matter.
    runs = [
        mabench.run(agent, rows, sources=[_QA], limit_questions=1, out=tmp_path / agent)
        for agent in ("oracle", "no-memory")
    ]
    for run in runs:
        assert run.summary.columns == {}
        assert {category.coverage for category in run.summary.categories.values()} == {0}
    printed = markdown(runs[0])
    assert "Column" not in printed
    assert "Coverage" not in printed
    assert "The rows are not the benchmark's own: they feed no column" in printed
    assert not RunFolder(runs[0].folder).record().data.benchmark
    (pair,) = mabench.compare(runs).pairs
    assert (pair.columns, pair.categories) == ({}, {})
    board = print_on(500, partial(show_leaderboard, runs, "table"))
    assert f"{runs[0].folder} feeds no column: its rows are not the" in board


@pytest.mark.parametrize("count", [1, 90, 100])
def test_rows_of_the_benchmark_feed_columns(tmp_path: Path, count: int) -> None:
    rows = dataset([row(_QA, "It is 43.", [(f"What {n}?", ["43"]) for n in range(count)])])
    assert rows.is_benchmark
    run = mabench.run("oracle", rows, out=tmp_path / "run")
    column = run.summary.columns["SH-QA"]
    assert (column.coverage, column.complete) == (count / 100, count == 100)
    assert (column.interval is None) is (count < 100)
    assert column.interval == column.interval_corrected
    assert column.official == column.corrected == (100 if count == 100 else None)
    if column.interval:  # Wilson's, of 100 right answers of 100 on one history.
        assert column.interval.these_histories == pytest.approx((96.3007, 100), abs=1e-3)
        assert column.interval.new_histories is None
    assert run.record.data.benchmark


def test_every_column_belongs_to_a_category() -> None:
    columns = {source.column for source in SOURCES if source.column}
    assert {name for category in CATEGORIES for name in category.columns} == columns


def test_recommendations_are_scored_once_the_entities_are_known(tmp_path: Path) -> None:
    rows = [row("recsys_redial_full", "Dialogue 1:\nUser: Hi", [("\nUser: Hi\nSystem: ", ["7"])])]
    run = mabench.run("bm25", dataset(rows), out=tmp_path / "run")
    assert run.summary.sources["recsys_redial_full"].needs == "entities"
    entities = tmp_path / "entity2id.json"
    entities.write_text('{"<http://dbpedia.org/resource/Heat_(1995_film)>": 7}')
    source = rescore(run.folder, entities).summary.sources["recsys_redial_full"]
    assert (source.needs, source.official) == (None, 100)
