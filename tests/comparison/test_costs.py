"""What runs and their memories took: in summaries, reports, comparisons, pages and exports."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.comparison import compare
from mabench.export import export
from mabench.page.pages import comparison_page
from mabench.page.run_pages import run_page
from mabench.results import CallRecord, MemoryRecord, Run
from mabench.results.records.store import RunFolder
from mabench.runs.memorizing.memorizer import count_seconds
from tests.command_line import mabench, succeed
from tests.comparison.made import FACTS, QA, called, made_run, told
from tests.printing import print_run

TABLE = [
    *("Add 1,000 tokens", "Add p50", "Add p95", "Add p99", "Ready p50"),
    *("Search p50", "Search p99", "Bytes per 1,000 tokens"),
]


def rows(markdown: str) -> dict[str, list[str]]:
    lines = [line.strip("|").split("|") for line in markdown.splitlines() if line.startswith("|")]
    return {line[0].strip(): [cell.strip() for cell in line[1:]] for line in lines}


def summary_of(run: Path | Run) -> Any:
    """Return the summary of a run: of any type, since what a test looks at is known to be there."""
    return (run if isinstance(run, Run) else Run(run)).summary


def add_call(store: RunFolder, **fields: Any) -> None:
    """Add a call of the memory for the first history of questions and answers."""
    place = {"split": "Accurate_Retrieval", "row": 0, "source": QA, "by": "memory", "path": "x"}
    store.append_call(CallRecord(**{**place, **fields}))


def test_cost_stands_beside_the_score(tmp_path: Path) -> None:
    words = ("compare", str(called(tmp_path / "a")), str(called(tmp_path / "b", cost=0.004)))
    shown = rows(succeed(*words, "--format", "markdown", cwd=tmp_path).stdout)
    for name, cells in {
        "Mean score": ["75.0", "75.0"],
        "Calls per 1,000 tokens of history": ["2.00", "2.00"],
        "Tokens per 1,000 tokens of history": ["220.0", "220.0"],
        "Dollars per 1,000 tokens of history": ["0.004000", "0.008000"],
        "Seconds of calls per 1,000 tokens of history": ["1.000", "1.000"],
        "Calls per question": ["2.00", "2.00"],
        "Tokens per question": ["67.0", "67.0"],
        "Dollars per question": ["0.001000", "0.001000"],
        "Seconds of calls per question": ["0.750", "0.750"],
    }.items():
        assert shown[name] == cells
    assert "Dollars per question" in mabench(*words, cwd=tmp_path).stdout
    content = json.loads(mabench(*words, "--format", "json", cwd=tmp_path).stdout)
    calls = [run["calls"] for run in content["runs"]]
    assert [one["memorizing"]["each"]["cost"] for one in calls] == [0.004, 0.008]
    assert [*calls[0]["answering"]["each_model"]] == ["e", "m"]
    # An unknown price is unknown, and what was not metered is left out.
    one, other = called(tmp_path / "c", cost=None), called(tmp_path / "d", metered=False)
    words = ("compare", str(one), str(other))
    shown = rows(mabench(*words, "--format", "markdown", cwd=tmp_path).stdout)
    assert shown["Dollars per 1,000 tokens of history"] == ["unknown", "-"]
    assert shown["Calls per 1,000 tokens of history"] == ["2.00", "-"]
    assert shown["Calls per question"] == ["2.00", "1.00"]
    # Pages have it, too.
    page = run_page(Run(tmp_path / "a"))
    assert "Calls of models" in page
    assert "e per question" in page
    both = comparison_page([Run(tmp_path / "a"), Run(one)])
    assert "Score and cost" in both
    assert "Dollars per 1,000 tokens of history" in both
    # Of runs without calls nothing is said of them.
    a, b = (str(made_run(tmp_path / name, {QA: [[1, 0, 1, 1]]})) for name in ("plain", "bare"))
    assert "Score and cost" not in mabench("compare", a, b, cwd=tmp_path).stdout
    content = json.loads(mabench("compare", a, b, "--format", "json", cwd=tmp_path).stdout)
    assert all("calls" not in run for run in content["runs"])
    assert "Calls of models" not in run_page(Run(Path(a)))
    assert "Calls of" not in mabench("show", a, "--question", "2", cwd=tmp_path).stdout


def test_builds_of_a_run_are_added_up(tmp_path: Path) -> None:
    for number in (1, 2):
        called(tmp_path / "many" / f"repeat-{number}", cost=0.002 * number)
    compared = compare([tmp_path / "many", called(tmp_path / "one")]).runs
    many, one = (run["calls"] for run in compared)
    assert many.memorizing.totals.calls == 2 * one.memorizing.totals.calls
    assert many.memorizing.each.calls == 2
    assert many.memorizing.each.cost == pytest.approx(0.006)
    assert many.questions == 8
    folder = tmp_path / "one"
    for fields in ({"call": "f", "seconds": 2.0, "status": 500}, {"call": "r", "again": True}):
        add_call(RunFolder(folder), phase="memorizing", model="m", **fields)
    calls = summary_of(folder).calls
    totals = calls.memorizing.models["m"]
    assert (totals.calls, totals.failed, totals.retried) == (6, 2, 1)
    assert totals.seconds == pytest.approx(4 * 0.5 + 2.0)
    assert calls.memorizing.each_model["m"].seconds == pytest.approx(2.0)
    told(tmp_path / "pool" / "repeat-1")
    told(tmp_path / "pool" / "repeat-2", facts={8: 90})
    memory = compare([tmp_path / "pool", told(tmp_path / "single")]).runs[0]["memory"]
    assert (memory.rows, memory.add.n, memory.add.p50, memory.add.p99) == (4, 280, 0.1, 8)


def test_a_question_is_shown_with_its_calls(tmp_path: Path) -> None:
    folder = called(tmp_path / "a")
    add_call(RunFolder(folder), call="z", phase="answering", model="m", seconds=9.0)
    words = ("show", str(folder), "--question", "2")
    shown = succeed(*words, cwd=tmp_path).stdout
    assert "Calls of e: 1, 7 tokens in, $0.000000, 0.25 s" in shown
    assert "Calls of m: 1, 50 tokens in, 10 tokens out, $0.001000, 0.50 s" in shown
    assert "Other calls: 1 of its row" in shown
    (view,) = json.loads(mabench(*words, "--format", "json", cwd=tmp_path).stdout)
    assert {name: one["calls"] for name, one in view["calls"].items()} == {"e": 1, "m": 1}
    assert view["shared_calls"] == 1


@given(st.lists(st.floats(1e-6, 1e4), max_size=50))
def test_a_row_keeps_its_times_in_two_digits(times: list[float]) -> None:
    counts = count_seconds(times)
    kept = [each for each, number in counts.items() for _ in range(number)]
    assert kept == pytest.approx(sorted(times), rel=0.05)
    assert len(counts) <= 90 * 11


def test_percentiles_are_over_all_calls_and_no_mean_of_percentiles(tmp_path: Path) -> None:
    run = Run(told(tmp_path / "run"))
    whole, sources = summary_of(run).memory, summary_of(run).sources
    assert (whole.add.n, whole.add.p50, whole.add.p95, whole.add.p99) == (100, 0.1, 1, 1)
    assert (whole.search.n, whole.search.p50, whole.search.p95) == (6, 0.25, 2)
    assert sources[QA].memory.add_per_1000_tokens == pytest.approx(4.5)
    assert whole.add_per_1000_tokens == pytest.approx(4.75)
    assert whole.bytes_per_1000_tokens == 3000
    assert (whole.ready.n, whole.ready.p50) == (2, 0.5)
    # A report has one table, and its CSV the same figures.
    shown = rows(print_run(run, "markdown"))
    assert shown["Memory"] == TABLE
    assert shown["All"] == [
        *("4.75 s", "100 ms", "1 s", "1 s", "500 ms"),
        *("250 ms", "2 s, largest of 6", "3,000"),
    ]
    lines = [*csv.DictReader(print_run(run, "csv").splitlines())]
    found = {(line["source"], line["metric"]): (line["n"], line["score"]) for line in lines}
    assert found["All", "add p95 seconds"] == ("100", "1.0")
    assert found[QA, "search p50 seconds"] == ("4", "0.25")
    assert found[FACTS, "bytes per 1,000 tokens"] == ("", "3000.0")
    for width in (80, 60):
        narrow = print_run(run, width=width).splitlines()
        assert all(len(line) <= width for line in narrow)
        assert sum("┃ Memory" in line for line in narrow) == 2
    # Pages and exports have them, too.
    for page in (run_page(run), comparison_page([run, Run(told(tmp_path / "other"))])):
        assert ">Memory</h2>" in page
        assert "Bytes per 1,000 tokens" in page
        assert "Memorize s" not in page
    export(run, "csv", tmp_path / "run.csv")
    lines = [*csv.DictReader((tmp_path / "run.csv").read_text("utf-8").splitlines())]
    assert [float(line["search_seconds"]) for line in lines] == [0.25] * 4 + [2.0] * 2


@pytest.mark.parametrize("number", [2, 3])
def test_runs_stand_beside_each_other_two_or_many(tmp_path: Path, number: int) -> None:
    runs = [str(told(tmp_path / f"{n}", times=n)) for n in range(1, number + 1)]
    medians = [0.25, 0.5, 0.75][:number]

    def compared(form: str) -> str:
        return mabench("compare", *runs, "--format", form, cwd=tmp_path).stdout

    assert 1 <= sum("┃ Memory" in line for line in compared("table").splitlines()) <= 2
    shown = rows(compared("markdown"))
    assert shown["Memory"] == TABLE
    cells = [shown[f"made ({run})"][-3] for run in runs]
    assert cells == [f"{1000 * median:g} ms" for median in medians]
    content = json.loads(compared("json"))
    assert [run["memory"]["search"]["p50"] for run in content["runs"]] == medians
    lines = [line for line in compared("csv").splitlines() if "All,search p50 seconds" in line]
    if number == 2:
        assert lines == [f"{runs[0]},{runs[1]},All,search p50 seconds,,0.25,0.5,-0.25,,,,"]
    else:
        assert lines[1] == f"{runs[1]},made,All,search p50 seconds,6,0.5,,,"


@pytest.mark.parametrize("phase", ["memorizing", "answering"])
def test_times_that_kept_replies_shorten_are_not_shown(tmp_path: Path, phase: str) -> None:
    run = Run(told(tmp_path / "run"))
    add_call(run.store, call="1", phase=phase, kept=True, seconds=0.001)
    kept, other = (summary_of(run).sources[name].memory for name in (QA, FACTS))
    assert (kept.add is None, kept.search is None) == (phase == "memorizing", phase == "answering")
    assert (kept.ready is None) == (phase == "memorizing")
    assert kept.bytes_per_1000_tokens == 3000
    assert None not in (other.add, other.search)
    assert "shortens are not shown" in " ".join(print_run(run).split())


def facts_of(store: RunFolder) -> MemoryRecord:
    return next(each for each in store.memories().values() if each.source == FACTS)


def test_a_row_that_failed_and_one_without_records_say_nothing_wrong(tmp_path: Path) -> None:
    run = Run(told(tmp_path / "run"))
    run.store.append_memory(replace(facts_of(run.store), seconds=9.0, adds={9: 1}, error="x"))
    memory = summary_of(run).memory
    assert (memory.failed, memory.add.n) == (1, 90)
    assert memory.add_per_1000_tokens == pytest.approx(4.5)
    bare = made_run(tmp_path / "bare", {QA: [[1, 0]]})
    assert "Memory" not in rows(print_run(Run(bare), "markdown"))


def test_what_is_told_after_loading_is_added_to_what_was_told_before(tmp_path: Path) -> None:
    """Each record of a sitting has all its adds; what was known when it was loaded counts once."""
    run = Run(told(tmp_path / "run"))
    loaded = replace(facts_of(run.store), loaded=True, adds=None, add_seconds=None, tokens=None)
    for number in (3, 5):
        run.store.append_memory(loaded)
        for adds in (1, number):
            run.store.append_memory(replace(loaded, adds={2.0: adds}, add_seconds=2 * adds))
    memory = summary_of(run).sources[FACTS].memory
    assert (memory.add.n, memory.add.seconds, memory.tokens) == (10 + 3 + 5, 10 + 6 + 10, 2000)
    run.store.append_memory(replace(loaded, loaded=False))
    assert facts_of(run.store).tokens is None, "memorized again: nothing earlier holds"
    other = Run(made_run(tmp_path / "other", {QA: [[1]], FACTS: [[1, 0]]}))
    other.store.append_memory(loaded)  # From the cache: nobody knows how long that was told.
    other.store.append_memory(replace(loaded, adds={2.0: 1}, add_seconds=2, tokens=2000))
    memory = summary_of(other).sources[FACTS].memory
    assert (memory.add, memory.add_per_1000_tokens) == (None, None)
