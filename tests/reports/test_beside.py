from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

import mabench
from mabench.errors import UsageError
from mabench.reports import markdown, show, show_beside
from mabench.runs import Run
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


def printed(runs: Sequence[Run], layout: str = "table") -> str:
    stream = io.StringIO()
    show_beside(runs, layout, Console(file=stream, width=400))
    return stream.getvalue()


def cells(text: str, beginning: str) -> list[list[str]]:
    """Return the cells of the lines of tables that begin with a word."""
    lines = [line.strip("│┃| ").replace("┃", "│") for line in text.splitlines()]
    rows = [[cell.strip() for cell in line.replace("|", "│").split("│")] for line in lines]
    return [row for row in rows if row[0] == beginning]


def test_runs_stand_beside_each_other_by_source(tmp_path: Path, bm25: Run) -> None:
    none = mabench.run("no-memory", dataset(), out=tmp_path / "none")
    text = printed([bm25, none])
    assert cells(text, "Official") == [["Official", "bm25", "no-memory"]]
    scores = [f"{run.summary.sources['ruler_qa1_197K'].official:.1f}" for run in (bm25, none)]
    retrieval = bm25.summary.sources["ruler_qa1_197K"].retrieval
    assert retrieval
    hits = retrieval.hit_at or {}
    shown = " / ".join(f"{hits[depth]:.1f}" for depth in ("1", "5", "10"))
    assert hits["10"] == 100
    assert cells(text, "ruler_qa1_197K") == [
        ["ruler_qa1_197K", *scores],
        ["ruler_qa1_197K", shown, "-"],
    ]
    assert "Not to be compared" not in text


def test_runs_of_one_agent_are_named_by_their_folders(tmp_path: Path, bm25: Run) -> None:
    rows = list(dataset().rows())
    other = mabench.run("bm25", dataset(rows[:1]), out=tmp_path / "half", protocol="repository")
    text = printed([bm25, other])
    assert cells(text, "Official")[0][1:] == [f"bm25 ({bm25.folder})", f"bm25 ({other.folder})"]
    assert cells(text, "ruler_qa1_197K")[0][2] == "-"
    assert "Not to be compared: the runs differ in protocol, data." in text


def test_runs_that_asked_other_questions_are_not_to_be_compared(tmp_path: Path, bm25: Run) -> None:
    few = mabench.run("no-memory", dataset(), out=tmp_path / "few", limit_questions=1)
    assert "Not to be compared: the runs differ in questions asked." in printed([bm25, few])


def test_json_is_a_list_of_the_summaries(tmp_path: Path, bm25: Run) -> None:
    none = mabench.run("no-memory", dataset(), out=tmp_path / "none")
    summaries = [bm25.summary.as_dict(), none.summary.as_dict()]
    assert json.loads(printed([bm25, none], "json")) == json.loads(json.dumps(summaries))


def test_an_unknown_format_is_named(bm25: Run) -> None:
    with pytest.raises(
        UsageError, match="unknown format 'html'; known: table, markdown, csv, json"
    ):
        printed([bm25, bm25], "html")


def test_names_of_agents_are_text_and_never_markup(tmp_path: Path, bm25: Run) -> None:
    blind = mabench.run(Blind, dataset(), out=tmp_path / "blind", settings={"tone": "[bold]|*x*"})
    name = blind.summary.agent
    assert name.endswith("Blind[tone=[bold]|*x*]")
    text = printed([bm25, blind])
    assert name in text.splitlines()[1]
    assert f"{name} retrieved nothing for all 2 questions of ruler_qa1_197K." in text
    assert r"\[tone=\[bold\]\|\*x\*\]" in printed([bm25, blind], "markdown").splitlines()[0]
    assert r"\[bold\]\|\*x\*\] retrieved nothing" in markdown(blind)


def test_a_run_is_reported_with_what_was_retrieved_and_what_ails_it(bm25: Run) -> None:
    stream = io.StringIO()
    show(bm25, "table", Console(file=stream, width=400))
    (headers,) = cells(stream.getvalue(), "Retrieval")
    assert headers[1:5] == ["Passages", "Hit at 1", "Hit at 5", "Hit at 10"]
    assert headers[5:] == ["Right when hit", "Tokens shown"]
    found = cells(stream.getvalue(), "factconsolidation_sh_6k")[1]
    assert found[1] == "1.0"
    assert found[4] == "100.0"
    assert "| Retrieval | Passages |" in markdown(bm25)


def test_a_run_in_which_nothing_was_retrieved_has_no_such_table(tmp_path: Path) -> None:
    none = mabench.run("no-memory", dataset(), out=tmp_path / "none")
    assert "Retrieval" not in markdown(none)
