"""The report of a run."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import mabench
from mabench.audit import audit
from mabench.comparison import compare
from mabench.errors import DataError, UsageError
from mabench.reports.comparison import Detail, show_comparison
from mabench.results import Run
from tests.comparison.made import (
    QA,
    add_judgment,
    made_run,
    parted_run,
    unjudged_run,
)
from tests.printing import markdown, print_on, print_run
from tests.rows import dataset, row
from tests.runs.test_what_agents_see import chat_row


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
    assert cells.split(" | ")[3] == r"100.0 \[43.9, 100\]†"


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
    unjudged = "No score yet for longmemeval_s*: they need a language model as judge"
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
    line = next(line for line in printed.splitlines() if "│ ruler_qa1" in line)
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


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        (0, None),
        (1, "1 of 3 answers failed, and count as wrong. Most often: OSError: no way to 0."),
        (3, "All 3 answers failed, so the scores say nothing about made. Most often: OSError: no"),
    ],
)
def test_failed_answers_come_before_all_scores(
    tmp_path: Path, failed: int, said: str | None
) -> None:
    run = Run(parted_run(tmp_path / "run", QA, ["f" * failed + "r" * (3 - failed)]))
    errors = [
        replace(one, error=f"OSError: no way to {place}.") if one.prediction is None else one
        for place, one in enumerate(run.store.samples())
    ]
    run.store.replace_samples(errors)
    run = Run(run.folder)
    for layout in ("table", "markdown"):
        text = " ".join(print_run(run, layout).replace("\\", "").split())
        assert ("failed" in text.partition("Metric")[0]) == (said is not None)
        assert (said or "") in text.partition("Metric")[0]
    assert ("--retry-errors" in text) == bool(failed)
    well = made_run(tmp_path / "well", {QA: [[1.0] * 3]})
    text = print_on(
        200,
        lambda console: show_comparison(compare([well, run]), "table", console, detail=Detail.FULL),
    )
    assert (f"{run.folder}: {said}" in text) == (said is not None)


def test_the_only_answer_that_failed_is_no_plural(tmp_path: Path) -> None:
    run = Run(parted_run(tmp_path / "run", QA, ["f"]))
    run.store.replace_samples([replace(one, error="X: y") for one in run.store.samples()])
    assert "The only answer failed, so the scores say nothing" in markdown(Run(run.folder))


def test_a_judge_that_failed_comes_before_all_scores(tmp_path: Path) -> None:
    store = unjudged_run(tmp_path / "run", 2)
    for sample in store.samples():
        add_judgment(store, sample, None)
    text = markdown(Run(store.path)).replace("\\", "")
    said = "longmemeval_s*: judge gave no verdict on 2 of 2 answers, which count as wrong. Most"
    assert said in text.partition("| Source")[0]
