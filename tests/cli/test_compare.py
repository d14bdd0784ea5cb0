import json
import re
from pathlib import Path

import pytest
import yaml

from tests.command_line import Done, mabench, succeed
from tests.comparison.made import made_run

_DOCS = Path(__file__).parents[2] / "docs" / "guides" / "gate-in-ci.md"
_QA = "ruler_qa1_197K"


def compare(*words: str) -> Done:
    return mabench("compare", *words, cwd=Path.cwd())


def _said(*words: str) -> str:
    return " ".join(compare(*words).stdout.split())


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good run, a bad one, and one like the good one, where commands are given."""
    monkeypatch.chdir(tmp_path)
    made_run(tmp_path / "good", {_QA: [[1] * 90 + [0] * 10]}, agent="good")
    made_run(tmp_path / "bad", {_QA: [[1] * 60 + [0] * 40]}, agent="bad")
    made_run(tmp_path / "same", {_QA: [[0] * 10 + [1] * 90]}, agent="same")
    return tmp_path


@pytest.mark.usefixtures("runs")
def test_a_comparison_ends_with_what_was_found_or_cannot_be_told() -> None:
    for named, better in (("good", "bad"), "A"), (("bad", "good"), "B"):
        said = _said(*named)
        found = re.search(rf"{better} beats . by 30.0 points \(95 % interval (.*?)\)", said)
        assert found
        low, high = map(float, found[1].strip("†").split(" to "))
        assert 0 < low < 30 < high
    assert "on these histories" in said
    assert "mabench generate SOURCE --rows 10" in said
    said = _said("good", "same")
    assert "cannot tell A from B" in said
    assert "the runs had 80 % power" in said


@pytest.mark.parametrize(("alike", "differ"), [(8, "2 of 10"), (6, "0 of 6")])
def test_histories_that_are_alike_are_the_reason_where_there_are_enough(
    runs: Path, alike: int, differ: str
) -> None:
    right = [[1] * 4 for _ in range(alike)]
    others = [[1, 0, 0, 0]] * 2 if alike == 8 else []
    made_run(runs / "one", {_QA: [*right, *([0] * 4 for _ in others)]})
    made_run(runs / "two", {_QA: [*right, *others]})
    said = _said("one", "two")
    assert "† holds for these histories only." in said
    assert (
        f"{_QA}: the runs differ in {differ} histories; a claim about new ones needs at least 3"
        in said
    )
    assert "needs six" not in said
    assert "generate" not in said


@pytest.mark.usefixtures("runs")
def test_json_has_the_documented_fields_and_flipped_questions_are_listed() -> None:
    content = json.loads(compare("good", "bad", "--format", "json", "--flipped").stdout)
    assert content["schema"] == 1
    assert [run["run"] for run in content["runs"]] == ["good", "bad"]
    (pair,) = content["pairs"]
    assert {"a", "b", "sources", "columns", "categories", "overall"} <= set(pair)
    source = pair["sources"][_QA]
    assert source["difference"] == pytest.approx(30)
    assert set(source["these_histories"]) == {"low", "high", "p"}
    assert source["new_histories"] is None
    assert {"wins", "losses", "ties", "histories", "detectable"} <= set(source)
    assert pair["columns"]["SH-QA"]["difference"] == pytest.approx(30)
    (flips,) = content["flipped"]
    assert len(flips["questions"]) == source["wins"] + source["losses"]
    printed = compare("good", "bad", "--flipped").stdout
    listed = [f"Question {number} about history 0?" in printed for number in (60, 5)]
    assert listed == [True, False]
    printed = compare("good", "bad", "--format", "markdown").stdout
    assert re.search(r"^\| ?ruler.qa1.197K", printed.replace("\\", ""), re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["bad", "--baseline", "good", "--fail-if-worse", "3"], 1),
        (["bad", "--baseline", "good", "--fail-if-worse", "30"], 0),
        (["bad", "--baseline", "good", "--fail-if-worse", "3", "--on", _QA], 1),
        (["same", "--baseline", "good", "--fail-if-worse", "0"], 0),
        (["good", "--baseline", "bad", "--fail-if-worse", "0"], 0),
        (["good", "same", "bad", "--baseline", "good2", "--fail-if-worse", "0"], 2),
        (["bad", "--baseline", "good", "--fail-if-worse", "3", "--on", "nothing"], 2),
        (["bad", "--fail-if-worse", "3"], 2),
        (["bad", "--baseline", "good", "--fail-unless-as-good", "38"], 1),
        (["bad", "--baseline", "good", "--fail-unless-as-good", "39"], 0),
        (["same", "--baseline", "good", "--fail-unless-as-good", "3"], 1),
        (["same", "--baseline", "good", "--fail-unless-as-good", "13", "--on", _QA], 0),
        (["same", "--baseline", "good", "--fail-unless-as-good", "3", "--fail-if-worse", "0"], 1),
        (["good", "--baseline", "bad", "--fail-unless-as-good", "0"], 0),
        (["bad", "--fail-unless-as-good", "3"], 2),
        (["bad", "good", "--on", _QA], 2),
        (["bad"], 2),
        (["bad", "good", "--score", "right"], 2),
        (["bad", "good", "--format", "xml"], 2),
    ],
)
@pytest.mark.usefixtures("runs")
def test_the_gate_has_its_exit_codes(arguments: list[str], code: int) -> None:
    done = compare(*arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_the_gate_prints_the_interval_that_decides(runs: Path) -> None:
    # Five of six histories lose a question each: the interval for new histories excludes 0, that
    # for these, which decides, does not.
    histories = [[1] * 20 for _ in range(6)]
    made_run(runs / "before", {_QA: histories})
    made_run(runs / "after", {_QA: [*([0, *one[1:]] for one in histories[1:]), histories[0]]})
    gates = ("--fail-if-worse", "2", "--fail-unless-as-good", "2")
    done = compare("after", "--baseline", "before", *gates, "--format", "json")
    worse, as_good = json.loads(done.stdout)["gates"]
    (pair,) = json.loads(done.stdout)["pairs"]
    deciding = pair["mean"]["these_histories"]
    assert pair["mean"]["new_histories"]["high"] < 0 < deciding["high"]
    for gate in (worse, as_good):
        assert (gate["run"], gate["baseline"], gate["points"]) == ("after", "before", 2)
        assert (gate["limits"], gate["histories"]) == (deciding, "these")
        assert f"{deciding['low']:+.1f} to {deciding['high']:+.1f}" in gate["sentence"]
    assert (worse["gate"], worse["passes"]) == ("fail-if-worse", True)
    assert (as_good["gate"], as_good["passes"]) == ("fail-unless-as-good", False)


def test_a_gate_says_what_cannot_be_shown(runs: Path) -> None:
    made_run(runs / "before", {_QA: [[1] * 50]})
    made_run(runs / "after", {_QA: [[1] * 48 + [0] * 2]})
    for gate, code, words in (
        ("worse", 0, "4.0 points worse; these questions cannot show that it is more than 2."),
        ("unless-as-good", 1, r"cannot rule out that it is \d+\.\d points worse"),
    ):
        done = compare("after", "--baseline", "before", f"--fail-{'if-' * (code == 0)}{gate}", "2")
        assert done.returncode == code
        assert re.search(words, " ".join(done.stdout.split()))


@pytest.mark.corrupts_runs
def test_a_run_that_cannot_be_read_is_no_worse_run(runs: Path) -> None:
    (runs / "bad" / "run.json").write_text("[]", encoding="utf-8")
    done = compare("bad", "--baseline", "good", "--fail-if-worse", "3")
    assert (done.returncode, "run.json" in done.stderr) == (2, True)


def _example(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", _DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1]


def test_the_example_of_a_workflow_runs(tmp_path: Path) -> None:
    steps = yaml.safe_load(_example("yaml"))["jobs"]["gate"]["steps"]
    lines = [step.get("run", "").replace("\\\n", " ") for step in steps]
    commands = [line for line in lines if line.startswith("mabench")]
    assert len(commands) == 2
    first = [*commands[0].split()[1:-1], "baseline"]
    succeed(*first, cwd=tmp_path)
    for line in commands:
        succeed(*line.split()[1:], cwd=tmp_path)
