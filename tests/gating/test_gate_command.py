import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.command_line import Done, mabench, succeed
from tests.comparison.made import made_run

_QA = "ruler_qa1_197K"
_WIDE = re.compile(r"^.{81,}$", re.MULTILINE)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good run, a bad one, and one like the good one, where commands are given."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    made_run(tmp_path / "good", {_QA: [[1] * 90 + [0] * 10]}, agent="good")
    made_run(tmp_path / "bad", {_QA: [[1] * 60 + [0] * 40]}, agent="bad")
    made_run(tmp_path / "same", {_QA: [[0] * 10 + [1] * 90]}, agent="same")
    return tmp_path


def gate(run: str, baseline: str, *words: str) -> Done:
    return mabench("gate", run, "--baseline", baseline, *words, cwd=Path.cwd())


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["bad", "good"], 1),
        (["bad", "good", "--margin", "3"], 1),
        (["bad", "good", "--margin", "30"], 0),
        (["bad", "good", "--margin", "3", "--on", _QA], 1),
        (["same", "good"], 0),
        (["good", "bad"], 0),
        (["bad", "good", "--on", "nothing"], 2),
        (["bad", "good", "--strict", "--margin", "38"], 1),
        (["bad", "good", "--strict", "--margin", "39"], 0),
        (["same", "good", "--strict", "--margin", "3"], 1),
        (["good", "bad", "--strict"], 0),
        (["bad", "good", "--margin", "-1"], 2),
        (["bad", "good", "--repeat", "0"], 2),
        (["bad", "nowhere/else"], 2),
        (["bad", "good", "--format", "xml"], 2),
        (["good", "good"], 2),
    ],
)
@pytest.mark.usefixtures("runs")
def test_exit_codes(arguments: list[str], code: int) -> None:
    done = gate(*arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("run", "words", "verdict"),
    [("bad", (), "FAILED: bad is worse than good: -30.0 ("), ("same", (), "PASSED: same is not")],
)
def test_the_verdict_comes_first_in_few_lines(
    run: str, words: tuple[str, ...], verdict: str
) -> None:
    printed = gate(run, "good", *words).stdout
    assert printed.startswith(verdict)
    assert len(printed.splitlines()) <= 10
    assert not _WIDE.search(printed)
    assert "three times" in printed, "one build each of an agent that declares nothing"


def test_the_interval_for_new_histories_decides(runs: Path) -> None:
    # Five of six histories lose a question each.
    histories = [[1] * 20 for _ in range(6)]
    made_run(runs / "before", {_QA: histories})
    made_run(runs / "after", {_QA: [*([0, *one[1:]] for one in histories[1:]), histories[0]]})
    found = json.loads(gate("after", "before", "--margin", "1", "--format", "json").stdout)
    assert (found["passed"], found["judged"], found["decided"]) == (False, True, True)
    assert found["histories"] == "new"
    assert found["interval"]["high"] < -1
    assert (found["questions"], found["lost"], found["gained"]) == (120, 5, 0)
    words = ("--strict", "--margin", "8", "--format", "json")
    strict = json.loads(gate("after", "before", *words).stdout)
    assert (strict["passed"], strict["interval"]) == (True, found["interval"])


def test_what_is_not_shown_passes_and_says_so(runs: Path) -> None:
    made_run(runs / "before", {_QA: [[1] * 50]})
    made_run(runs / "after", {_QA: [[1] * 48 + [0] * 2]})
    done = gate("after", "before", "--margin", "2")
    assert done.returncode == 0
    said = " ".join(done.stdout.split())
    assert re.search(
        r"not shown to be worse than its baseline by more than 2 points: -4.0 \(", said
    )
    assert "Not decided" in said
    found = json.loads(gate("after", "before", "--margin", "2", "--format", "json").stdout)
    assert (found["passed"], found["decided"]) == (True, False)
    strict = gate("after", "before", "--margin", "2", "--strict")
    assert strict.returncode == 1
    assert "not shown to be as good" in " ".join(strict.stdout.split())


def test_without_an_interval_nothing_is_judged(runs: Path) -> None:
    for name in ("before", "after"):
        made_run(runs / name, {_QA: [[1]]})
    done = gate("after", "before", "--format", "junit")
    assert done.returncode == 2
    suite = ElementTree.fromstring(done.stdout)
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")
    assert suite.find("testcase/error") is not None


@pytest.mark.corrupts_runs
def test_a_run_that_cannot_be_read_is_no_worse_run(runs: Path) -> None:
    (runs / "bad" / "run.json").write_text("[]", encoding="utf-8")
    done = gate("bad", "good")
    assert (done.returncode, "run.json" in done.stderr) == (2, True)


@pytest.mark.usefixtures("runs")
def test_the_verdict_is_a_test_of_junits_form_and_a_comment() -> None:
    done = gate("bad", "good", "--format", "junit", "--comment", "comment.md")
    suite = ElementTree.fromstring(done.stdout)
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert (failure.get("message") or "").startswith("FAILED: bad is worse than good")
    comment = Path("comment.md").read_text("utf-8")
    assert comment.startswith("**FAILED: bad is worse than good")
    assert "| bad | 60.0 | 1 |" in comment


def test_a_table_of_scores_is_judged(tmp_path: Path) -> None:
    rows = ["agent,source,history,question,score"]
    for history in range(6):
        for question in range(10):
            rows += [f"old,own,{history},{question},1", f"new,own,{history},{question},0"]
    (tmp_path / "scores.csv").write_text("\n".join(rows), "utf-8")
    words = ("gate", "scores.csv", "--baseline", "old", "--margin", "3")
    done = mabench(*words, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("FAILED: new is worse than old by more than 3 points")


def test_an_agent_is_run_on_the_rows_of_its_baseline(tmp_path: Path) -> None:
    words = ("--data", "synthetic:small", "--source", "factconsolidation_sh_6k")
    succeed("run", "bm25", "--set", "k=3", *words, "--out", "before", cwd=tmp_path)
    done = mabench("gate", "no-memory", "--baseline", "./before", "--out", "now", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    record = json.loads((tmp_path / "now" / "run.json").read_text("utf-8"))
    assert [*record["questions"]] == ["factconsolidation_sh_6k"]
