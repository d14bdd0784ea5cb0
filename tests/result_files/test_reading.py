"""Every layout: recognized, read back as it was written, and refused with the place of a fault."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.errors import DataError, UsageError
from mabench.formats import (
    FormatKind,
    GivenRun,
    Glimpse,
    ResultFormat,
    installed_formats,
    recognize,
)
from mabench.results import score_files
from tests.result_files import made
from tests.result_files.made import LAYOUTS, Outcome, write

_ANSWERS = st.text(min_size=1, max_size=20).filter(str.strip)
_OUTCOMES = st.lists(st.builds(Outcome, _ANSWERS, st.booleans()), min_size=1, max_size=5)
_THREE = [Outcome("She lives in Arden.", True), Outcome("Bree", False), Outcome("Arden", True)]


def _read(path: Path) -> list[GivenRun]:
    found = recognize(Glimpse(path), FormatKind.RESULTS)
    assert found is not None
    assert isinstance(found.format, ResultFormat)
    return [*found.format.read(path)]


@pytest.mark.parametrize("layout", LAYOUTS)
@given(outcomes=_OUTCOMES)
def test_a_file_is_recognized_and_read_as_it_was_written(
    layout: str, outcomes: list[Outcome], tmp_path_factory: pytest.TempPathFactory
) -> None:
    name, make, is_lines = LAYOUTS[layout]
    path = write(tmp_path_factory.mktemp("made") / "made.json", make(outcomes), is_lines=is_lines)
    found = recognize(Glimpse(path))
    assert found is not None
    assert found.name == name
    [run] = _read(path)
    assert [one.text for one in run.answers] == [one.answer for one in outcomes]
    assert [one.counted for one in run.answers] == [float(one.is_passed) for one in outcomes]
    for claim in run.claims:
        assert claim.value == pytest.approx(sum(one.is_passed for one in outcomes) / len(outcomes))
        assert claim.questions == len(outcomes)


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "longmemeval"])
def test_a_file_with_golds_is_scored_by_them(layout: str, tmp_path: Path) -> None:
    _, make, is_lines = LAYOUTS[layout]
    path = write(tmp_path / "made.json", make(_THREE), is_lines=is_lines)
    [summary] = score_files([path])
    assert summary.golds_of_file
    assert summary.check.answers == 3
    assert summary.check.failed == 0
    assert summary.check.remarks == ()
    for claim in summary.check.claims:
        assert claim.recomputed == pytest.approx(200 / 3)
        assert claim.holds
    if layout != "exia, one conversation":  # Its golds are years.
        assert summary.check.corrected_low == pytest.approx(200 / 3)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_value_of_another_type_is_named_by_file_and_field(layout: str, tmp_path: Path) -> None:
    """Each answer is a list: no field that is read may be one unseen."""
    _, make, is_lines = LAYOUTS[layout]
    text = json.dumps(make([Outcome("ANSWER", True)])).replace('"ANSWER"', "[1]")
    path = write(tmp_path / "made.json", json.loads(text), is_lines=is_lines)
    with pytest.raises(DataError, match=r"made\.json, .*: found \[1\], expected a text"):
        _read(path)


@pytest.mark.parametrize("layout", [name for name, made_of in LAYOUTS.items() if not made_of[2]])
def test_a_file_that_is_cut_is_no_result_file(layout: str, tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_text(json.dumps(LAYOUTS[layout][1](_THREE))[:-2], encoding="utf-8")
    with pytest.raises((DataError, UsageError), match=r"made\.json"):
        score_files([path])


def test_half_a_line_is_named_and_nothing_is_scored(tmp_path: Path) -> None:
    path = write(tmp_path / "made.jsonl", made.nous(_THREE), is_lines=True)
    path.write_text(path.read_text("utf-8")[:-10], encoding="utf-8")
    with pytest.raises(DataError, match=r"made\.jsonl, line 3: not JSON"):
        score_files([path])


def test_nan_is_named_where_it_is_needed_and_ignored_elsewhere(tmp_path: Path) -> None:
    content = made.evermemos(_THREE)
    content["metadata"]["std_accuracy"] = float("nan")
    [summary] = score_files([write(tmp_path / "ignored.json", content)])
    assert summary.check.claims[0].holds
    content["accuracy"] = float("nan")
    path = write(tmp_path / "needed.json", content)
    with pytest.raises(DataError, match=r"needed\.json, accuracy: found nan, expected a number"):
        score_files([path])


def test_a_compressed_file_is_read_and_a_cut_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "made.json.gz"
    packed = gzip.compress(json.dumps(made.omb(_THREE)).encode())
    path.write_bytes(packed)
    [run] = _read(path)
    assert len(run.answers) == 3
    path.write_bytes(packed[:-9])
    with pytest.raises((DataError, UsageError), match=r"made\.json\.gz"):
        score_files([path])


def test_the_fields_of_a_file_may_come_in_any_order(tmp_path: Path) -> None:
    content = dict(reversed(made.memorybench(_THREE).items()))
    content["evaluations"] = [dict(reversed(one.items())) for one in content["evaluations"]]
    [run] = _read(write(tmp_path / "made.json", content))
    assert [one.counted for one in run.answers] == [1.0, 0.0, 1.0]


def test_an_answer_to_the_same_question_counts_once(tmp_path: Path) -> None:
    content = made.mem0([*_THREE, Outcome("Bree", False)])
    content["evaluations"][3]["question_id"] = "conv0_q0"
    [summary] = score_files([write(tmp_path / "made.json", content)])
    assert len(summary.predictions.duplicate) == 1
    assert summary.sources["locomo"].n == 3


def test_answers_that_failed_are_wrong_and_counted_apart(tmp_path: Path) -> None:
    content = made.evermemos(_THREE)
    conversation = content["detailed_results"]["locomo_exp_user_0"]
    conversation[0]["generated_answer"] = "Error: Failed to generate answer"
    [summary] = score_files([write(tmp_path / "made.json", content)])
    assert (summary.check.failed, summary.sources["locomo"].errors) == (1, 1)
    assert summary.check.corrected_high == pytest.approx(100 / 3)


def _checkpoint(outcomes: list[Outcome]) -> dict[str, Any]:
    """Return a checkpoint of memorybench whose last question failed while searching."""
    report = made.memorybench(outcomes)
    questions = {}
    for one in report.pop("evaluations"):
        done = {"status": "completed"}
        answer = {**done, "hypothesis": one["hypothesis"]}
        verdict = {**done, "score": one["score"], "label": one["label"], "explanation": "same"}
        phases = {"search": done, "answer": answer, "evaluate": verdict}
        fields = {name: one[name] for name in ("questionId", "question", "groundTruth")}
        fields["questionType"] = one["questionType"]
        questions[one["questionId"]] = {**fields, "phases": phases}
    last = [*questions.values()][-1]["phases"]
    last["search"] = {"status": "failed", "error": "timeout"}
    last["answer"] = last["evaluate"] = {"status": "pending"}
    report.pop("summary")
    return {**report, "dataSourceRunId": "r1", "questions": questions}


def test_a_checkpoint_keeps_the_questions_that_its_report_leaves_out(tmp_path: Path) -> None:
    [summary] = score_files([write(tmp_path / "checkpoint.json", _checkpoint(_THREE))])
    assert (summary.check.answers, summary.check.failed, summary.check.uncounted) == (3, 1, 1)
    assert summary.sources["locomo"].n == 3


def test_verdicts_of_another_file_join_the_answers_of_their_run(tmp_path: Path) -> None:
    report = write(tmp_path / "report.json", made.lobu(_THREE))
    passed = [Outcome("", True), Outcome("", True), Outcome("", False), Outcome("", True)]
    verdicts = write(tmp_path / "judge.json", made.lobu_verdicts(passed))
    [summary] = score_files([report, verdicts])
    [judge] = summary.sources["longmemeval"].judges
    assert judge.model == "judge-2"
    assert summary.sources["longmemeval"].official == pytest.approx(200 / 3)
    [remark] = summary.check.remarks
    assert (remark.name, remark.count) == ("verdicts-unmatched", 1)
    with pytest.raises(DataError, match=r"judge\.json: no answers in it"):
        score_files([verdicts])


def test_every_format_says_how_it_identifies_fails_and_judges() -> None:
    for name, each in installed_formats(FormatKind.RESULTS).items():
        assert isinstance(each, ResultFormat), name
        assert all((each.harness, each.published, each.identity, each.failed, each.verdicts)), name
