"""What runs took stands beside their scores: in comparisons, on pages and for one question."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mabench.comparison import compare
from mabench.page.pages import comparison_page, run_page
from mabench.results import CallRecord, MemoryRecord, Run
from mabench.results.records.store import RunFolder
from tests.command_line import mabench
from tests.comparison.made import made_run

SOURCE, SPLIT = "ruler_qa1_197K", "Accurate_Retrieval"
SCORES = {SOURCE: [[1, 0, 1, 1]]}


def called(folder: Path, cost: float | None = 0.002, metered: bool = True) -> Path:
    """Add a memory of 2,000 tokens, 4 calls for it and for each question one of either model."""
    store = RunFolder(folder)
    place = {"split": SPLIT, "row": 0, "source": SOURCE}
    store.append_memory(MemoryRecord(**place, chunks=2, tokens=2000, seconds=1, metered=metered))  # type: ignore[arg-type]

    def call(number: int, **fields: object) -> None:
        store.append_call(CallRecord(**{**place, "call": str(number), "path": "x", **fields}))  # type: ignore[arg-type]

    took = {"seconds": 0.5, "status": 200, "output_tokens": 10}
    for number in range(4 if metered else 0):
        chat = {"model": "m", "input_tokens": 100, "cached_tokens": 40, "cost": cost}
        call(number, by="memory", phase="memorizing", **took, **chat)
    for index in range(4):
        at = {"phase": "answering", "question_index": index}
        if metered:
            call(10 + index, by="memory", **at, model="e", seconds=0.25, input_tokens=7, cost=0.0)
        reader = {"model": "m", "input_tokens": 50, "cost": 0.001}
        call(20 + index, by="reader", **at, **took, **reader)
    return folder


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Path]:
    def make(name: str, **given: float | bool | None) -> Path:
        return called(made_run(tmp_path / name, SCORES), **given)  # type: ignore[arg-type]

    return make


def rows(markdown: str) -> dict[str, list[str]]:
    lines = [line.strip("|").split("|") for line in markdown.splitlines() if line.startswith("|")]
    return {line[0].strip(): [cell.strip() for cell in line[1:]] for line in lines}


def test_cost_stands_beside_the_score(made: Callable[..., Path], tmp_path: Path) -> None:
    words = ("compare", str(made("a")), str(made("b", cost=0.004)))
    done = mabench(*words, "--format", "markdown", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = rows(done.stdout)
    assert shown["Mean score"] == ["75.0", "75.0"]
    assert shown["Calls per 1,000 tokens of history"] == ["2.00", "2.00"]
    assert shown["Tokens per 1,000 tokens of history"] == ["220.0", "220.0"]
    assert shown["Dollars per 1,000 tokens of history"] == ["0.004000", "0.008000"]
    assert shown["Seconds of calls per 1,000 tokens of history"] == ["1.000", "1.000"]
    assert shown["Calls per question"] == ["2.00", "2.00"]
    assert shown["Tokens per question"] == ["67.0", "67.0"]
    assert shown["Dollars per question"] == ["0.001000", "0.001000"]
    assert shown["Seconds of calls per question"] == ["0.750", "0.750"]
    assert "Dollars per question" in mabench(*words, cwd=tmp_path).stdout
    content = json.loads(mabench(*words, "--format", "json", cwd=tmp_path).stdout)
    calls = [run["calls"] for run in content["runs"]]
    assert [one["memorizing"]["each"]["cost"] for one in calls] == [0.004, 0.008]
    assert [*calls[0]["answering"]["each_model"]] == ["e", "m"]


def test_an_unknown_price_is_unknown_and_what_was_not_metered_is_left_out(
    made: Callable[..., Path], tmp_path: Path
) -> None:
    words = ("compare", str(made("a", cost=None)), str(made("b", metered=False)))
    shown = rows(mabench(*words, "--format", "markdown", cwd=tmp_path).stdout)
    assert shown["Dollars per 1,000 tokens of history"] == ["unknown", "-"]
    assert shown["Calls per 1,000 tokens of history"] == ["2.00", "-"]
    assert shown["Calls per question"] == ["2.00", "1.00"]


def test_of_runs_without_calls_nothing_is_said_of_them(tmp_path: Path) -> None:
    a, b = (str(made_run(tmp_path / name, SCORES)) for name in "ab")
    assert "cost" not in mabench("compare", a, b, cwd=tmp_path).stdout
    content = json.loads(mabench("compare", a, b, "--format", "json", cwd=tmp_path).stdout)
    assert all("calls" not in run for run in content["runs"])
    assert "Calls of models" not in run_page(Run(Path(a)))
    words = ("show", a, "--question", "2")
    done = mabench(*words, "--format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)[0]["calls"] is None
    assert "Calls of" not in mabench(*words, cwd=tmp_path).stdout


def test_builds_of_a_run_are_added_up(tmp_path: Path, made: Callable[..., Path]) -> None:
    for number in (1, 2):
        called(made_run(tmp_path / "many" / f"repeat-{number}", SCORES), cost=0.002 * number)
    comparison = compare([tmp_path / "many", made("one")])
    many, one = (run.calls for run in comparison.runs)
    assert many
    assert one
    assert many.memorizing.each
    assert many.memorizing.totals.calls == 2 * one.memorizing.totals.calls
    assert many.memorizing.each.calls == 2
    assert many.memorizing.each.cost == pytest.approx(0.006)
    assert many.questions == 8


def test_pages_have_what_calls_took(made: Callable[..., Path]) -> None:
    one, other = Run(made("a")), Run(made("b", cost=None))
    page = run_page(one)
    assert "Calls of models" in page
    assert "e per question" in page
    both = comparison_page([one, other])
    assert "Score and cost" in both
    assert "Dollars per 1,000 tokens of history" in both


def test_a_question_is_shown_with_its_calls(made: Callable[..., Path], tmp_path: Path) -> None:
    folder = made("a")
    RunFolder(folder).append_call(
        CallRecord(
            split=SPLIT, row=0, source=SOURCE, call="z", by="memory", phase="answering", path="x",
            model="m", seconds=9.0,
        )
    )  # fmt: skip
    done = mabench("show", str(folder), "--question", "2", cwd=tmp_path)
    assert "Calls of e: 1, 7 tokens in, $0.000000, 0.25 s" in done.stdout, done.stderr
    assert "Calls of m: 1, 50 tokens in, 10 tokens out, $0.001000, 0.50 s" in done.stdout
    assert "Other calls: 1 of its row" in done.stdout
    (view,) = json.loads(
        mabench("show", str(folder), "--question", "2", "--format", "json", cwd=tmp_path).stdout
    )
    assert {name: one["calls"] for name, one in view["calls"].items()} == {"e": 1, "m": 1}
    assert view["shared_calls"] == 1


def test_failures_retries_and_seconds_are_in_the_sums(tmp_path: Path) -> None:
    folder = called(made_run(tmp_path / "a", SCORES))
    store = RunFolder(folder)
    place = {"split": SPLIT, "row": 0, "source": SOURCE, "by": "memory", "phase": "memorizing"}
    failed = {"seconds": 2.0, "status": 500}
    store.append_call(CallRecord(**place, call="f", path="x", model="m", **failed))  # type: ignore[arg-type]
    store.append_call(CallRecord(**place, call="r", path="x", model="m", again=True))  # type: ignore[arg-type]
    calls = Run(folder).summary.calls
    assert calls
    totals = calls.memorizing.models["m"]
    assert (totals.calls, totals.failed, totals.retried) == (6, 2, 1)
    assert totals.seconds == pytest.approx(4 * 0.5 + 2.0)
    assert calls.memorizing.each_model
    assert calls.memorizing.each_model["m"].seconds == pytest.approx(2.0)
