from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

import mabench
from mabench.errors import UsageError
from mabench.reports import contents_of, contents_table, markdown, show
from mabench.results import Run
from tests.rows import dataset, row
from tests.runs.test_evidence import chat_row


def _printed(run: Run, layout: str) -> str:
    stream = io.StringIO()
    show(run, layout, Console(file=stream, width=120))
    return stream.getvalue()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return mabench.run("bm25", dataset(), out=tmp_path / "run")


def test_the_table_names_every_source_with_both_scores(run: Run) -> None:
    printed = _printed(run, "table")
    for text in ("Official", "Corrected", "factconsolidation_sh_6k", "ruler_qa1_197K", "SH-QA"):
        assert text in printed
    assert "partial" in printed
    assert "Overall" in printed


def test_markdown_has_a_line_for_each_source(run: Run) -> None:
    lines = markdown(run).splitlines()
    source = next(line for line in lines if line.startswith("| ruler_qa1_197K"))
    assert source.split(" | ")[2:5] == ["substring_exact_match", "2", "0"]


@pytest.mark.parametrize(
    ("protocol", "leaks"), [("structured", False), ("paper", True), ("paper-unmarked", False)]
)
def test_a_leak_of_the_benchmark_is_named(protocol: str, leaks: bool, tmp_path: Path) -> None:
    chats = mabench.run("no-memory", dataset([chat_row()]), protocol=protocol, out=tmp_path / "run")
    printed = " ".join(_printed(chats, "table").split())
    assert ("A leak of the benchmark: in the histories of longmemeval_s*" in printed) == leaks
    assert ("has_answer" in printed) == leaks
    assert [*(chats.summary.leaks or {})] == ["longmemeval_s*"] * leaks


def test_json_is_the_summary(run: Run) -> None:
    assert json.loads(_printed(run, "json")) == json.loads(json.dumps(run.summary.as_dict()))


def test_an_unknown_format_is_named(run: Run) -> None:
    with pytest.raises(
        UsageError, match="unknown format 'html'; known: table, markdown, csv, json"
    ):
        _printed(run, "html")


def test_an_unfinished_run_says_so(run: Run) -> None:
    samples = run.folder / "samples.jsonl"
    samples.write_text("".join(samples.read_text().splitlines(keepends=True)[:2]))
    printed = _printed(Run(run.folder), "table")
    assert "Unfinished: 2 of 5 questions so far." in printed
    assert "2 of 3" in printed


def test_scores_that_take_a_judge_are_explained(tmp_path: Path) -> None:
    rows = [row("longmemeval_s*", "['Chat Time: now', []]", [("What?", ["43"])])]
    done = mabench.run("no-memory", dataset(rows), out=tmp_path / "run")
    assert "No score yet for longmemeval_s*: they take a language model's verdict" in _printed(
        done, "table"
    )


def test_where_the_oracle_falls_short_is_said(tmp_path: Path) -> None:
    rows = [row("icl_nlu_8296shot_balance", "a\nlabel: 1\n\n", [("a", ["Answer: "])])]
    done = mabench.run("oracle", dataset(rows), out=tmp_path / "run")
    printed = _printed(done, "table")
    assert "Oracle short of 100: icl_nlu_8296shot_balance, row 0, question 0" in printed


def test_rows_are_text_and_never_markup(tmp_path: Path) -> None:
    rows = [row("icl_nlu_8296shot_balance", "a\nlabel: 1\n\n", [("a", ["Answer: [bold]|x"])])]
    done = mabench.run("oracle", dataset(rows), out=tmp_path / "run")
    assert "[bold]|x" in _printed(done, "table").replace("\n", "")
    assert r"\[bold\]\|x" in markdown(done)


def test_contents_count_rows_and_questions_beside_the_hubs() -> None:
    table = contents_table(contents_of(dataset()))
    assert table.rows[1][:4] == ("ruler_qa1_197K", "Accurate_Retrieval", "1 of 1", "2 of 100")


def test_a_run_is_reported_with_what_was_retrieved(run: Run) -> None:
    text = markdown(run)
    hits = "Hit at 1 | Hit at 5 | Hit at 10"
    assert f"| Retrieval | Passages | {hits} | Right when hit | Tokens shown |" in text
    (cells,) = re.findall(r"^\| factconsolidation_sh_6k \| (1\.0 .*) \|$", text, re.M)
    assert cells.split(" | ")[3] == "100.0"


def test_a_run_in_which_nothing_was_retrieved_has_no_such_table(tmp_path: Path) -> None:
    none = mabench.run("no-memory", dataset(), out=tmp_path / "none")
    assert "Retrieval" not in markdown(none)
