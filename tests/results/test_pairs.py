"""Verdicts by hand on the answers of two runs: drawn where the judge differs, blind, weighted."""

import csv
import json
from pathlib import Path

import pytest

from mabench.errors import UsageError
from mabench.results import (
    DrawnAnswer,
    HandVerdict,
    Run,
    draw_answers,
    draw_pairs,
    estimate_differences,
    estimate_shares,
    open_for_judging,
    score_files,
    store_verdict,
)
from tests.command_line import mabench, succeed
from tests.result_files import made
from tests.result_files.made import Outcome, write

_ANSWERS = 400
_SAME = "Arden it is"


def _passes(run: str, number: int) -> bool:
    """Return what the judge says: the runs differ on a tenth, mostly in favour of a."""
    if number % 10 == 0:
        return (run == "a") == (number % 30 != 0)
    return number % 2 == 0


def _is_right(answer: str) -> bool:
    """Return what the person says: of a's answers that the judge passes, some are wrong."""
    if answer == _SAME:
        return False
    run, number = answer.split()[0], int(answer.split()[1])
    return _passes(run, number) and not (run == "a" and number % 20 == 0)


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    for run in ("a", "b"):
        outcomes = [
            Outcome(_SAME if number % 7 == 1 else f"{run} {number}", _passes(run, number))
            for number in range(_ANSWERS)
        ]
        file = write(tmp_path / f"{run}.json", made.evermemos(outcomes))
        score_files([file], out=tmp_path / run)
    return tmp_path / "a", tmp_path / "b"


def _draw(runs: tuple[Path, Path], count: int, name: str = "ann") -> list[DrawnAnswer]:
    one, other = map(open_for_judging, runs)
    return draw_pairs(one, other, count, name)


def _judge(drawn: list[DrawnAnswer]) -> None:
    for one in drawn:
        right = _is_right(one.sample.prediction or "")
        store_verdict(one, "ann", HandVerdict.RIGHT if right else HandVerdict.WRONG)


def test_most_are_drawn_where_the_judge_differs_and_nobody_sees_whose_they_are(
    runs: tuple[Path, Path],
) -> None:
    drawn = _draw(runs, 40)
    questions = {one.sample.key: [] for one in drawn}  # type: ignore[var-annotated]
    for one in drawn:
        questions[one.sample.key].append(one)
    assert len(questions) == 40
    differing = [key for key in questions if _passes("a", key[2]) != _passes("b", key[2])]
    assert len(differing) == 30
    firsts = [answers[0].folders[0].path.name for answers in questions.values()]
    assert 8 < firsts.count("a") < 32
    for (_, _, number), answers in questions.items():
        is_same = number % 7 == 1
        assert len(answers) == (1 if is_same else 2)
        assert {folder.path.name for one in answers for folder in one.folders} == {"a", "b"}
    larger = {one.sample.key for one in _draw(runs, 60)}
    assert questions.keys() <= larger
    assert len(_draw(runs, 10_000)) < 2 * _ANSWERS


def test_the_estimate_follows_the_person_and_weights_the_parts(runs: tuple[Path, Path]) -> None:
    assert estimate_differences(*map(Run, runs)) == []
    _judge(_draw(runs, 60))
    truth = sum(
        _is_right(f"a {number}") - _is_right(f"b {number}")
        for number in range(_ANSWERS)
        if number % 7 != 1
    )
    by_judge = sum(_passes("a", number) - _passes("b", number) for number in range(_ANSWERS))
    found = estimate_differences(*map(Run, runs))
    drawn_by = _draw(runs, 60)[0].drawn_by
    assert [one.judge for one in found] == [drawn_by]  # For no other was it drawn.
    (one,) = found
    assert one.judged == pytest.approx(100 * by_judge / _ANSWERS)
    assert (one.pairs, one.differ, one.verdicts) == (_ANSWERS, 40, 60)
    assert one.these[0] <= 100 * truth / _ANSWERS <= one.these[1]
    assert one.estimate < one.judged / 2
    assert one.new is None
    (back,) = estimate_differences(Run(runs[1]), Run(runs[0]))
    assert back.estimate == pytest.approx(-one.estimate)
    # A sample of one run's own estimate would be of the parts where the judge differs.
    assert estimate_shares(Run(runs[0])) == []
    assert all(one.verdict is None for one in draw_answers(open_for_judging(runs[0]), 400, "ann"))


def test_it_resumes_and_takes_verdicts_that_were_given_before(runs: tuple[Path, Path]) -> None:
    drawn = _draw(runs, 20)
    _judge(drawn[:9])
    again = _draw(runs, 20)
    assert [one.sample for one in again] == [one.sample for one in drawn]
    assert [one.verdict is not None for one in again] == [True] * 9 + [False] * (len(drawn) - 9)
    for one in draw_answers(open_for_judging(runs[0]), 400, "bob"):
        store_verdict(one, "bob", HandVerdict.RIGHT)
    own = [one for one in _draw(runs, 20, "bob") if one.folders[0].path == runs[0]]
    assert all(one.verdict is HandVerdict.RIGHT for one in own if len(one.folders) == 1)


def test_the_command_takes_two_runs_by_sheet_and_reports(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    words = ("judge", "a", "b", "--by-hand", "40", "--name", "ann", "--sheet", "s.csv")
    succeed(*words, cwd=tmp_path)
    with (tmp_path / "s.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["verdict"] = "right" if _is_right(row["answer"]) else "wrong"
    with (tmp_path / "s.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    assert " 0 left" in succeed(*words, cwd=tmp_path).stdout
    compared = ("judge", "a", "b", "--compare")
    (found,) = json.loads(succeed(*compared, "--format", "json", cwd=tmp_path).stdout)
    assert found["verdicts"] == 40
    assert "points from the second; by verdicts of ann on 40 pairs" in " ".join(
        succeed(*compared, cwd=tmp_path).stdout.split()
    )
    for wrong in (("a", "b"), ("a", "b", "a", "--compare"), ("a", "b", "--estimate")):
        assert mabench("judge", *wrong, cwd=tmp_path).returncode == 2


def test_without_a_judge_of_both_nothing_is_drawn(runs: tuple[Path, Path]) -> None:
    (runs[1] / "judgments.jsonl").unlink()
    with pytest.raises(UsageError, match="let one judge both first"):
        _draw(runs, 10)
