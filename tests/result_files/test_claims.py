"""What a file claims beside what its own answers say, and where its answers are matched."""

import json
from pathlib import Path
from typing import Any

import pytest

from mabench.errors import DataError, UsageError
from mabench.results import Run, score_files
from tests.command_line import mabench, succeed
from tests.result_files import made
from tests.result_files.made import Outcome, write

_TWO = [Outcome("Arden", True), Outcome("Bree", False)]


def _remarks(path: Path, **options: Any) -> dict[str, int]:
    [summary] = score_files([path], **options)
    return {remark.name: remark.count for remark in summary.check.remarks}


def test_a_file_without_faults_has_no_remark(tmp_path: Path) -> None:
    assert _remarks(write(tmp_path / "made.json", made.mem0(_TWO))) == {}


def test_a_figure_that_is_not_the_mean_of_its_parts_is_remarked_on(tmp_path: Path) -> None:
    content = made.exia(_TWO)
    content["overall_accuracy"] = 0.51
    assert _remarks(write(tmp_path / "made.json", content)) == {"figure-not-of-its-parts": 1}
    content["overall_accuracy"] = 0.5003  # Rounded to three places.
    assert _remarks(write(tmp_path / "made.json", content)) == {}


def test_questions_that_a_file_states_and_does_not_hold_are_remarked_on(tmp_path: Path) -> None:
    content = made.omb(_TWO)
    content["total_queries"] = 10
    assert _remarks(write(tmp_path / "made.json", content)) == {"questions-left-out": 8}


def test_passed_refusals_are_counted_and_the_figure_without_them_is_said(tmp_path: Path) -> None:
    outcomes = [*_TWO, Outcome("Unknown", True), Outcome("I don't know.", True)]
    [summary] = score_files([write(tmp_path / "made.json", made.evermemos(outcomes))])
    [remark] = summary.check.remarks
    assert (remark.name, remark.count) == ("refusals-passed", 2)
    assert "Counted as wrong: 25.0." in remark.text
    # To a question that cannot be answered, the same is right.
    content = made.evermemos(outcomes)
    for one in content["detailed_results"]["locomo_exp_user_0"]:
        one["category"] = "5"
    assert "refusals-passed" not in _remarks(write(tmp_path / "made.json", content))


def test_a_verdict_that_its_own_words_contradict_is_remarked_on(tmp_path: Path) -> None:
    content = made.memorybench(_TWO)
    content["evaluations"][1]["label"] = "correct"
    assert _remarks(write(tmp_path / "made.json", content)) == {"verdict-contradicts-reply": 1}
    content = made.omb(_TWO)
    content["results"][0]["judge_reason"] = "INCORRECT: the answer names another town."
    assert _remarks(write(tmp_path / "made.json", content)) == {"verdict-contradicts-reply": 1}
    # Words that state both verdicts contradict neither.
    content["results"][0]["judge_reason"] = "It would be WRONG for Bree, and is CORRECT for Arden."
    assert _remarks(write(tmp_path / "made.json", content)) == {}


def test_a_passed_answer_without_a_gold_is_remarked_on(tmp_path: Path) -> None:
    content = made.evermemos(_TWO)
    content["detailed_results"]["locomo_exp_user_0"][0]["golden_answer"] = ""
    assert _remarks(write(tmp_path / "made.json", content)) == {"empty-golds-passed": 1}


def test_a_figure_without_answers_is_listed_as_such(tmp_path: Path) -> None:
    content = made.mem0(_TWO)
    overall = {"overall": {"total": 2, "accuracy": 90.0}}
    content["metrics_by_cutoff"]["top_10"] = overall
    with_answers, without = score_files([write(tmp_path / "made.json", content)])
    assert with_answers.check.remarks == ()
    assert without.check.claims[0].recomputed is None
    assert [remark.name for remark in without.check.remarks] == ["figure-without-answers"]


def _locomo_data(folder: Path, golds: list[str]) -> Path:
    """Write a conversation of LoCoMo with the questions that the made-up files answer."""
    questions = [
        {
            "question": f"Which town does person {number} live in?",
            "answer": gold,
            "category": 4,
            "evidence": ["D1:1"],
        }
        for number, gold in enumerate(golds)
    ]
    turn = {"speaker": "Ama", "dia_id": "D1:1", "text": "I moved to Arden in May."}
    conversation = {
        "speaker_a": "Ama",
        "speaker_b": "Ben",
        "session_1": [turn],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
    }
    sample = {"sample_id": "conv-99", "conversation": conversation, "qa": questions}
    return write(folder / "locomo10.json", [sample])


@pytest.mark.parametrize("layout", [made.evermemos, made.mem0, made.exia, made.locomo])
def test_answers_are_matched_to_the_data_by_number_or_id(layout: Any, tmp_path: Path) -> None:
    data = _locomo_data(tmp_path, ["Arden", "Bree", "Cove"])
    path = write(tmp_path / "made.json", layout(_TWO))
    [summary] = score_files([path], str(data))
    source = summary.sources["locomo"]
    assert (source.n, source.missing) == (3, 1)
    assert len(summary.predictions.missing) == 1
    # Question 1 has another gold in the file.
    assert [remark.name for remark in summary.check.remarks] == ["golds-differ"]
    assert summary.check.corrected_low == pytest.approx(200 / 3)
    [answered] = score_files([path], str(data), answered_only=True)
    assert answered.sources["locomo"].n == 2


def test_a_place_that_holds_another_question_is_no_match(tmp_path: Path) -> None:
    data = _locomo_data(tmp_path, ["Arden", "Bree"])
    content = made.evermemos(_TWO)
    first, second = content["detailed_results"]["locomo_exp_user_0"]
    first["question_id"], second["question_id"] = second["question_id"], first["question_id"]
    [summary] = score_files([write(tmp_path / "made.json", content)], str(data))
    # They are matched by their texts.
    assert [one.official for one in summary.sources.values()] == [100.0]


def test_a_file_of_other_data_is_refused(tmp_path: Path) -> None:
    data = _locomo_data(tmp_path, ["Cove", "Dale"])
    path = write(tmp_path / "made.json", made.evermemos(_TWO))
    with pytest.raises(DataError, match=r"2 of 2 predictions have other golds"):
        score_files([path], str(data))


def test_several_runs_of_a_file_become_folders_that_commands_take(tmp_path: Path) -> None:
    content = made.mem0(_TWO)
    content["metrics_by_cutoff"]["top_10"] = content["metrics_by_cutoff"]["top_50"]
    for one in content["evaluations"]:
        one["cutoff_results"]["top_10"] = one["cutoff_results"]["top_50"]
    path = write(tmp_path / "report.json", content)
    score_files([path], out=tmp_path / "runs")
    folders = sorted((tmp_path / "runs").iterdir())
    assert [folder.name for folder in folders] == ["1 top_50", "2 top_10"]
    assert len([*Run(folders[0]).samples()]) == 2
    succeed("compare", *map(str, folders), cwd=tmp_path)
    succeed("show", str(folders[0]), "--row", "0", "--question", "0", cwd=tmp_path)
    with pytest.raises(UsageError, match="holds a run"):
        score_files([path], out=tmp_path / "runs")


def test_the_report_says_first_what_is_claimed_and_what_comes_out(tmp_path: Path) -> None:
    write(tmp_path / "made.json", made.exia([*_TWO, Outcome("Unknown", True)]))
    said = succeed("score", "made.json", cwd=tmp_path).stdout
    first = said.splitlines()[0]
    assert first == (
        "made.json, Ghost states 66.7; its own outcomes of 3 answers give 66.7; the corrected "
        "score is 33.3"
    )
    assert "Golds are the file's own. Evidence: not looked at." in said
    done = json.loads(succeed("score", "made.json", "--format", "json", cwd=tmp_path).stdout)
    assert done["check"]["claims"][0]["claimed"] == pytest.approx(66.6666666667)


def test_the_layout_can_be_named_and_other_kinds_of_files_name_their_command(
    tmp_path: Path,
) -> None:
    write(tmp_path / "made.json", made.evermemos(_TWO))
    succeed("score", "made.json", "--layout", "evermemos", cwd=tmp_path)
    wrong = mabench("score", "made.json", "--layout", "evermems", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "no result format named 'evermems': did you mean evermemos?" in wrong.stderr
    _locomo_data(tmp_path, ["Arden"])
    other = mabench("score", "locomo10.json", cwd=tmp_path)
    assert other.returncode == 2
    assert (
        "looks like data of a benchmark (locomo); use `mabench data import locomo" in other.stderr
    )
