"""A person's verdicts: drawn blind and at random, stored as a judge's, undone and resumed."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from mabench.errors import DataError
from mabench.results import (
    HandVerdict,
    Mark,
    MarkKind,
    Run,
    count_marked,
    draw_answers,
    estimate_shares,
    marks_on,
    open_for_judging,
    read_sheet,
    score_files,
    store_verdict,
    write_sheet,
)
from tests.command_line import mabench, succeed
from tests.result_files import made
from tests.result_files.made import Outcome, write


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a run of 100 judged answers, of which the judge passes every second."""
    outcomes = [Outcome(f"=Town {number}", number % 2 == 0) for number in range(100)]
    score_files([write(tmp_path / "made.json", made.evermemos(outcomes))], out=tmp_path / "run")
    return tmp_path / "run"


def _numbers(run: Path, count: int, **options: Any) -> list[int]:
    drawn = draw_answers(open_for_judging(run), count, "ann", **options)
    return [one.sample.question_index for one in drawn]


def test_a_larger_sample_begins_with_the_smaller_one_and_seeds_draw_others(run: Path) -> None:
    assert _numbers(run, 40)[:10] == _numbers(run, 10)
    assert len(set(_numbers(run, 500))) == 100
    assert _numbers(run, 20) != sorted(_numbers(run, 20))
    assert _numbers(run, 20, seed=1) != _numbers(run, 20)


def test_the_latest_verdict_counts_and_a_person_decides_no_score(run: Path) -> None:
    before = Run(run).summary.sources["locomo"].corrected
    folder = open_for_judging(run)
    first = draw_answers(folder, 5, "ann")[0]
    for verdict in (HandVerdict.RIGHT, HandVerdict.CANNOT_TELL, HandVerdict.HALF):
        store_verdict(first, "ann", verdict)
    assert draw_answers(folder, 5, "ann")[0].verdict is HandVerdict.HALF
    assert draw_answers(folder, 5, "bob")[0].verdict is None
    assert Run(run).summary.sources["locomo"].corrected == before


def test_the_estimate_follows_the_person_and_not_the_judge(run: Path) -> None:
    folder = open_for_judging(run)
    assert estimate_shares(Run(run)) == []
    for one in draw_answers(folder, 70, "ann"):
        store_verdict(one, "ann", HandVerdict.WRONG)
    for share in estimate_shares(Run(run)):
        assert share.judged == pytest.approx(50)
        assert share.estimate == pytest.approx(0, abs=1e-9)
        assert share.these[0] <= 0 <= share.these[1]
        assert share.new is None  # All answers are about one history.
        assert share.wrong == 70
        assert 0 < share.passed_wrong < 70


def test_a_sheet_is_written_filled_and_read(run: Path, tmp_path: Path) -> None:
    drawn = draw_answers(open_for_judging(run), 10, "ann")
    sheet = tmp_path / "sheet.csv"
    write_sheet(drawn, sheet)
    rows = list(csv.DictReader(sheet.open(encoding="utf-8")))
    # Nothing that a spreadsheet would compute.
    assert all(row["answer"].startswith("'=Town") for row in rows)
    assert not {"official", "corrected", "score"} & rows[0].keys()
    for row, verdict in zip(rows, ["right", "Half ", "wrong", "cannot tell"], strict=False):
        row["verdict"] = verdict
    _fill(sheet, rows)
    assert [*read_sheet(drawn, sheet).values()] == [*HandVerdict]
    rows[5]["verdict"] = "rigth"
    _fill(sheet, rows)
    with pytest.raises(DataError, match=r"sheet\.csv, row 7, verdict: no verdict 'rigth': did you"):
        read_sheet(drawn, sheet)
    rows[5]["verdict"], rows[4]["question"] = "", "Another?"
    _fill(sheet, rows)
    with pytest.raises(DataError, match=r"sheet\.csv, row 6: not an answer of this sample"):
        read_sheet(drawn, sheet)


def _fill(sheet: Path, rows: list[dict[str, str]]) -> None:
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def test_the_commands_write_and_read_a_sheet_and_compare(run: Path, tmp_path: Path) -> None:
    options = ("judge", "run", "--by-hand", "20", "--name", "ann", "--sheet", "sheet.csv")
    succeed(*options, cwd=tmp_path)
    rows = list(csv.DictReader((tmp_path / "sheet.csv").open(encoding="utf-8")))
    for number, row in enumerate(rows):
        row["verdict"] = "right" if number % 4 else "wrong"
    _fill(tmp_path / "sheet.csv", rows)
    said = succeed(*options, cwd=tmp_path).stdout
    assert said == "20 verdicts of ann stored, 20 drawn, 0 left.\n"
    done = json.loads(succeed("judge", "run", "--compare", "--format", "json", cwd=tmp_path).stdout)
    assert [share["verdicts"] for share in done["shares"]] == [20, 20]
    assert done["agreements"]
    for wrong in (("--by-hand", "20"), ("--name", "ann"), ("--by-hand", "0", "--name", "ann")):
        assert mabench("judge", "run", *wrong, cwd=tmp_path).returncode == 2


def test_keys_give_verdicts_undo_and_stop_and_the_same_command_goes_on(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from mabench.cli.by_hand import judge_by_hand

    keys = iter("rxwuhq")
    monkeypatch.setattr("typer.getchar", lambda: next(keys))
    judge_by_hand([run], 10, "ann", None)
    folder = open_for_judging(run)
    verdicts = [one.verdict for one in draw_answers(folder, 10, "ann")]
    assert verdicts[:3] == [HandVerdict.RIGHT, HandVerdict.HALF, None]
    said = capsys.readouterr().out
    assert "ann: 2 of 10 answers judged" in said
    assert "official" not in said.lower()
    keys = iter("cccccccc")
    judge_by_hand([run], 10, "ann", None)
    assert "3 of 10" in capsys.readouterr().out
    assert all(one.verdict for one in draw_answers(folder, 10, "ann"))


def _mark_first_two(run: Path) -> None:
    """Mark the gold of the first answer that is drawn, and the verdict on the second."""
    folder = open_for_judging(run)
    first, second = draw_answers(folder, 2, "ann")
    folder.append_mark(Mark.of(first.sample, MarkKind.GOLD_WRONG, "=a town that is gone"))
    folder.append_mark(Mark.of(second.sample, MarkKind.VERDICT_WRONG, "it is right"))


def test_marked_golds_are_shown_and_marks_of_verdicts_tell_no_score(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from mabench.cli.by_hand import judge_by_hand

    _mark_first_two(run)
    day = Run(run).store.marks()[0].date or ""
    keys = iter("rqrr")
    monkeypatch.setattr("typer.getchar", lambda: next(keys))
    judge_by_hand([run], 3, "ann", None)
    said = capsys.readouterr().out
    assert f"Somebody says: the gold is wrong ({day[:10]}): =a town that is gone\n" in said
    assert said.count("Somebody says") == 1
    assert "it is right" not in said
    assert "with marks" not in said.lower()
    judge_by_hand([run], 3, "ann", None)
    assert "Answers with marks that people made: 2." in capsys.readouterr().out
    (counted,) = count_marked(open_for_judging(run))
    assert counted == ("ann", 3, 1, 1)
    judge_by_hand([run], 10, "bob", tmp_path / "sheet.csv")
    rows = list(csv.DictReader((tmp_path / "sheet.csv").open(encoding="utf-8")))
    assert rows[0]["said of golds"].endswith(": =a town that is gone")
    assert {row["said of golds"] for row in rows[1:]} == {""}


def test_saved_marks_are_read_too_and_those_of_other_data_are_refused(
    run: Path, tmp_path: Path
) -> None:
    _mark_first_two(run)
    folder = open_for_judging(run)
    saved = tmp_path / "saved.jsonl"
    (run / "marks.jsonl").rename(saved)
    drawn = draw_answers(folder, 5, "ann")
    assert marks_on(drawn) == {}
    assert [*marks_on(drawn, [saved])] == [1, 2]
    saved.write_text(saved.read_text("utf-8").replace('"locomo"', '"beam"'), "utf-8")
    with pytest.raises(DataError, match=r"saved\.jsonl: row 0, question \d+ is marked as one of"):
        marks_on(drawn, [saved])


def test_a_comparison_of_judges_says_how_many_judged_answers_are_marked(
    run: Path, tmp_path: Path
) -> None:
    folder = open_for_judging(run)
    for one in draw_answers(folder, 20, "ann"):
        store_verdict(one, "ann", HandVerdict.RIGHT)
    printed = succeed("judge", "run", "--compare", cwd=tmp_path).stdout
    assert "marked" not in printed
    _mark_first_two(run)
    printed = " ".join(succeed("judge", "run", "--compare", cwd=tmp_path).stdout.split())
    assert "ann judged, people marked the gold of 1 and the verdict on 1 as wrong." in printed
    refused = mabench("judge", "run", "--marked", "run", "--model", "openai/none", cwd=tmp_path)
    assert refused.returncode == 2
    assert "--marked are for --by-hand" in refused.stderr
