from __future__ import annotations

from pathlib import Path

import pytest

import mabench
from mabench.comparison import compare
from mabench.reports import markdown, show_comparison
from mabench.results import Run
from tests.comparison.made import parted_run
from tests.printing import print_on
from tests.rows import dataset


class Blind:
    """Finds nothing; a setting with markup in it becomes part of its name."""

    def __init__(self, tone: str = "") -> None: ...

    def add(self, text: str) -> None: ...

    def search(self, query: str, k: int) -> list[str]:
        return []


@pytest.fixture
def bm25(tmp_path: Path) -> Run:
    return mabench.run("bm25", dataset(), out=tmp_path / "bm25")


def printed(*runs: Run | Path, layout: str = "markdown") -> str:
    return print_on(400, lambda console: show_comparison(compare(runs), layout, console))


def test_hits_of_both_stand_beside_their_scores(tmp_path: Path, bm25: Run) -> None:
    none = mabench.run("no-memory", dataset(), out=tmp_path / "none")
    retrieval = bm25.summary.sources["ruler_qa1_197K"].retrieval
    assert retrieval
    hits = " / ".join(f"{(retrieval.hit_at or {})[depth]:.1f}" for depth in ("1", "5", "10"))
    assert hits.endswith("100.0")
    compared = compare([bm25, none])
    assert [run.summaries for run in compared.runs] == [(bm25.summary,), (none.summary,)]
    assert compared.as_dict()["runs"][1]["summaries"] == [none.summary.as_dict()]  # type: ignore[index,call-overload]
    text = printed(bm25, none)
    assert "| Mentioned at 1 / 5 / 10 | A | B |" in text
    assert f"| ruler_qa1_197K | {hits} | - |" in text
    nothing = printed(none, mabench.run("no-memory", dataset(), out=tmp_path / "other"))
    assert "Hit at" not in nothing
    assert "Evidence" not in nothing
    # The builds of a repeated run are averaged, and each is named for what ails it.
    for number in (1, 2):
        mabench.run("bm25", dataset(), out=tmp_path / "twice" / f"repeat-{number}")
    assert f"| ruler_qa1_197K | {hits} | {hits} |" in printed(bm25, tmp_path / "twice")


def test_names_of_agents_are_text_and_never_markup(tmp_path: Path, bm25: Run) -> None:
    blind = mabench.run(Blind, dataset(), out=tmp_path / "blind", settings={"tone": "[bold]|*x*"})
    name = blind.summary.agent
    assert name.endswith("Blind[tone=[bold]|*x*]")
    text = printed(bm25, blind, layout="table")
    assert name in text.splitlines()[1]
    ails = f"{name} retrieved nothing for all 2 questions of ruler_qa1_197K."
    assert f"{blind.folder}: {ails}" in text
    assert r"\[tone=\[bold\]\|\*x\*\]" in printed(bm25, blind)
    assert r"\[bold\]\|\*x\*\] retrieved nothing" in markdown(blind)


QA = "ruler_qa1_197K"


def test_the_parts_that_make_the_difference_are_named_with_their_intervals(tmp_path: Path) -> None:
    a = parted_run(tmp_path / "a", QA, ["rrrrrrrxmm"] * 12)
    b = parted_run(tmp_path / "b", QA, ["rrrlxxmmmm", "rrlxxxmmmm"] * 6)
    (pair,) = compare([a, b]).pairs
    parts = pair.parts[QA]
    assert {part: (round(one.a, 9), round(one.b, 9)) for part, one in parts.items()} == {
        "right": (70, 25),
        "right_unretrieved": (0, 10),
        "missed": (20, 40),
        "misread": (10, 25),
    }
    assert sum(one.difference for one in parts.values()) == pytest.approx(0)
    misread = parts["misread"].new_histories
    assert misread
    assert misread.low < parts["misread"].difference < misread.high < 0
    text = printed(a, b)
    row = f"{misread.low:+.1f} to {misread.high:+.1f}"
    assert f"| {QA} | Misread | 10.0 | 25.0 | -15.0 | {row} |" in text
    sentence = f"{QA}: of 100 questions B has 15.0 more misread than A (A - B: {row})."
    assert sentence in text.replace("\\", "")


def test_nothing_is_said_of_parts_that_may_hide_among_the_unclear(tmp_path: Path) -> None:
    a = parted_run(tmp_path / "a", QA, ["rrrrruuuuu"] * 12)
    b = parted_run(tmp_path / "b", QA, ["rrrrrxxxxx"] * 12)
    assert "more misread" not in printed(a, b)
    c = parted_run(tmp_path / "c", QA, ["rrrrrrrruu"] * 12)
    assert "B has 50.0 more misread than A" in printed(c, b)
