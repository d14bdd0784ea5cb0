"""What a comparison says of runs beside their scores: what they retrieved, and what ails each."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

import mabench
from mabench.comparison import compare
from mabench.reports import markdown, show_comparison
from mabench.results import Run
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
    stream = io.StringIO()
    show_comparison(compare(runs), layout, Console(file=stream, width=400))
    return stream.getvalue()


def test_hits_of_both_stand_beside_their_scores(tmp_path: Path, bm25: Run) -> None:
    none = mabench.run("no-memory", dataset(), out=tmp_path / "none")
    retrieval = bm25.summary.sources["ruler_qa1_197K"].retrieval
    assert retrieval
    hits = " / ".join(f"{(retrieval.hit_at or {})[depth]:.1f}" for depth in ("1", "5", "10"))
    assert hits.endswith("100.0")
    text = printed(bm25, none)
    assert "| Hit at 1 / 5 / 10 | A | B |" in text
    assert f"| ruler_qa1_197K | {hits} | - |" in text
    # The builds of a repeated run are averaged, and each is named for what ails it.
    for number, agent in enumerate(("bm25", "bm25"), 1):
        mabench.run(agent, dataset(), out=tmp_path / "twice" / f"repeat-{number}")
    assert f"| ruler_qa1_197K | {hits} | {hits} |" in printed(bm25, tmp_path / "twice")


def test_nothing_is_said_of_retrieval_where_none_was_reported(tmp_path: Path) -> None:
    runs = [mabench.run("no-memory", dataset(), out=tmp_path / name) for name in "ab"]
    assert "Hit at" not in printed(*runs)
    assert "Evidence" not in printed(*runs)


def test_json_holds_the_summary_of_each_run(tmp_path: Path, bm25: Run) -> None:
    none = mabench.run("no-memory", dataset(), out=tmp_path / "none")
    compared = compare([bm25, none])
    assert [run.summaries for run in compared.runs] == [(bm25.summary,), (none.summary,)]
    assert compared.as_dict()["runs"][1]["summaries"] == [none.summary.as_dict()]  # type: ignore[index,call-overload]


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
