"""A run as flat rows, an Arrow table, a page, as a notebook shows it: all with the same scores."""

import csv
import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from html import unescape
from pathlib import Path
from statistics import fmean
from unittest.mock import Mock

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mabench
from mabench.comparison import compare
from mabench.comparison.entries import RunEntry
from mabench.data import export_hub_layout
from mabench.data.inventory import CATEGORIES, SOURCES
from mabench.export import export
from mabench.families import family_of
from mabench.inspection import Selection, look_up
from mabench.json_text import parse
from mabench.page.document import questions_of
from mabench.page.run_pages import run_sections
from mabench.reports.comparison import show_comparison
from mabench.reports.leaderboard import show_leaderboard
from mabench.results import (
    COLUMN_NAMES,
    Key,
    MeanScore,
    QuestionValues,
    Run,
    RunFolder,
    RunSummary,
    Sample,
    rescore,
)
from mabench.userfile import read_json_file
from tests.command_line import mabench as command
from tests.comparison.made import add_judgment, made_run, unjudged_run
from tests.printing import markdown, print_on, print_run
from tests.published_files import locomo, written
from tests.rows import dataset, row

_CHATS, _QA, _MOVIES = "longmemeval_s*", "ruler_qa1_197K", "recsys_redial_full"


def test_the_table_has_a_row_for_each_question(tmp_path: Path) -> None:
    run = mabench.run("bm25", dataset(), out=tmp_path / "run")
    table = run.table()
    assert isinstance(table, pyarrow.Table)
    assert table.column_names == [*COLUMN_NAMES]
    samples = [*run.samples()]
    assert table.num_rows == len(samples) == 5
    assert table["golds"].to_pylist() == [one.answers for one in samples]
    for name in ("hit_rank", "rule"):
        assert table[name].to_pylist() == [getattr(one, name) for one in samples]
    assert table["official"].to_pylist() == [
        float(one.official[family_of(one.source).metric]) for one in samples
    ]
    assert table.to_pandas()["verdict"].isin(["right", "wrong"]).all()
    assert None not in table["rule"].to_pylist() + table["seconds"].to_pylist()
    rows = Run(made_run(tmp_path / "made", {_QA: [[1.0, 0.0, 0.4]]})).rows()
    assert [(one["corrected"], one["verdict"]) for one in rows] == [
        *((1.0, "right"), (0.0, "wrong"), (0.4, "partial"))
    ]
    empty = Run(made_run(tmp_path / "empty", {_QA: []}))
    assert empty.table().column_names == [*COLUMN_NAMES]


@pytest.mark.parametrize(
    ("judgments", "verdicts", "official"),
    [
        ([], [None, None, 0], None),
        ([(0, "a", 1)], [1, None, 0], None),
        ([(0, "a", None)], [None, None, 0], None),
        ([(0, "a", 1), (1, "a", 0)], [1, 0, 0], 100 / 3),
        ([(0, "a", 0), (1, "a", None)], [0, 0, 0], 0),
        # One that is through counts before a later one that is not.
        ([(0, "a", 1), (1, "a", 1), (0, "b", 0)], [1, 1, 0], 200 / 3),
        ([(0, "a", 1), (1, "a", 1), (0, "b", 0), (1, "b", 0)], [0, 0, 0], 0),
    ],
)
def test_the_judge_that_counts_in_the_report_counts_everywhere(
    tmp_path: Path,
    judgments: list[tuple[int, str, float | None]],
    verdicts: list[float | None],
    official: float | None,
) -> None:
    store = unjudged_run(tmp_path / "run", 3)
    first, second, third = samples = [*store.samples()]
    store.replace_samples([first, second, replace(third, prediction=None, error="OSError: no")])
    for number, model, value in judgments:
        add_judgment(store, samples[number], value, model)
    words: dict[float | None, str] = {None: "not judged", 0: "wrong", 1: "right"}
    rules: dict[float | None, str | None] = {None: None, 0: "judge", 1: "judge"}
    run = Run(store.path)
    assert [(one.official, one.corrected, one.verdict, one.rule) for one in run.questions()] == [
        *((value, value, words[value], rules[value]) for value in verdicts[:2]),
        (0, 0, "wrong", "no-answer"),
    ]
    assert run.summary.sources[_CHATS].official == pytest.approx(official)
    # Where every answer failed there is nothing to judge, and all is wrong.
    store.replace_samples([replace(one, prediction=None, error="E: no") for one in samples])
    assert Run(store.path).summary.sources[_CHATS].official == 0


# An answer, with what two judges said of it: nothing, no verdict, or a value.
_Answer = tuple[str, str | float | None, str | float | None]
_SAID = st.sampled_from(["", None, 0.0, 0.5, 1.0])
_KINDS = st.sampled_from(["right", "wrong", "partial", "failed", "unclear", "without"])
_ANSWERS = st.lists(st.tuples(_KINDS, _SAID, _SAID), min_size=1, max_size=4)


def _stored(folder: Path, answers: dict[str, list[_Answer]]) -> Run:
    """Write a run with these answers, by source; those of chats have no score of their own."""
    values = {"right": 1.0, "partial": 0.4}
    scores = {
        name: [[values.get(kind, 0.0) for kind, *_ in listed]] for name, listed in answers.items()
    }
    store = RunFolder(made_run(folder, scores))
    every = [one for listed in answers.values() for one in listed]
    samples = [_as(one[0], sample) for one, sample in zip(every, store.samples(), strict=True)]
    store.replace_samples(samples)
    for number, model in enumerate("ab", start=1):
        for sample, said in zip(samples, every, strict=True):
            value = said[number]
            if not isinstance(value, str) and sample.prediction is not None:
                add_judgment(store, sample, value, model)
    return Run(folder)


def _as(kind: str, sample: Sample) -> Sample:
    if sample.source == _CHATS or (kind == "without" and sample.source == _MOVIES):
        sample = replace(sample, official={}, corrected={})
    elif kind == "unclear":
        sample = replace(sample, verdict="unclear")
    if kind == "failed":
        scores = dict.fromkeys(sample.official, 0.0)
        sample = replace(sample, official=scores, corrected=scores, prediction=None, error="E: no")
    return sample


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return 100 * fmean(known) if known and len(known) == len(values) else None


@settings(max_examples=25)
@given(st.dictionaries(st.sampled_from([_CHATS, _QA, _MOVIES]), _ANSWERS, min_size=1))
def test_everything_agrees_on_which_questions_are_right(answers: dict[str, list[_Answer]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        run = _stored(folder, answers)
        rows = list(run.rows())
        names = ("official", "corrected", "verdict", "rule")
        scores = [tuple(row[name] for name in names) for row in rows]
        assert scores == [tuple(getattr(one, name) for name in names) for one in run.questions()]
        _check_reports(run, rows)
        _check_verified(run, rows)
        # `mabench show` and pages.
        known = list(look_up(run, run.questions(), prompts=False))
        assert scores == [(one.official, one.corrected, one.verdict, one.rule) for one in known]
        on_page = {one.key: one for one in questions_of(run)}
        results = [on_page[_key(row)] for row in rows]
        assert [(one.official, one.corrected, one.verdict) for one in results] == [
            one[:3] for one in scores
        ]
        wrong = [one.sample.key for one in Selection(wrong=True).select(run)]
        assert wrong == [
            _key(row) for row in rows if row["official"] != 1 or row["corrected"] not in (1, None)
        ]
        # Exports.
        export(run, "csv", folder / "run.csv")
        with (folder / "run.csv").open(encoding="utf-8", newline="") as stream:
            lines = list(csv.DictReader(stream))
        assert [(one["official"], one["verdict"]) for one in lines] == [
            ("" if row["official"] is None else str(row["official"]), row["verdict"] or "")
            for row in rows
        ]
        # `mabench compare`, whose exit code follows from these.
        for name in ("official", "corrected"):
            entry = RunEntry.open(run, name)
            for source in answers:
                of_source = {_key(row): row[name] for row in rows if row["source"] == source}
                assert (source in entry.without) == (None in of_source.values())
                compared = {
                    key: getattr(of, name) for key, of in entry.builds[0].get(source, {}).items()
                }
                assert compared == ({} if source in entry.without else of_source)


def _check_reports(run: Run, rows: Sequence[QuestionValues]) -> None:
    reported = json.loads(print_run(run, "json"))["sources"]
    lines = markdown(run).replace("\\", "").splitlines()
    table = [[cell.strip() for cell in line.split("|")] for line in lines]
    for name, source in reported.items():
        of_source = [row for row in rows if row["source"] == name]
        official = _mean([row["official"] for row in of_source])
        assert source["official"] == pytest.approx(official)
        assert source["corrected"] == pytest.approx(_mean([row["corrected"] for row in of_source]))
        assert source["errors"] == sum(row["error"] is not None for row in of_source)
        assert source.get("unclear", 0) == sum(row["verdict"] == "unclear" for row in of_source)
        verdicts = [(row["verdict"], row["official"]) for row in of_source]
        right = sum(one[0] == "right" or one == ("unclear", 1) for one in verdicts)
        assert source["parts"]["right"] == right
        assert sum(source["parts"].values()) == source["n"]
        assert (source["needs"] == "judge") == any(
            row["verdict"] == "not judged" for row in of_source
        )
        cells = next(line for line in table if line[1:2] == [name])
        assert official is None or any(cell.startswith(f"{official:.1f}") for cell in cells)


def _check_verified(run: Run, rows: Sequence[QuestionValues]) -> None:
    """Check the scores on the questions that an audit does not flag: all but each second one."""
    place = ("split", "row", "question_index")
    flags = [dict(zip(place, _key(one), strict=True)) for one in rows[::2]]
    audit = {"schema": 1, "fingerprint": run.record.data.fingerprint, "flags": flags}
    file = run.folder / "audit.json"
    file.write_text(json.dumps(audit), encoding="utf-8")
    for name, source in json.loads(print_run(run, "json", file))["verified"].items():
        of_source = [row for row in rows[1::2] if row["source"] == name]
        assert source["official"] == pytest.approx(_mean([row["official"] for row in of_source]))
        assert source["corrected"] == pytest.approx(_mean([row["corrected"] for row in of_source]))


def _key(row: QuestionValues) -> Key:
    return (row["split"], row["row"], row["question_index"])


@pytest.mark.parametrize(
    ("words", "records", "samples"),
    [
        ("report a", 1, 40),
        ("report a --format json", 1, 40),
        ("show a", 1, 40),
        ("export a --to csv --out a.csv", 1, 80),
        ("compare a b", 2, 80),
        ("page a --out a.html", 1, 80),
        ("score a", 1, None),
        ("run bm25 --source ruler_qa1_197K --limit-questions 2 --out c", 0, 0),
    ],
)
def test_a_command_reads_what_a_run_is_once_and_no_answer_needlessly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, records: int, samples: int | None
) -> None:
    for name in "ab":
        made_run(tmp_path / name, {_QA: [[1.0, 0.0]] * 20})
    read, parsed = Mock(wraps=read_json_file), Mock(wraps=parse)
    monkeypatch.setattr("mabench.results.records.store.read_json_file", read)
    monkeypatch.setattr("mabench.results.records.files.parse", parsed)
    done = command(*words.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [call.args[0].name for call in read.call_args_list] == ["run.json"] * records
    # A page and an export say all of each question, beside the summary.
    if samples is not None:
        assert [call.args[0] for call in parsed.call_args_list].count(Sample) == samples


def test_the_summary_of_a_run_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Mock(wraps=RunSummary)
    monkeypatch.setattr("mabench.results.summing.run_tally.RunSummary", made)
    run = mabench.run("oracle", dataset(), out=tmp_path / "run")
    print_run(run)
    made.assert_called_once()
    assert run.summary == Run(run.folder).summary


def test_a_notebook_shows_the_scores(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=y>"
    run = Run(made_run(tmp_path / "run", {_QA: [[1] * 9 + [0]]}, agent=evil))
    assert repr(run) == f"<Run {str(tmp_path / 'run')!r}>"
    html = run._repr_html_()
    tags = {"p", "b", "br", "small", "table", "thead", "tbody", "tr", "th", "td"}
    assert {*re.findall("</?([^>]*)>", html)} == tags, "without attributes"
    texts = [unescape(text) for text in re.split("<[^>]*>", html)]
    assert f"{evil} on made-up, protocol structured" in texts
    assert {_QA, "90.0", "substring_exact_match", "10"} <= {*texts}
    assert any(text.endswith("†") for text in texts)


_TYPES = {"adversarial": 2, "multi-hop": 1, "open-domain": 1, "single-hop": 2, "temporal": 1}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("runs")
    data = written(folder / "locomo10.json", locomo())
    return [mabench.run(name, data, out=folder / name) for name in ("oracle", "bm25")]


def test_types_of_questions_and_their_evidence_are_in_every_report(
    runs: list[Run], tmp_path: Path
) -> None:
    found = compare(runs)
    types = found.pairs[0].types["locomo"]
    assert {kind: one.wins + one.losses + one.ties for kind, one in types.items()} == _TYPES
    assert types["adversarial"].a == 100
    assert json.loads(json.dumps(found.as_dict()))["pairs"][0]["types"]["locomo"]["temporal"]
    text = print_on(300, partial(show_comparison, found, "markdown"))
    assert "| locomo by type | A | B |" in text
    assert "generate" not in text  # Nobody can make more of these histories.
    # A judge's score stands beside the metric, which is a score without it.
    right = {(one.verdict, one.official) for one in questions_of(runs[0])}
    assert right == {("right", 1.0)}
    listed = run_sections(runs[1].summary, questions_of(runs[1]))
    sections = {one.name: one for one in listed}
    assert [table.headers[0] for table in sections["scores"].tables] == ["locomo by type"]
    assert sections["parts"].charts
    assert "Evidence" in [table.headers[0] for table in sections["retrieval"].tables]
    done = command("show", "bm25", "--row", "0", "--question", "2", cwd=runs[1].folder.parent)
    assert "Type: multi-hop" in done.stdout
    assert "Evidence: 3 of 3 statements retrieved" in done.stdout


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
