"""What memories took and hold stands in summaries, reports, comparisons, pages and exports."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
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
from mabench.results import CallRecord, MemoryRecord, Run, Timing, count_seconds
from mabench.results.records.store import RunFolder
from tests.command_line import mabench
from tests.comparison.made import made_run
from tests.comparison.test_costs import rows
from tests.printing import print_run

QA, FACTS = "ruler_qa1_197K", "factconsolidation_sh_6k"
SCORES = {QA: [[1, 0, 1, 1]], FACTS: [[1, 0]]}
TABLE = [
    *("Add 1,000 tokens", "Add p50", "Add p95", "Add p99", "Ready p50"),
    *("Search p50", "Search p95", "Search p99", "Bytes per 1,000 tokens"),
]


def told(folder: Path, facts: Mapping[float, int] | None = None, times: float = 1) -> Path:
    """Add 90 adds of 0.1 s of one source and 10 of 1 s of the other, and a search of each question.

    Each history has 2,000 tokens and takes 6,000 bytes.
    """
    store = RunFolder(made_run(folder, SCORES))
    places = {sample.source: (sample.split, sample.row) for sample in store.samples()}
    for source, adds in ((QA, {0.1: 90}), (FACTS, facts or {1: 10})):
        split, row = places[source]
        seconds = sum(each * number for each, number in adds.items())
        store.append_memory(
            MemoryRecord(
                split=split,
                row=row,
                source=source,
                tokens=2000,
                bytes=6000,
                adds=adds,
                add_seconds=seconds,
                ready_seconds=0.5,
                seconds=seconds + 0.5,
            )
        )
    for sample in store.samples():
        search = times * (0.25 if sample.source == QA else 2)
        store.append_timing(Timing(*sample.key, seconds=3.0, search_seconds=search))
    return folder


@given(st.lists(st.floats(1e-6, 1e4), max_size=50))
def test_a_row_keeps_its_times_in_two_digits(times: list[float]) -> None:
    counts = count_seconds(times)
    kept = [each for each, number in counts.items() for _ in range(number)]
    assert kept == pytest.approx(sorted(times), rel=0.05)
    assert len(counts) <= 90 * 11


def test_percentiles_are_over_all_calls_and_no_mean_of_percentiles(tmp_path: Path) -> None:
    summary = Run(told(tmp_path / "run")).summary
    whole, qa, facts = summary.memory, summary.sources[QA].memory, summary.sources[FACTS].memory
    assert whole
    assert qa
    assert facts
    assert whole.add
    assert (whole.add.n, whole.add.p50, whole.add.p95, whole.add.p99) == (100, 0.1, 1, 1)
    assert whole.search
    assert (whole.search.n, whole.search.p50, whole.search.p95) == (6, 0.25, 2)
    assert qa.add_per_1000_tokens == pytest.approx(4.5)
    assert facts.add_per_1000_tokens == 5
    assert whole.add_per_1000_tokens == pytest.approx(4.75)
    assert whole.bytes_per_1000_tokens == 3000
    assert whole.ready
    assert (whole.ready.n, whole.ready.p50) == (2, 0.5)


def test_a_report_has_one_table_and_its_csv_the_same_figures(tmp_path: Path) -> None:
    run = Run(told(tmp_path / "run"))
    shown = rows(print_run(run, "markdown"))
    assert shown["Memory"] == TABLE
    assert shown["All"] == [
        *("4.75 s", "100 ms", "1 s", "1 s", "500 ms"),
        *("250 ms", "2 s", "2 s", "3,000"),
    ]
    lines = [*csv.DictReader(print_run(run, "csv").splitlines())]
    found = {(line["source"], line["metric"]): (line["n"], line["score"]) for line in lines}
    assert found["All", "add p95 seconds"] == ("100", "1.0")
    assert found[QA, "search p50 seconds"] == ("4", "0.25")
    assert found[FACTS, "bytes per 1,000 tokens"] == ("", "3000.0")
    narrow = print_run(run, width=80).splitlines()
    assert all(len(line) <= 80 for line in narrow)
    assert sum("┃ Memory" in line for line in narrow) == 2
    assert sum("┃ Memory" in line for line in print_run(run, width=60).splitlines()) == 2


@pytest.mark.parametrize("number", [2, 3])
def test_runs_stand_beside_each_other_two_or_many(tmp_path: Path, number: int) -> None:
    runs = [str(told(tmp_path / f"{n}", times=n)) for n in range(1, number + 1)]
    medians = [0.25, 0.5, 0.75][:number]
    narrow = mabench("compare", *runs, cwd=tmp_path).stdout
    assert 1 <= sum("┃ Memory" in line for line in narrow.splitlines()) <= 2

    def compared(form: str) -> str:
        return mabench("compare", *runs, "--format", form, cwd=tmp_path).stdout

    shown = rows(compared("markdown"))
    assert shown["Memory"] == TABLE
    cells = [shown[f"made ({run})"][-4] for run in runs]
    assert cells == [f"{1000 * median:g} ms" for median in medians]
    content = json.loads(compared("json"))
    assert [run["memory"]["search"]["p50"] for run in content["runs"]] == medians
    lines = [line for line in compared("csv").splitlines() if "All,search p50 seconds" in line]
    if number == 2:
        assert lines == [f"{runs[0]},{runs[1]},All,search p50 seconds,,0.25,0.5,-0.25,,,,"]
    else:
        assert lines[1] == f"{runs[1]},made,All,search p50 seconds,6,0.5,,,"


def test_builds_are_pooled(tmp_path: Path) -> None:
    told(tmp_path / "many" / "repeat-1")
    told(tmp_path / "many" / "repeat-2", facts={8: 90})
    (many, _) = compare([tmp_path / "many", told(tmp_path / "one")]).runs
    assert many.memory
    assert many.memory.add
    assert (many.memory.rows, many.memory.add.n, many.memory.add.p99) == (4, 280, 8)
    assert many.memory.add.p50 == 0.1


def test_pages_and_exports_have_them(tmp_path: Path) -> None:
    run, other = Run(told(tmp_path / "run")), Run(told(tmp_path / "other"))
    for page in (run_page(run), comparison_page([run, other])):
        assert ">Memory</h2>" in page
        assert "Bytes per 1,000 tokens" in page
        assert "Memorize s" not in page
    export(run, "every-eval-ever", tmp_path / "eee.json")
    results = json.loads((tmp_path / "eee.json").read_text("utf-8"))["evaluation_results"]
    details = results[0]["score_details"]["details"]
    assert details["add seconds per 1,000 tokens"] == "4.5"
    export(run, "csv", tmp_path / "run.csv")
    lines = [*csv.DictReader((tmp_path / "run.csv").read_text("utf-8").splitlines())]
    assert [float(line["search_seconds"]) for line in lines] == [0.25] * 4 + [2.0] * 2


@pytest.mark.parametrize("phase", ["memorizing", "answering"])
def test_times_that_kept_replies_shorten_are_not_shown(tmp_path: Path, phase: Any) -> None:
    folder = told(tmp_path / "run")
    store = RunFolder(folder)
    place = next((one.split, one.row) for one in store.samples() if one.source == QA)
    store.append_call(
        CallRecord(
            split=place[0],
            row=place[1],
            source=QA,
            call="1",
            by="memory",
            phase=phase,
            path="embeddings",
            kept=True,
            seconds=0.001,
        )
    )
    summary = Run(folder).summary
    kept, other = summary.sources[QA].memory, summary.sources[FACTS].memory
    assert kept
    assert other
    assert (kept.add is None, kept.search is None) == (phase == "memorizing", phase == "answering")
    assert (kept.ready is None) == (phase == "memorizing")
    assert kept.bytes_per_1000_tokens == 3000
    assert other.add
    assert other.search
    assert "shortens are not shown" in " ".join(print_run(Run(folder)).split())


def test_a_row_that_failed_and_one_without_records_say_nothing_wrong(tmp_path: Path) -> None:
    folder = told(tmp_path / "run")
    store = RunFolder(folder)
    record = next(each for each in store.memories().values() if each.source == FACTS)
    store.append_memory(replace(record, seconds=9.0, adds={9: 1}, error="x"))
    summary = Run(folder).summary
    assert summary.memory
    assert summary.memory.add
    assert (summary.memory.failed, summary.memory.add.n) == (1, 90)
    assert summary.memory.add_per_1000_tokens == pytest.approx(4.5)
    bare = made_run(tmp_path / "bare", SCORES)
    assert "Memory" not in rows(print_run(Run(bare), "markdown"))


def test_what_is_told_after_loading_is_added_to_what_was_told_before(tmp_path: Path) -> None:
    """Each record of a sitting has all its adds; what was known when it was loaded counts once."""
    folder = told(tmp_path / "run")
    store = RunFolder(folder)
    record = next(each for each in store.memories().values() if each.source == FACTS)
    loaded = replace(record, loaded=True, adds=None, add_seconds=None, tokens=None)
    for number in (3, 5):
        store.append_memory(loaded)
        for adds in (1, number):
            store.append_memory(replace(loaded, adds={2.0: adds}, add_seconds=2 * adds))
    memory = Run(folder).summary.sources[FACTS].memory
    assert memory
    assert memory.add
    assert (memory.add.n, memory.add.seconds) == (10 + 3 + 5, 10 + 6 + 10)
    assert memory.tokens == 2000
    other = RunFolder(made_run(tmp_path / "other", SCORES))
    other.append_memory(loaded)  # From the cache: nobody knows how long that was told.
    other.append_memory(replace(loaded, adds={2.0: 1}, add_seconds=2, tokens=2000))
    memory = Run(other.path).summary.sources[FACTS].memory
    assert memory
    assert (memory.add, memory.add_per_1000_tokens) == (None, None)
