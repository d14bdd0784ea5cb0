"""Answers of which the corrected score cannot tell: counted, and settled by a judge."""

from pathlib import Path

import pytest

import mabench
from mabench.contract import Query
from mabench.errors import UsageError
from mabench.models import ModelSpec
from mabench.results import Run, judge
from mabench.specs import JudgeSpec
from tests.command_line import mabench as command
from tests.models.server import serving
from tests.rows import row, write_rows
from tests.runs.agents import Oslo

_QA = "ruler_qa1_197K"

pytestmark = pytest.mark.usefixtures("key_and_cache")


class Places(Oslo):
    """Answers with two names, of which one may be the place of the other."""

    def answer(self, query: Query) -> str:
        return "Rome" if "capital" in query.question else "Rome, Bavu"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run with two unclear answers and a right one, over rows in a file."""
    questions = ["Where did Ann live?", "Where did Bob live?", "What is the capital?"]
    rows = [row(_QA, "Rome is a city.", [(question, ["Rome"]) for question in questions])]
    return mabench.run(Places, str(write_rows(tmp_path / "rows.jsonl", rows)), out=tmp_path / "run")


def test_what_is_unclear_is_named_counted_and_takes_the_official_verdict(run: Run) -> None:
    samples = {sample.question: sample for sample in run.samples()}
    unclear, right = samples["Where did Ann live?"], samples["What is the capital?"]
    assert (unclear.verdict, right.verdict) == ("unclear", "right")
    assert unclear.rule == "answer-taken-back"
    assert right.rule
    source = run.summary.sources[_QA]
    assert source.unclear == 2
    assert source.corrected == source.official == 100
    assert source.extremes == pytest.approx((100 / 3, 100))
    assert source.settled is None
    report = " ".join(command("report", str(run.folder), cwd=run.folder).stdout.split())
    assert "33.3 if all 2 unclear answers are wrong, 100.0 if all are right" in report


def test_a_judge_settles_just_these(run: Run) -> None:
    with serving(lambda prompt: "no" if "Bob" in prompt else "yes") as served:
        spec = JudgeSpec(model=ModelSpec("judge", base_url=served.url), unclear=True)
        summary = judge(run.folder, spec).run.summary
        assert len(served.asked) == 2
        assert all("Rome, Bavu" in prompt for prompt in served.asked)
    source = summary.sources[_QA]
    assert (source.unclear, source.settled) == (None, 2)
    assert source.corrected == pytest.approx(200 / 3)
    assert source.official == 100
    assert source.judge is not None
    assert source.judge.model == "judge"


def test_settled_answers_count_in_comparisons(run: Run, tmp_path: Path) -> None:
    data = mabench.load(str(tmp_path / "rows.jsonl"))
    other = mabench.run("oracle", data, out=tmp_path / "oracle")
    before = mabench.compare([run, other], score="corrected").pairs[0].mean
    with serving(lambda _: "no") as served:
        judge(run.folder, JudgeSpec(model=ModelSpec("j", base_url=served.url), unclear=True))
    after = mabench.compare([run, other], score="corrected").pairs[0].mean
    assert before.a == 100
    assert after.a == pytest.approx(100 / 3)
    assert mabench.compare([run, other]).pairs[0].mean.a == 100


def test_the_command_line_settles_them(run: Run, tmp_path: Path) -> None:
    def printed(*words: str, code: int = 0) -> str:
        done = command(*words, cwd=tmp_path)
        assert done.returncode == code
        return " ".join((done.stdout + done.stderr).split())

    assert "Unclear: 2 of 3 answers (66.7 %)" in printed("report", "run")
    with serving(lambda _: "yes") as served:
        words = ("judge", "run", "--model", "judge", "--base-url", served.url)
        settled = printed(*words, "--unclear")
        assert "judge settled 2 unclear answers" in settled
        assert "Unclear" not in settled
        assert "no source of this run needs a judge" in printed(*words, code=2)


def test_a_run_without_such_answers_is_an_error(run: Run, tmp_path: Path) -> None:
    clear = mabench.run("oracle", str(tmp_path / "rows.jsonl"), out=tmp_path / "clear")
    with pytest.raises(UsageError, match="no answer of this run is unclear"):
        judge(clear.folder, JudgeSpec(model=ModelSpec("judge"), unclear=True))
    assert run.summary.sources[_QA].unclear
