"""What a judge passes by kind: planted errors are found, kept, required, and resumed."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data import Metadata, Turn
from mabench.errors import DataError, UsageError
from mabench.models import ModelSpec, RetryPolicy
from mabench.reports.run_report import show
from mabench.reports.verdicts.calibrations import calibration_report
from mabench.results import (
    AnswerKind,
    Calibration,
    JudgingStoppedError,
    Requirement,
    Run,
    calibrate,
    estimate_calibration,
    judge,
    make_up,
    try_reader,
)
from mabench.specs import JudgeSpec
from tests.command_line import mabench as command
from tests.models.server import Fault, Served, serving
from tests.rows import row, write_rows
from tests.runs.agents import Oslo

pytestmark = pytest.mark.usefixtures("key_and_cache")

_QUICK = RetryPolicy(attempts=2, first=0.01, longest=0.05, timeout=2.0)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mabench.specs.ModelSpec.retry", _QUICK)


_FAMILIES = ("longmemeval", "locomo", "beam", "unclear")
_QUESTIONS = 30
# How often the judge passes an answer of a kind.
_PLANTED = {
    AnswerKind.RIGHT: 0.97,
    AnswerKind.OTHER_WORDS: 0.9,
    AnswerKind.LONG_FIRST: 0.75,
    AnswerKind.LONG_LAST: 0.5,
    AnswerKind.HALF: 0.4,
    AnswerKind.SPECIFIC: 0.1,
    AnswerKind.VAGUE: 0.63,
    AnswerKind.OLDER: 0.3,
    AnswerKind.HEDGED: 0.35,
    AnswerKind.BOTH: 0.25,
    AnswerKind.INSTRUCTION: 0.15,
}


def _planted(kind: AnswerKind) -> float:
    return _PLANTED.get(kind, 1.0 if kind.is_right else 0.02)


def _judge_with_errors(questions: int) -> Callable[[str], str]:
    """Return a judge that passes answers of each kind as often as is planted."""
    kinds = {
        answer.case.question: answer.kind
        for family in _FAMILIES
        for answer in make_up(family, 0, questions)
    }
    assert len(kinds) > 14 * questions * len(_FAMILIES)  # No question is asked twice.

    def reply(prompt: str) -> str:
        kind = next(kinds[line] for line in _questions_in(prompt) if line in kinds)
        drawn = int(hashlib.sha256(prompt.encode()).hexdigest()[:8], 16) / 2**32
        # Of a pair, a rubric has two lines, both of which an answer must meet.
        is_line, is_pair = '{"score": 1}' in prompt, "two villages" in prompt
        passes = drawn < _planted(kind) ** (0.5 if is_line and is_pair else 1)
        words = ('{"score": 1}', '{"score": 0}') if is_line else ("yes", "no")
        return words[0] if passes else words[1]

    return reply


def _questions_in(prompt: str) -> list[str]:
    return [line.removeprefix("Question: ") for line in prompt.splitlines()]


def _spec(served: Served, **options: Any) -> JudgeSpec:
    return JudgeSpec(model=ModelSpec("m", base_url=served.url, requests_in_flight=8), **options)


def test_planted_errors_are_found_within_their_intervals() -> None:
    with serving(_judge_with_errors(_QUESTIONS)) as served:
        found = calibrate(_spec(served), _QUESTIONS)
        asked = sum(served.asked.values())
        # All replies are cached: the same again asks nothing and finds the same.
        assert calibrate(_spec(served), _QUESTIONS) == found
        assert sum(served.asked.values()) == asked == found.requests
        (left, *_) = estimate_calibration(_spec(served), _QUESTIONS)
        assert (left.calls, left.kept) == (0, left.answers)
        served.answer = lambda prompt: "no"
        assert not any(share.passed for share in calibrate(_spec(served), 1, seed=1).shares)
    assert {measured.family for measured in found.families} == {*_FAMILIES}
    assert {share.n for share in found.shares} == {_QUESTIONS}
    within = [
        share.interval.low <= _planted(share.kind) <= share.interval.high for share in found.shares
    ]
    assert len(within) == 2 * 16 + 2 * 14
    assert sum(within) >= len(within) - 5  # One in twenty misses by chance.
    for share in found.shares:
        spread = (_planted(share.kind) * (1 - _planted(share.kind)) / share.n) ** 0.5
        assert share.share == pytest.approx(_planted(share.kind), abs=4 * spread + 0.02)
    long_last = [effect for effect in found.effects() if "at the end" in effect.effect]
    assert all(effect.interval[0] < -25 < effect.interval[1] for effect in long_last)
    assert all(each.asked_twice == each.agreed for each in found.families)
    report = calibration_report(found)
    assert "measured on made-up answers" in report.first[0]
    assert "vague" in report.first[0]


def test_what_a_judge_says_the_second_time_and_what_cannot_be_read_are_counted() -> None:
    said: dict[str, int] = {}

    def waver(prompt: str) -> str:
        said[prompt] = said.get(prompt, 0) + 1
        if "Reply with a JSON object" in prompt:
            return "I would rather not say."
        return "yes" if said[prompt] == 1 else "no"

    with serving(waver) as served:
        found = calibrate(_spec(served), 5)
    agreed = {measured.family: measured.agreed for measured in found.families}
    assert agreed == {"longmemeval": 0, "locomo": 0, "unclear": 0, "beam": 14}
    unread = {share.family for share in found.shares if share.no_verdict}
    assert unread == {"beam"}
    assert all(share.no_verdict == 5 for share in found.shares if share.family == "beam")
    assert "gave no verdict" in " ".join(calibration_report(found).remarks)


def test_it_stops_with_the_server_and_resumes_where_it_was() -> None:
    answer = _judge_with_errors(3)
    with serving(answer) as served:
        served.fault = lambda call: Fault("401") if call > 40 else None
        with pytest.raises(JudgingStoppedError, match="HTTP 401"):
            calibrate(_spec(served), 3)
        before = sum(served.paid.values())
        served.fault = lambda call: None
        found = calibrate(_spec(served), 3)
        assert 0 < before < found.requests == sum(served.paid.values())


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a run of ten questions about chats."""
    pairs = [(f"Question {i}?", [f"gold {i}"]) for i in range(10)]
    source, turn = "longmemeval_s*", Turn(role="user", content="I have a cat.", has_answer=True)
    known = Metadata(
        source=source,
        question_ids=[f"q{i}" for i in range(10)],
        question_types=["single-session-user"] * 10,
        haystack_sessions=[[[turn]]] * 10,
    )
    data = row(source, "['Chat Time: 2023/01/01 (Sun) 10:00', []]", pairs)
    data = data.model_copy(update={"metadata": known})
    write_rows(tmp_path / "rows.jsonl", [data])
    return mabench.run(Oslo, str(tmp_path / "rows.jsonl"), out=tmp_path / "run")


def test_a_judge_is_refused_by_its_calibration_or_reported_with_it(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = _judge_with_errors(20)
    own = lambda prompt: answer(prompt) if "Question " not in prompt else "yes"  # noqa: E731
    with serving(own) as served:
        found = calibrate(_spec(served), 20)
        file = tmp_path / "m.json"
        found.write(file)
        kept = Calibration.read(file)
        assert kept == found

        def refuse(least: float | None, spec: JudgeSpec, match: str) -> None:
            with pytest.raises(UsageError, match=match):
                judge(run.folder, spec, requirement=Requirement(file, kept, least))
            assert not (run.folder / "judgments.jsonl").exists()

        refuse(0.95, _spec(served), r"m fails \d+\.\d % .* wrong in this way: vague")
        other = JudgeSpec(model=ModelSpec("n", base_url=served.url))
        refuse(None, other, "measured the judge m, not n")
        prompts = tmp_path / "prompts.toml"
        prompts.write_text('[longmemeval]\njudge = "Is {prediction} right?"\n', encoding="utf-8")
        refuse(None, _spec(served, prompts=prompts), "prompts for longmemeval .* were not measured")
        judged = judge(run.folder, _spec(served), requirement=Requirement(file, kept, 0.1)).run
    show(judged, "table", _console())
    said = capsys.readouterr().out
    assert "measured on made-up answers" in " ".join(said.split())


def _console() -> Any:
    from mabench.cli import console

    return console.output()


def test_files_that_are_no_calibration_and_another_reader_are_refused(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "m.json"
    file.write_text('{"model": "m"}', encoding="utf-8")
    with pytest.raises(DataError, match=r"m\.json: no calibration of a judge"):
        Calibration.read(file)
    with serving(_judge_with_errors(1)) as served:
        calibrate(_spec(served), 1).write(file)
        content = json.loads(file.read_text(encoding="utf-8"))
        content["shares"][0]["passed"] = 7
        file.write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(DataError, match="7 of 1 passed cannot be"):
            Calibration.read(file)
        content["shares"][0]["passed"], content["reader"] = 0, "0" * 64
        file.write_text(json.dumps(content), encoding="utf-8")
        needed = Requirement(file, Calibration.read(file))
        with pytest.raises(UsageError, match="another reader of replies"):
            judge(run.folder, _spec(served), requirement=needed)


def test_the_command_measures_keeps_and_requires(tmp_path: Path) -> None:
    with serving(_judge_with_errors(2)) as served:
        model = ("--model", "openai/m", "--base-url", served.url)
        words = ("judge", "--calibrate", *model, "--questions", "2", "--out", "m.json")
        done = command(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("m passes ")
    assert Calibration.read(tmp_path / "m.json").model == "m"
    for wrong in (
        ("--calibrate", "run"),
        ("run", "--questions", "2"),
        ("run", "--min-specificity", "0.9"),
        ("run", "--calibration", "m.json", "--min-specificity", "90"),
        (),
    ):
        assert command("judge", *wrong, cwd=tmp_path).returncode == 2


def test_the_reader_takes_replies_that_are_easily_misread_as_they_are_meant() -> None:
    assert all(one.read_so == one.n for one in try_reader())
    naive = {one.replies: one for one in try_reader(lambda reply: "CORRECT" in reply.upper())}
    assert naive["INCORRECT"].read_so == 0
    assert naive["Unknown"].read_so == 0


@pytest.mark.parametrize("family", _FAMILIES)
def test_made_up_answers_are_of_their_kind(family: str) -> None:
    answers = list(make_up(family, 3, 12))
    assert answers == list(make_up(family, 3, 12))
    assert {one.case.question for one in answers}.isdisjoint(
        one.case.question for one in make_up(family, 4, 12)
    )
    for kind, _, case in answers:
        (gold,) = case.answers
        holds_gold = all(value in case.prediction for value in gold.split(" and "))
        match kind:
            case AnswerKind.RIGHT | AnswerKind.LONG_FIRST | AnswerKind.LONG_LAST:
                assert holds_gold
            case AnswerKind.HEDGED | AnswerKind.BOTH:
                assert holds_gold
            case AnswerKind.HALF:
                assert case.prediction in gold.split(" and ")
            case AnswerKind.EMPTY:
                assert case.prediction == ""
            case AnswerKind.OTHER_WORDS:
                assert case.prediction != gold
            case AnswerKind.REFUSED_RIGHTLY:
                assert gold != case.prediction
            case _:
                assert gold not in case.prediction
