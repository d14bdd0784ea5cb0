"""Marks of golds and verdicts: kept in the run, counted beside the scores, changing none."""

import json
from pathlib import Path

import pytest

import mabench
from mabench.audit import audit
from mabench.data import open_dataset
from mabench.errors import DataError
from mabench.results import Mark, MarkKind, Run, flag_marked_golds, latest_marks, read_marks
from tests.command_line import mabench as run_mabench
from tests.command_line import succeed
from tests.rows import two_rows, write_rows

_FACTS = "factconsolidation_sh_6k"
_PLACE = ("--source", _FACTS, "--row", "0", "--question", "1")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data and a run of them."""
    folder = tmp_path_factory.mktemp("marks")
    write_rows(folder / "rows.jsonl", two_rows())
    mabench.run("no-memory", folder / "rows.jsonl", out=folder / "run")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """The same, without marks of other tests."""
    (made / "run" / "marks.jsonl").unlink(missing_ok=True)
    return made


def test_a_mark_is_kept_listed_and_changes_no_score(folder: Path) -> None:
    before = succeed("report", "run", "--format", "json", cwd=folder).stdout
    note = "Bob moved, <b>twice</b>"
    done = succeed("show", "run", *_PLACE, "--mark", "gold-wrong", "--note", note, cwd=folder)
    assert "is marked as gold-wrong" in done.stdout
    succeed("show", "run", *_PLACE, "--mark", "verdict-wrong", cwd=folder)
    assert succeed("report", "run", "--format", "json", cwd=folder).stdout == before
    said = succeed("report", "run", cwd=folder).stdout
    assert "1 gold and 1 verdict are marked as wrong; no score counts the marks" in " ".join(
        said.split()
    )
    listed = json.loads(succeed("report", "run", "--marks", "--format", "json", cwd=folder).stdout)[
        "marks"
    ]
    assert [(one["mark"], one["note"]) for one in listed] == [
        ("gold-wrong", note), ("verdict-wrong", ""),
    ]  # fmt: skip
    assert listed[1]["answer"]
    assert "twice" in succeed("report", "run", "--marks", cwd=folder).stdout
    succeed("show", "run", *_PLACE, "--mark", "verdict-wrong", "--withdraw", cwd=folder)
    assert [mark.mark for mark in Run(folder / "run").store.marks()] == [MarkKind.GOLD_WRONG]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mark", "gold-wrong"], "a mark is of one question"),
        ([*_PLACE, "--mark", "gold"], "gold-wrong"),
        ([*_PLACE, "--note", "x"], "--mark"),
        ([*_PLACE, "--withdraw"], "--mark"),
        ([*_PLACE, "--mark", "gold-wrong", "--note", "x" * 2001], "2,000 characters"),
    ],
)
def test_what_is_no_mark_is_refused(folder: Path, words: list[str], said: str) -> None:
    done = run_mabench("show", "run", *words, cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (folder / "run" / "marks.jsonl").exists()


def test_the_audit_flags_marked_golds_and_scores_can_leave_them_out(folder: Path) -> None:
    sound = json.loads(succeed("audit", "rows.jsonl", "--format", "json", cwd=folder).stdout)
    succeed("show", "run", *_PLACE, "--mark", "gold-wrong", "--note", "why", cwd=folder)
    done = succeed("audit", "rows.jsonl", "--marked", "run", "--format", "json", cwd=folder)
    (flag,) = [one for one in json.loads(done.stdout)["flags"] if one["reason"] == "marked-wrong"]
    assert (flag["source"], flag["question_index"], flag["detail"]) == (_FACTS, 1, "why")
    assert len(json.loads(done.stdout)["flags"]) == len(sound["flags"]) + 1
    (folder / "audit.json").write_text(done.stdout, encoding="utf-8")
    report = succeed(
        "report", "run", "--verified", "audit.json", "--format", "json", cwd=folder
    ).stdout
    assert json.loads(report)["verified"][_FACTS]["n"] == 2


def test_marks_that_a_page_saved_are_read_and_broken_ones_named(folder: Path) -> None:
    sample = next(Run(folder / "run").samples())
    mark = Mark.of(sample, MarkKind.GOLD_WRONG, "saved")
    file = folder / "saved.jsonl"
    file.write_text(f"{mark.to_json()}\n\n", encoding="utf-8")
    assert [*read_marks(file)] == [mark]
    done = succeed("audit", "rows.jsonl", "--marked", "saved.jsonl", cwd=folder)
    assert "marked-wrong" in done.stdout
    with file.open("a", encoding="utf-8") as stream:
        stream.write('{"split": "x", "row": "one"}\n')
    with pytest.raises(DataError, match=r"saved\.jsonl, line 3: no mark: .*correct or delete"):
        [*read_marks(file)]
    file.write_text(mark.to_json().replace('"row": 0', '"row": 99'), encoding="utf-8")
    data = open_dataset(folder / "rows.jsonl")
    with pytest.raises(
        DataError, match=r"row 99, question 0 of .* is marked, but not in these data"
    ):
        flag_marked_golds(audit(data, None), data, [file])


def test_a_broken_line_in_a_run_hides_no_other(folder: Path) -> None:
    run = Run(folder / "run")
    run.store.append_mark(Mark.of(next(run.samples()), MarkKind.GOLD_WRONG))
    with (folder / "run" / "marks.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"torn": ')
    run.store.append_mark(Mark.of(next(run.samples()), MarkKind.VERDICT_WRONG))
    assert {mark.mark for mark in Run(folder / "run").store.marks()} == {*MarkKind}


def test_without_marks_the_report_says_so_if_asked(folder: Path) -> None:
    said = succeed("report", "run", "--marks", cwd=folder).stdout
    assert "Nobody has marked a gold or a verdict as wrong." in " ".join(said.split())
    assert "marked" not in succeed("report", "run", cwd=folder).stdout


def test_the_last_mark_of_a_kind_counts(folder: Path) -> None:
    sample = next(Run(folder / "run").samples())
    marks = [Mark.of(sample, MarkKind.GOLD_WRONG, note) for note in ("first", "second")]
    assert [mark.note for mark in latest_marks(marks)] == ["second"]
    taken_back = Mark.of(sample, MarkKind.GOLD_WRONG, withdrawn=True)
    assert latest_marks([*marks, taken_back]) == []
