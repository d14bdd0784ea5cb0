"""Comparing runs from Python: differences, intervals, and what cannot be compared."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

import mabench
from mabench.comparison import Comparison, find_flips, is_as_good, is_worse
from mabench.data.inventory import SOURCES
from mabench.errors import DataError, UsageError
from mabench.families import family_of
from mabench.results import MemoryRecord, Run
from mabench.results.records.record import DataRecord
from mabench.results.records.store import RunFolder
from mabench.text import sketch_text
from tests.comparison.made import FACTS, QA, Scores, add_judgment, made_run, share

EVENTS = "eventqa_full"


def _compare(tmp_path: Path, *runs: Scores) -> Comparison:
    return mabench.compare(
        [made_run(tmp_path / f"run-{number}", scores) for number, scores in enumerate(runs)]
    )


def _on(comparison: Comparison, source: str) -> Any:
    return comparison.pairs[0].sources[source]


@pytest.mark.parametrize("order", [1, -1])
def test_a_difference_is_the_better_run_less_the_other_whatever_the_order(
    tmp_path: Path, order: int
) -> None:
    one = made_run(tmp_path / "a", {QA: [[1, 1, 1, 0]], FACTS: [[1, 1]]})
    other = made_run(tmp_path / "b", {QA: [[0, 1, 0, 0]]})
    RunFolder(other).replace_samples(reversed([*RunFolder(other).samples()]))
    comparison = mabench.compare([one, other][::order])
    assert [run.run for run in comparison.runs] == [str(one), str(other)]
    found = _on(comparison, QA)
    assert (found.a, found.b, found.difference) == (75, 25, 50)
    assert (found.wins, found.losses, found.ties, found.histories) == (2, 0, 2, 1)
    assert (found.history_wins, found.history_losses, found.history_ties) == (1, 0, 0)
    # A source that only one run has is left out.
    assert list(comparison.pairs[0].sources) == [QA]
    assert list(comparison.runs[0].not_compared) == [FACTS]
    flips = [*find_flips(comparison.pairs[0], "official")]
    assert [(flip.question_index, flip.a, flip.b) for flip in flips] == [(0, 1, 0), (2, 1, 0)]
    assert flips[1].question == "Question 2 about history 0?"


def test_columns_categories_and_overall_stand_where_they_are_complete(tmp_path: Path) -> None:
    scores: dict[str, list[list[float]]] = {
        source.name: [[1.0] * (source.questions // source.rows) for _ in range(source.rows)]
        for source in SOURCES
        if source.column and not family_of(source.name).rubric and source.questions
    }
    worse = {name: [[0.0] * len(row) for row in rows] for name, rows in scores.items()}
    pair = _compare(tmp_path, scores, worse).pairs[0]
    assert set(pair.categories) == {"TTL", "CR"}
    assert {"SH-QA", "MH-QA", "EventQA", "MCC", "FC-SH"} <= set(pair.columns)
    assert pair.overall is None
    assert pair.headline is pair.mean
    assert pair.columns["SH-QA"].difference == 100
    assert pair.categories["TTL"].a == 100


def test_a_mean_weighs_sources_alike_and_p_is_adjusted_for_all_of_the_pair(tmp_path: Path) -> None:
    one, other = ({QA: [[qa] * 90], FACTS: [[1 - qa] * 10]} for qa in (1.0, 0.0))
    pair = _compare(tmp_path, one, other).pairs[0]
    assert (pair.mean.a, pair.mean.b, pair.mean.difference) == (50, 50, 0)
    values = [each.p for each in pair.sources.values()]
    adjusted = [each.adjusted_p for each in pair.sources.values()]
    assert adjusted == pytest.approx([*multipletests(values, method="holm")[1]], abs=0)


_OTHER_DATA = DataRecord(name="other", fingerprint="9" * 16, benchmark=True)


@pytest.mark.parametrize(
    ("scores", "fields", "reason"),
    [
        ([[1, 0]], {"protocol": "paper"}, "they differ in protocol"),
        ([[1, 0]], {"prompts": "3" * 16}, "they differ in prompts"),
        ([[1, 0]], {"chunk_tokens": 512}, "they differ in chunk tokens"),
        ([[1, 0]], {"data": _OTHER_DATA}, "their rows differ: .* and other$"),
        ([[1, 0, 1]], {}, f"different questions of {QA}, questions 0-1 against 0-2; `common`"),
        ([[1, 0]], {"questions": {QA: 3}}, "unfinished, 2 of 3 questions so far; resume it"),
    ],
)
def test_runs_that_differ_are_not_compared(
    tmp_path: Path, scores: list[list[float]], fields: dict[str, object], reason: str
) -> None:
    one = made_run(tmp_path / "a", {QA: [[1, 0]]})
    other = made_run(tmp_path / "b", {QA: scores}, **fields)
    with pytest.raises(UsageError, match=reason):
        mabench.compare([one, other])


@pytest.mark.corrupts_runs
def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    one = made_run(tmp_path / "a", {QA: [[1, 0]]})
    for number, agent in enumerate(("made", "other"), 1):
        made_run(tmp_path / f"b/repeat-{number}", {QA: [[1, 0]]}, agent=agent)
    for runs, reason in (
        ([one], "at least two runs"),
        ([one, one], "named twice"),
        ([one, tmp_path / "nothing"], "no run here"),
        ([one, tmp_path / "b"], "repeats of different runs"),
    ):
        with pytest.raises(UsageError, match=reason):
            mabench.compare(runs)
    with pytest.raises(UsageError, match="official, corrected"):
        mabench.compare([one, one], score="right")
    torn = made_run(tmp_path / "torn", {QA: [[1, 0]]})
    (torn / "run.json").write_text("[", encoding="utf-8")
    with pytest.raises(DataError, match=r"run\.json"):
        mabench.compare([one, torn])


def test_judged_sources_are_compared_by_the_same_judge(tmp_path: Path) -> None:
    chats = "longmemeval_s*"

    def judge(folder: Path, verdicts: list[int], model: str = "judge") -> None:
        store = RunFolder(folder)
        asked = [sample for sample in store.samples() if sample.source == chats]
        for sample, verdict in zip(asked, verdicts, strict=True):
            add_judgment(store, sample, verdict, model)

    one, other = (made_run(tmp_path / name, {chats: [[0, 0, 0]], QA: [[1]]}) for name in "ab")
    unjudged = mabench.compare([one, other])
    assert list(unjudged.pairs[0].sources) == [QA]
    assert "not judged" in unjudged.runs[0].not_compared[chats]
    judge(one, [1, 1, 0])
    judge(other, [0, 1, 0])
    found = _on(mabench.compare([one, other]), chats)
    assert (found.wins, found.losses, found.ties) == (1, 0, 2)
    judge(other, [1, 1, 1], model="another")
    assert list(mabench.compare([one, other]).pairs[0].sources) == [QA]


def test_repeated_runs_are_compared_by_the_mean_of_their_builds(tmp_path: Path) -> None:
    for name, counts in {"a": (80, 50, 65), "b": (60, 70, 50)}.items():
        for number, right in enumerate(counts, start=1):
            made_run(tmp_path / name / f"repeat-{number}", {QA: [share(right)]})
    comparison = mabench.compare([tmp_path / "a", tmp_path / "b"])
    assert [run.builds for run in comparison.runs] == [3, 3]
    assert comparison.runs[0].build_deviation == pytest.approx(15)
    found = _on(comparison, QA)
    assert found.difference == pytest.approx(5)
    single = _on(mabench.compare([tmp_path / "a/repeat-1", tmp_path / "b/repeat-1"]), QA)
    # What builds differ in makes the interval wide, however many questions there are.
    assert found.these_histories.low < -15
    assert single.these_histories.low > 5
    assert found.detectable > 20


def test_a_baseline_is_compared_with_each_run(tmp_path: Path) -> None:
    runs = [made_run(tmp_path / name, {QA: [[1, 0]]}) for name in "abc"]
    among = mabench.compare(runs, baseline=tmp_path / "b" / ".." / "c")
    for pairs in (mabench.compare(runs[:2], baseline=runs[2]).pairs, among.pairs):
        names = [(Path(pair.a).name, Path(pair.b).name) for pair in pairs]
        assert names == [("a", "c"), ("b", "c")]
    assert {run.headline.letters for run in among.runs} == {""}


@pytest.mark.parametrize("name", ["run", "run/", "./run", "link", "link/", "../here/run", "{}/run"])
def test_a_run_is_never_compared_with_itself_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    here = tmp_path / "here"
    made_run(here / "run", {QA: [[1, 0]]})
    better = made_run(here / "better", {QA: [[1, 1]]})
    (here / "link").symlink_to(here / "run")
    monkeypatch.chdir(here)
    other = name.format(here)
    message = "named twice" if str(Path(other)) == "run" else "are the same run"
    for runs in (["run", other], [Run(Path("run")), Run(Path(other))], ["better", "run", other]):
        with pytest.raises(UsageError, match=message):
            mabench.compare(runs)
    with pytest.raises(UsageError, match=message):
        mabench.plan(["run", other], 10.0)
    # One of the runs may be the baseline.
    (pair,) = mabench.compare(["run", better], baseline=other).pairs
    assert pair.headline.difference == 50


def test_a_repeated_run_is_not_compared_with_one_of_its_builds(tmp_path: Path) -> None:
    whole, other = tmp_path / "whole", tmp_path / "other"
    for number in range(2):
        made_run(whole / f"repeat-{number}", {QA: [[1, number]]})
    other.mkdir()
    (other / "repeat-0").symlink_to(whole / "repeat-1")
    made_run(other / "repeat-1", {QA: [[0, 0]]})
    for part in (whole / "repeat-1", other):
        with pytest.raises(UsageError, match=r"both hold the run .*repeat-1; name it once"):
            mabench.compare([whole, part])
        with pytest.raises(UsageError, match="both hold the run"):
            mabench.compare([whole], baseline=part)


def test_the_questions_that_all_were_asked_can_be_compared(tmp_path: Path) -> None:
    two = made_run(tmp_path / "two", {QA: [[1, 1], [1, 1]], FACTS: [[1]]})
    five = made_run(tmp_path / "five", {QA: [[0, 0], [0, 0], [1, 1], [1, 1], [1, 1]]})
    with pytest.raises(UsageError, match=r"different questions of .*, rows 0-1 against 0-4"):
        mabench.compare([two, five])
    unfinished = made_run(tmp_path / "some", {QA: [[1, 1], [1]]}, questions={QA: 9})
    comparison = mabench.compare([two, five, unfinished], common=True)
    assert [run.sources[QA].n for run in comparison.runs] == [3, 3, 3]
    assert [run.mean for run in comparison.runs] == [100, 100, 0]
    assert [*comparison.runs[0].not_compared] == [FACTS]
    listed = list(find_flips(comparison.pairs[1], "official"))
    assert {flip.row for flip in listed} == {0, 1}
    apart = made_run(tmp_path / "apart", {EVENTS: [[1]] * 6, QA: [[1]]})
    with pytest.raises(UsageError, match="share no source on which all have a score"):
        mabench.compare([two, apart], common=True)


def test_runs_share_a_letter_where_they_are_not_shown_to_differ(tmp_path: Path) -> None:
    comparison = _compare(tmp_path, *({QA: [share(right)]} for right in (50, 58, 54, 10)))
    # The best is first. It differs from the third, and the second from neither.
    assert [round(run.mean) for run in comparison.runs] == [58, 54, 50, 10]
    assert [run.sources[QA].letters for run in comparison.runs] == ["a", "ab", "b", "c"]
    assert [run.headline.letters for run in comparison.runs] == ["a", "ab", "b", "c"]
    assert [run.among_best for run in comparison.runs] == [True, True, False, False]
    assert repr(comparison).startswith("<Comparison by the official score: made (")
    assert repr(comparison).count(" 58.0 ±9.5† a, ") == 1
    # p is adjusted for the number of pairs.
    assert len(comparison.pairs) == 6
    headlines = [pair.headline for pair in comparison.pairs]
    adjusted = multipletests([one.p for one in headlines], method="holm")[1]
    assert [one.adjusted_p for one in headlines] == pytest.approx([*adjusted], abs=0)
    # The mean of one source is that source, on which no other p is told.
    alone = [pair.sources[QA].adjusted_p for pair in comparison.pairs]
    assert alone == [one.adjusted_p for one in headlines]


def test_a_run_has_the_intervals_of_its_report(tmp_path: Path) -> None:
    scores: Scores = {QA: [share(50)], EVENTS: [[1, 0, 1]] * 3 + [[0, 0, 1]] * 4}
    runs = [made_run(tmp_path / name, scores) for name in "ab"]
    (run, _) = mabench.compare(runs).runs
    for name, reported in Run(runs[0]).summary.sources.items():
        assert run.sources[name].interval == reported.interval


def test_the_corrected_score_can_be_compared(tmp_path: Path) -> None:
    one, other = (made_run(tmp_path / name, {QA: [[1, 0]]}) for name in "ab")
    store, none = RunFolder(other), {family_of(QA).metric: 0.0}
    store.replace_samples([replace(sample, corrected=none) for sample in store.samples()])
    assert mabench.compare([one, other]).pairs[0].mean.difference == 0
    assert mabench.compare([one, other], score="corrected").pairs[0].mean.difference == 50


def test_worse_is_what_lies_beyond_the_points_that_are_allowed(tmp_path: Path) -> None:
    runs = [made_run(tmp_path / f"{right}", {QA: [share(right)]}) for right in (50, 90)]
    comparison = mabench.compare(runs[:1], baseline=runs[1])
    found, headline = _on(comparison, QA), comparison.pairs[0].headline
    assert found.new_histories is None, "one history says nothing of new ones"
    assert found.these_histories.p == found.p < 1e-9
    assert -30 < found.these_histories.high < -25
    assert [is_worse(headline, points) for points in (0, 25, 30, 50)] == [True] * 2 + [False] * 2
    assert [is_as_good(headline, points) for points in (0, 25, 30, 52)] == [False] * 3 + [True]
    few = [made_run(tmp_path / name, {QA: [[1, float(name == "b"), 0, 0]]}) for name in "ab"]
    headline = mabench.compare(few[:1], baseline=few[1]).pairs[0].headline
    assert headline.difference == -25
    assert not is_worse(headline, 0)


def test_a_mean_speaks_of_new_histories_only_where_each_of_its_sources_does(tmp_path: Path) -> None:
    random = np.random.default_rng(2)

    def draw(chance: float, histories: int) -> list[list[float]]:
        return [(random.random(20) < chance).astype(float).tolist() for _ in range(histories)]

    runs: list[Scores] = [
        {QA: draw(chance, 1), EVENTS: draw(chance, 12)} for chance in (0.9, 0.4, 0.4)
    ]
    comparison = _compare(tmp_path, *runs)
    for pair in comparison.pairs:
        assert not pair.headline.of_new_histories
        assert not pair.sources[QA].of_new_histories
        assert pair.sources[EVENTS].of_new_histories
    # The scores of a column speak of the same histories as its letters.
    for run in comparison.runs:
        kinds = [bool(one.measure.new) for one in (run.headline, run.sources[EVENTS])]
        assert kinds == [False, True]
    alone = mabench.compare([made_run(tmp_path / n, {EVENTS: draw(0.5, 5)}) for n in "xy"])
    assert alone.pairs[0].headline.of_new_histories


def test_histories_of_one_text_are_one_cluster_across_sources(tmp_path: Path) -> None:
    """Three lengths of five books: they say of new books what one length does."""
    lengths = ("eventqa_65536", "eventqa_131072", "eventqa_full")
    random = np.random.default_rng(4)
    of_books = random.random((2, 5, 30)) < 0.5
    texts = [
        [f"In book {book} it was said, on page {n}, so." for n in range(99)] for book in "abcde"
    ]

    def compare_told(place: str, known: bool) -> Any:
        runs = []
        for name, books in zip("ab", of_books, strict=True):
            scores = {length: books.astype(float).tolist() for length in lengths}
            store = RunFolder(made_run(tmp_path / place / name, scores))
            rows = {(one.split, one.row): one.source for one in store.samples()}
            for number, ((split, row), source) in enumerate(rows.items()):
                text = texts[number % 5][: 33 * (1 + number // 5)]
                store.append_memory(
                    MemoryRecord(
                        split=split,
                        row=row,
                        source=source,
                        seconds=1,
                        sketch=sketch_text(text) if known else None,
                    )
                )
            runs.append(store.path)
        return mabench.compare(runs).pairs[0]

    together, apart = compare_told("known", True), compare_told("unknown", False)
    for pair in (together, apart):
        assert pair.headline.of_new_histories
    one = together.sources["eventqa_full"].new_histories
    mean = together.headline.new_histories
    assert (mean.low, mean.high) == pytest.approx((one.low, one.high))
    narrow = apart.headline.new_histories
    assert narrow.high - narrow.low < 0.6 * (mean.high - mean.low)
    # The same holds for the mean of one run.
    widths = []
    for place in ("known", "unknown"):
        interval = Run(tmp_path / place / "a").summary.mean_interval
        assert interval is not None
        assert interval.new_histories is not None
        low, high = interval.new_histories
        widths.append(high - low)
    assert widths[1] < 0.6 * widths[0]


def test_what_hangs_on_one_source_is_named(tmp_path: Path) -> None:
    (pair,) = _compare(
        tmp_path, {QA: [share(90)], FACTS: [share(51)]}, {QA: [share(50)], FACTS: [share(50)]}
    ).pairs
    assert pair.headline.is_shown
    assert pair.decided_by == (QA,)
    whole = {QA: [share(90)], FACTS: [share(90)]}
    (pair,) = _compare(tmp_path / "more", whole, {QA: [share(50)], FACTS: [share(50)]}).pairs
    assert pair.decided_by == ()


def test_eight_runs_on_ten_histories_can_be_told_apart(tmp_path: Path) -> None:
    random = np.random.default_rng(8)
    chances = (0.9, 0.6, 0.6, 0.6, 0.6, 0.3, 0.3, 0.01)
    runs: list[Scores] = [
        {EVENTS: (random.random((10, 20)) < chance).astype(float).tolist()} for chance in chances
    ]
    ranked = _compare(tmp_path, *runs).runs
    assert ranked[0].headline.score > 85
    assert ranked[-1].headline.score < 5
    assert ranked[0].headline.letters == "a"
    assert not {*ranked[0].headline.letters} & {*ranked[1].headline.letters}
    assert not {*ranked[-1].headline.letters} & {*ranked[-2].headline.letters}


def test_equality_is_shown_by_two_one_sided_tests(tmp_path: Path) -> None:
    runs = [made_run(tmp_path / name, {QA: [share(90)] * 8}) for name in "abc"]
    comparison = mabench.compare(runs, equal_within=2)
    assert comparison.as_dict()["equal_within"] == 2
    assert all(pair.headline.is_equal for pair in comparison.pairs)
    for within in (0.1, None):
        comparison = mabench.compare(runs, equal_within=within)
        assert not any(pair.headline.is_equal for pair in comparison.pairs)
    with pytest.raises(UsageError, match="between 0 and 100"):
        mabench.compare(runs, equal_within=0)


def test_one_build_is_one_build_unless_another_is_declared_or_seen_to_be_the_same(
    tmp_path: Path,
) -> None:
    def pair(name: str, **fields: object) -> Any:
        runs = [
            made_run(tmp_path / f"{name}-{number}", {QA: [share(50 + number)]}, **fields)
            for number in (0, 1)
        ]
        return mabench.compare(runs).pairs[0]

    assert pair("plain").builds_may_differ
    assert not pair("declared", deterministic=True).builds_may_differ
    for name in "ab":
        for number in (1, 2):
            made_run(tmp_path / name / f"repeat-{number}", {QA: [share(50)]})
    (twice,) = mabench.compare([tmp_path / "a", tmp_path / "b"]).pairs
    assert not twice.builds_may_differ


@pytest.mark.slow
@pytest.mark.corrupts_runs  # Holding 36,000 samples against the schema takes 20 s.
def test_ten_whole_runs_are_compared_in_three_seconds(tmp_path: Path) -> None:
    random, runs = np.random.default_rng(1), list[Path]()
    for number in range(10):
        scores = {
            source.name: (random.random((source.rows, source.questions // source.rows or 1)) < 0.6)
            .astype(float)
            .tolist()
            for source in SOURCES
            if not family_of(source.name).rubric
        }
        runs.append(made_run(tmp_path / str(number), scores))
    started = time.process_time()
    comparison = mabench.compare(runs)
    assert time.process_time() - started < 3
    assert len(comparison.pairs) == 45
