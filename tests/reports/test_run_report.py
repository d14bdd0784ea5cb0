from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import mabench
from mabench.audit import audit
from mabench.errors import DataError, UsageError
from mabench.reports.listings import contents_tables
from mabench.results import Run
from tests.comparison.made import parted_run
from tests.printing import markdown, print_run
from tests.rows import dataset, row
from tests.runs.test_evidence_stays_here import chat_row


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return mabench.run("bm25", dataset(), out=tmp_path / "run")


def test_the_table_names_every_source_with_both_scores(run: Run) -> None:
    printed = print_run(run)
    for text in ("Official", "Corrected", "factconsolidation_sh_6k", "ruler_qa1_197K", "SH-QA"):
        assert text in printed
    assert "partial" in printed
    assert "Overall" in printed
    lines = markdown(run).splitlines()
    source = next(line for line in lines if line.startswith("| ruler_qa1_197K"))
    assert source.split(" | ")[2:5] == ["substring_exact_match", "2", "0"]
    printed, stored = print_run(run, "json"), json.dumps(run.summary.as_dict())
    first, second = (
        json.loads(text, parse_float=lambda digits: f"{float(digits):.12g}")
        for text in (printed, stored)
    )
    assert first == second
    text = markdown(run)
    hits = "Mentioned at 1 | Mentioned at 5 | Mentioned at 10 | Right when mentioned"
    assert f"| Retrieval | Passages | {hits} |" in text  # Nothing states evidence.
    (cells,) = re.findall(r"^\| factconsolidation_sh_6k \| (1\.0 .*) \|$", text, re.M)
    assert cells.split(" | ")[3] == "100.0"


@pytest.mark.parametrize(
    ("protocol", "leaks"), [("structured", False), ("paper", True), ("paper-unmarked", False)]
)
def test_a_leak_of_the_benchmark_is_named(protocol: str, leaks: bool, tmp_path: Path) -> None:
    if protocol != "structured":
        pytest.importorskip("tiktoken", reason="the extra `paper` is not installed")
    chats = mabench.run("no-memory", dataset([chat_row()]), protocol=protocol, out=tmp_path / "run")
    printed = " ".join(print_run(chats).split())
    assert ("The benchmark leaks answers: in the histories of longmemeval_s*" in printed) == leaks
    assert ("has_answer" in printed) == leaks
    assert [*(chats.summary.leaks or {})] == ["longmemeval_s*"] * leaks


def test_an_unfinished_run_and_an_unknown_format_are_named(run: Run) -> None:
    with pytest.raises(
        UsageError, match="unknown format 'html'; known: table, markdown, latex, csv"
    ):
        print_run(run, "html")
    samples = run.folder / "samples.jsonl"
    samples.write_text("".join(samples.read_text().splitlines(keepends=True)[:2]))
    printed = print_run(Run(run.folder))
    assert "Unfinished: 2 of 5 questions so far." in printed
    assert "2 of 3" in printed


def test_scores_that_take_a_judge_are_explained_and_contents_counted(tmp_path: Path) -> None:
    rows = [row("longmemeval_s*", "['Chat Time: now', []]", [("What?", ["43"])])]
    done = mabench.run("no-memory", dataset(rows), out=tmp_path / "run")
    unjudged = "No score yet for longmemeval_s*: they need a language model's verdict"
    assert unjudged in print_run(done)
    assert "Retrieval" not in markdown(done)  # Nothing was retrieved.
    splits, sources = contents_tables(dataset().contents)
    assert splits.rows[0][:4] == ("Accurate_Retrieval", "1 of 22", "2 of 2,000", "3")
    assert sources.rows[0][:4] == ("ruler_qa1_197K", "1 of 1", "2 of 100", "3")


def test_where_the_oracle_falls_short_is_said_as_text_and_never_markup(tmp_path: Path) -> None:
    rows = [row("icl_nlu_8296shot_balance", "a\nlabel: 1\n\n", [("a", ["Answer: [bold]|x"])])]
    done = mabench.run("oracle", dataset(rows), out=tmp_path / "run")
    short = "Oracle short of 100: icl_nlu_8296shot_balance, row 0, question 0"
    assert short in print_run(done)
    assert "[bold]|x" in print_run(done).replace("\n", "")
    assert r"\[bold\]\|x" in markdown(done)


@pytest.fixture
def audited(tmp_path: Path) -> tuple[Run, Path]:
    """A run with a right answer and a wrong one, whose gold the audit of the data flags."""
    pairs = [("Who came?", ["Ann"]), ("Who left?", ["Bob"])]
    data = dataset([row("ruler_qa1_197K", "Ann came.", pairs)])
    (tmp_path / "audit.json").write_text(json.dumps(audit(data).as_dict()))
    return mabench.run("bm25", data, out=tmp_path / "audited"), tmp_path / "audit.json"


def test_the_score_on_unflagged_questions_stands_beside_the_full_one(
    audited: tuple[Run, Path], tmp_path: Path
) -> None:
    report = json.loads(print_run(audited[0], "json", audited[1]))
    assert report["sources"]["ruler_qa1_197K"]["official"] == 50
    assert report["verified"]["ruler_qa1_197K"]["official"] == 100
    assert report["verified"]["ruler_qa1_197K"]["n"] == 1
    printed = print_run(audited[0], audit=audited[1])
    assert "n verified" in printed
    line = next(line for line in printed.splitlines() if "ruler_qa1" in line)
    assert [cell.strip() for cell in line.split("│")][-3:-1] == ["1", "100.0"]
    assert "Verified" in print_run(audited[0], "markdown", audited[1])
    other = tmp_path / "other.json"
    other.write_text(json.dumps(audit(dataset()).as_dict()))
    with pytest.raises(UsageError, match="an audit of a different data set"):
        print_run(audited[0], audit=other)


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 1}'])
def test_what_is_no_audit_is_refused(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(DataError, match=r"x\.json: no"):
        print_run(run, audit=tmp_path / "x.json")


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        ("r", None),
        ("ru", None),
        ("rxm", ["33", "33", "34"]),  # Which one is rounded up depends on their order alone.
        ("r" * 197 + "xmf", ["99", "1", "0", "0"]),
        ("rrlxmfu" * 3, ["29", "14", "14", "14", "15", "14"]),
    ],
)
def test_what_becomes_of_100_questions_adds_up(
    tmp_path: Path, parts: str, shown: list[str] | None
) -> None:
    run = Run(parted_run(tmp_path / "run", "ruler_qa1_197K", [parts]))
    counts = run.summary.sources["ruler_qa1_197K"].parts
    assert sum(counts.values()) == len(parts)
    lines = markdown(run).splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("| Of 100")]
    if shown is None:
        assert not heads
        return
    cells = lines[heads[0] + 2].strip("| ").split(" | ")[1:]
    assert sum(map(int, cells)) == 100
    assert sorted(cells) == sorted(shown)
