"""Gates: what passes, what fails, what is not decided, and what is run for them."""

import json
import re
from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree

import pytest
import yaml

import mabench
from mabench import DataSpec, GateSpec
from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.results import Run
from mabench.specs import RunSpec
from tests.command_line import Done, succeed
from tests.command_line import mabench as run_mabench
from tests.comparison.made import made_run
from tests.rows import dataset, row

_QA = "ruler_qa1_197K"
_GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "gate-in-ci.md"


def gate(*words: str) -> Done:
    return run_mabench("gate", *words, cwd=Path.cwd())


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good run, a bad one, and one like the good one, where commands are given."""
    monkeypatch.chdir(tmp_path)
    made_run(tmp_path / "good", {_QA: [[1] * 90 + [0] * 10]}, agent="good")
    made_run(tmp_path / "bad", {_QA: [[1] * 60 + [0] * 40]}, agent="bad")
    made_run(tmp_path / "same", {_QA: [[0] * 10 + [1] * 90]}, agent="same")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["bad", "--baseline", "good", "--margin", "3"], 1),
        (["bad", "--baseline", "good"], 1),
        (["bad", "--baseline", "good", "--margin", "30"], 0),
        (["bad", "--baseline", "good", "--margin", "3", "--on", _QA], 1),
        (["bad", "--baseline", "good", "--margin", "3", "--on", "ruler_qa1"], 1),
        (["same", "--baseline", "good"], 0),
        (["good", "--baseline", "bad"], 0),
        (["bad", "--baseline", "good", "--strict", "--margin", "38"], 1),
        (["bad", "--baseline", "good", "--strict", "--margin", "39"], 0),
        (["same", "--baseline", "good", "--strict", "--margin", "3"], 1),
        (["same", "--baseline", "good", "--strict", "--margin", "13"], 0),
        (["good", "--baseline", "bad", "--strict"], 0),
        (["bad", "--baseline", "good", "--on", "nothing"], 2),
        (["bad", "--baseline", "good", "--margin", "-1"], 2),
        (["bad", "--baseline", "good", "--margin", "100"], 2),
        (["bad", "--baseline", "good", "--score", "right"], 2),
        (["bad", "--baseline", "good", "--format", "xml"], 2),
        (["bad", "--baseline", "bad"], 2),
        (["bad", "--baseline", "no_such_agent"], 2),
        (["bad"], 2),
    ],
)
@pytest.mark.usefixtures("runs")
def test_exit_codes(arguments: list[str], code: int) -> None:
    done = gate(*arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("runs")
def test_the_verdict_comes_first_and_all_fits_ten_lines() -> None:
    failed = gate("bad", "--baseline", "good", "--margin", "3").stdout
    assert failed.startswith("FAILED: bad is worse than good by more than 3 points.\n")
    assert "60.0 against 90.0, -30.0 points (" in failed
    assert "of 100 questions, 0 better and 30 worse" in failed
    assert "--repeat" in failed
    assert "mabench compare bad --baseline good --flipped" in failed
    passed = gate("same", "--baseline", "good").stdout
    assert passed.startswith("PASSED: same is not shown to be worse than good.\n")
    assert "Undecided: a loss is neither shown nor excluded." in passed
    for text in (failed, passed):
        assert sum(1 + len(line) // 80 for line in text.splitlines()) <= 10
    strict = gate("same", "--baseline", "good", "--strict", "--margin", "3").stdout
    assert strict.startswith("FAILED: same is not shown to be as good as good, within 3 points.")
    strict = gate("good", "--baseline", "bad", "--strict").stdout
    assert strict.startswith("PASSED: good is shown to be as good as bad.")


def test_the_interval_for_new_histories_decides(runs: Path) -> None:
    # Five of six histories lose a question each.
    histories = [[1] * 20 for _ in range(6)]
    made_run(runs / "before", {_QA: histories})
    made_run(runs / "after", {_QA: [*([0, *one[1:]] for one in histories[1:]), histories[0]]})
    worse = json.loads(
        gate("after", "--baseline", "before", "--margin", "1", "--format", "json").stdout
    )
    as_good = json.loads(
        gate(
            "after", "--baseline", "before", "--margin", "8", "--strict", "--format", "json"
        ).stdout
    )
    (pair,) = mabench.compare(["after"], baseline="before").pairs
    assert pair.headline.new_histories
    for found in (worse, as_good):
        assert found["interval"] == pair.headline.new_histories.as_dict()
        assert (found["gated"]["run"], found["baseline"]["run"]) == ("after", "before")
        assert (found["histories"], found["decided"], found["judged"]) == ("new", True, True)
        assert found["builds_may_differ"]
    assert (worse["passed"], as_good["passed"]) == (False, True)
    assert "after is worse than before by more than 1 point" in worse["verdict"]


def test_where_neither_is_shown_it_passes_and_says_so(runs: Path) -> None:
    made_run(runs / "before", {_QA: [[1] * 50]})
    made_run(runs / "after", {_QA: [[1] * 48 + [0] * 2]})
    result = mabench.gate("after", baseline="before", margin=2)
    assert result.passed
    assert not result.decided
    assert "a loss of more than 2 points is neither shown nor excluded" in str(result)
    strict = mabench.gate("after", baseline="before", margin=2, strict=True)
    assert (strict.passed, strict.decided) == (False, False)


def test_what_has_no_interval_is_not_judged(runs: Path) -> None:
    made_run(runs / "before", {_QA: [[1]]})
    made_run(runs / "after", {_QA: [[0]]})
    done = gate("after", "--baseline", "before")
    assert done.returncode == 2
    assert done.stdout.startswith("NOT JUDGED")
    xml = ElementTree.fromstring(gate("after", "--baseline", "before", "--format", "junit").stdout)
    assert (xml.get("errors"), xml.get("failures")) == ("1", "0")


@pytest.mark.usefixtures("runs")
def test_markdown_and_junit() -> None:
    failed = ElementTree.fromstring(gate("bad", "--baseline", "good", "--format", "junit").stdout)
    assert (failed.get("failures"), failed.get("tests")) == ("1", "1")
    assert "bad is worse than good" in str(failed[0][0].get("message"))
    passed = ElementTree.fromstring(gate("good", "--baseline", "bad", "--format", "junit").stdout)
    assert passed.get("failures") == "0"
    text = gate("bad", "--baseline", "good", "--format", "markdown").stdout
    assert text.startswith("**FAILED**: bad is worse than good.")
    assert re.search(r"\| this change \| 60\.0 \| 5\d\.\d to 6\d\.\d \|", text)


def test_text_of_agents_is_no_markup(runs: Path) -> None:
    made_run(runs / "evil", {_QA: [[1] * 60 + [0] * 40]}, agent="<b>x</b>\x1b[31m & `y`")
    xml = ElementTree.fromstring(gate("evil", "--baseline", "good", "--format", "junit").stdout)
    assert "<b>x</b>" in str(xml[0].get("name"))
    for layout in ("text", "markdown"):
        said = gate("evil", "--baseline", "good", "--format", layout).stdout
        assert "\x1b" not in said
        assert layout == "text" or "<b>" not in said


@pytest.mark.corrupts_runs
def test_a_run_that_cannot_be_read_is_no_worse_run(runs: Path) -> None:
    (runs / "bad" / "run.json").write_text("[]", encoding="utf-8")
    done = gate("bad", "--baseline", "good")
    assert (done.returncode, "run.json" in done.stderr) == (2, True)


class Recalling:
    """Remembers everything, and finds all that shares a word; counts its instances."""

    made: ClassVar[int] = 0
    mabench_capabilities: ClassVar[dict[str, bool]] = {"deterministic": True}

    def __init__(self) -> None:
        type(self).made += 1
        self.texts: list[str] = []

    def add(self, text: str) -> None:
        self.texts.append(text)

    def search(self, query: str, k: int) -> list[str]:
        words = {*query.split()}
        return sorted(self.texts, key=lambda text: -len(words & {*text.split()}))[:k]


class Forgetting(Recalling):
    """Remembers nothing."""

    made = 0

    def add(self, text: str) -> None:
        pass


def _facts() -> Dataset:
    """Return ten histories, each of eight facts that are asked for."""
    people = [f"Ann{number} Lee{number}" for number in range(8)]
    rows = []
    for number in range(10):
        towns = [f"Town{number}x{place}" for place in range(len(people))]
        said = [f"{person} lives in {town}." for person, town in zip(people, towns, strict=True)]
        context = "\n\n".join(f"Document {n + 1}:\n{text}" for n, text in enumerate(said))
        pairs = [
            (f"Where does {person} live?", [town])
            for person, town in zip(people, towns, strict=True)
        ]
        rows.append(row(_QA, context, pairs, index=number))
    return dataset(rows)


def test_agents_are_run_on_the_same_rows_and_runs_are_used_again(tmp_path: Path) -> None:
    Recalling.made = 0
    data = _facts()
    result = mabench.gate(Forgetting, baseline=Recalling, data=data, out=tmp_path / "gate")
    assert not result.passed
    assert result.decided
    assert not result.builds_may_differ
    assert result.questions == 80
    made = Recalling.made
    again = mabench.gate(Forgetting, baseline=Recalling, data=data, out=tmp_path / "gate")
    assert again == result
    assert Recalling.made - made <= 1, "a finished run asks nothing again"
    by_run = mabench.gate(
        Forgetting, baseline=Run(Path(result.baseline.run)), data=data, out=tmp_path / "gate"
    )
    assert by_run == result
    other = mabench.gate(
        Recalling,
        baseline=Recalling,
        data=data,
        out=tmp_path / "gate",
        settings=GateSpec(run=RunSpec(data=DataSpec(data=None, limit_questions=2))),
    )
    assert (other.questions, other.difference) == (20, 0.0)


def test_data_are_those_of_the_baseline(tmp_path: Path) -> None:
    made_up = "synthetic:small"
    settings = mabench.AgentSpec(agent="bm25", settings={"k": 1})
    source = "factconsolidation_sh_6k"
    run = mabench.run(settings, made_up, sources=source, out=tmp_path / "base", limit_questions=5)
    result = mabench.gate("no-memory", baseline=run, out=tmp_path / "gate")
    assert result.questions == 5
    assert result.on == source


def test_a_run_without_a_place_of_its_data_asks_for_them(tmp_path: Path) -> None:
    run = mabench.run(Recalling, _facts(), out=tmp_path / "base", limit_questions=1)
    with pytest.raises(UsageError, match="does not say where its data are"):
        mabench.gate(Forgetting, baseline=run, out=tmp_path / "gate")


def test_the_example_of_a_workflow_runs(tmp_path: Path) -> None:
    guide = _GUIDE.read_text(encoding="utf-8")
    found = re.search(r"```yaml\n(.*?)```", guide, re.DOTALL)
    assert found
    steps = yaml.safe_load(found[1])["jobs"]["gate"]["steps"]
    (command,) = [run for step in steps if (run := step.get("run", "")).startswith("mabench")]
    baseline = "run bm25 --set k=3 --data synthetic:small --source factconsolidation_sh_6k"
    succeed(*baseline.split(), "--out", "baseline", cwd=tmp_path)
    done = succeed(*command.split()[1:], cwd=tmp_path)
    assert done.stdout.startswith("PASSED")
