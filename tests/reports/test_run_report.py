import json
import re
from pathlib import Path

import pytest

import mabench
from mabench.audit import audit
from mabench.errors import DataError, UsageError
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
    titles = ("Official", "Corrected", "factconsolidation_sh_6k", "ruler_qa1_197K", "SH-QA")
    for text in (*titles, "partial", "Overall"):
        assert text in printed
    printed, stored = print_run(run, "json"), json.dumps(run.summary.as_dict())
    first, second = (
        json.loads(text, parse_float=lambda digits: f"{float(digits):.12g}")
        for text in (printed, stored)
    )
    assert first == second
    text = markdown(run)
    (source,) = re.findall(r"^\| ruler_qa1_197K \| (SH-QA .*) \|$", text, re.M)
    assert source.split(" | ")[1:4] == ["substring_exact_match", "2", "0"]
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
    unknown = "unknown format 'html'; known: table, markdown, latex, csv"
    with pytest.raises(UsageError, match=unknown):
        print_run(run, "html")
    samples = run.folder / "samples.jsonl"
    samples.write_text("".join(samples.read_text().splitlines(keepends=True)[:2]))
    printed = print_run(Run(run.folder))
    assert "Unfinished: 2 of 5 questions so far." in printed
    assert "2 of 3" in printed


def test_scores_that_take_a_judge_are_explained(tmp_path: Path) -> None:
    rows = [row("longmemeval_s*", "['Chat Time: now', []]", [("What?", ["43"])])]
    done = mabench.run("no-memory", dataset(rows), out=tmp_path / "run")
    unjudged = "No score yet for longmemeval_s*: they need a language model's verdict"
    assert unjudged in print_run(done)
    assert "Retrieval" not in markdown(done)  # Nothing was retrieved.


def test_where_the_oracle_falls_short_is_said_as_text_and_never_markup(tmp_path: Path) -> None:
    rows = [row("icl_nlu_8296shot_balance", "a\nlabel: 1\n\n", [("a", ["Answer: [bold]|x"])])]
    done = mabench.run("oracle", dataset(rows), out=tmp_path / "run")
    printed = print_run(done).replace("\n", "")
    assert "Oracle short of 100: icl_nlu_8296shot_balance, row 0, question 0" in printed
    assert "[bold]|x" in printed
    assert r"\[bold\]\|x" in markdown(done)


def test_the_score_on_unflagged_questions_stands_beside_the_full_one(tmp_path: Path) -> None:
    # A right answer and a wrong one, whose gold the audit of the data flags.
    pairs = [("Who came?", ["Ann"]), ("Who left?", ["Bob"])]
    data, file = dataset([row("ruler_qa1_197K", "Ann came.", pairs)]), tmp_path / "audit.json"
    file.write_text(json.dumps(audit(data).as_dict()))
    done = mabench.run("bm25", data, out=tmp_path / "audited")
    report = json.loads(print_run(done, "json", file))
    assert report["sources"]["ruler_qa1_197K"]["official"] == 50
    assert report["verified"]["ruler_qa1_197K"]["official"] == 100
    assert report["verified"]["ruler_qa1_197K"]["n"] == 1
    printed = print_run(done, audit=file)
    assert "n verified" in printed
    line = next(line for line in printed.splitlines() if "ruler_qa1" in line)
    assert [cell.strip() for cell in line.split("│")][-3:-1] == ["1", "100.0"]
    assert "Verified" in print_run(done, "markdown", file)
    file.write_text(json.dumps(audit(dataset()).as_dict()))
    with pytest.raises(UsageError, match="an audit of a different data set"):
        print_run(done, audit=file)
    for text in ("{", "[]", '{"schema": 1}'):
        file.write_text(text)
        with pytest.raises(DataError, match=r"audit\.json: no"):
            print_run(done, audit=file)


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
    found = re.search(r"^\| Of 100.*\n.*\n\| ruler_qa1_197K \| (.*) \|$", markdown(run), re.M)
    cells = found[1].split(" | ") if found else []
    assert sum(map(int, cells)) == (100 if shown else 0)
    assert sorted(cells) == sorted(shown or [])
