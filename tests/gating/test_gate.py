from pathlib import Path

import pytest

import mabench
from mabench.errors import UsageError
from mabench.specs import AgentSpec
from tests.comparison.made import made_run
from tests.rows import write_rows

_QA = "ruler_qa1_197K"


class Says:
    """Remembers what was said of a run."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)

    def _ignore(self, *_: object, **__: object) -> None:
        pass

    start = advance = note = _ignore


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "rows.jsonl")
    return tmp_path


@pytest.mark.usefixtures("place")
def test_a_baseline_is_run_once_for_the_same_rows_settings_and_code() -> None:
    def gated(**settings: object) -> list[str]:
        says = Says()
        held = AgentSpec(agent="bm25", settings=settings)
        mabench.gate("no-memory", held, "rows.jsonl", progress=says)
        return [line for line in says.lines if line.startswith("Baseline: kept")]

    assert gated() == []
    assert len(gated()) == 1
    assert gated(k=3) == []
    assert len(list(Path("runs/baselines").glob("*/run.json"))) == 2


@pytest.mark.usefixtures("place")
def test_a_baseline_of_unknown_code_is_run_anew() -> None:
    class Local:
        def memorize(self, chunk: str) -> None: ...

        def answer(self, query: mabench.Query) -> str:
            return "none"

    for _ in range(2):
        says = Says()
        mabench.gate("no-memory", Local, "rows.jsonl", progress=says)
        assert any("runs anew: it is defined within a function" in line for line in says.lines)


def test_the_result_is_printed_as_the_verdict_and_its_reasons(tmp_path: Path) -> None:
    good = made_run(tmp_path / "good", {_QA: [[1] * 90 + [0] * 10]}, agent="good")
    bad = made_run(tmp_path / "bad", {_QA: [[1] * 60 + [0] * 40]}, agent="bad")
    result = mabench.gate(bad, good, margin=2)
    assert not result.passed
    assert result.decided
    assert result.difference == pytest.approx(-30)
    assert str(result).splitlines()[0] == result.verdict
    assert "bad is worse than good by more than 2 points" in result.verdict
    with pytest.raises(UsageError, match="at least 0 points"):
        mabench.gate(bad, good, margin=-2)
    with pytest.raises(UsageError, match="holds no run"):
        mabench.gate(tmp_path, good)


@pytest.mark.usefixtures("place")
def test_several_builds_are_compared_as_one() -> None:
    result = mabench.gate("no-memory", "bm25", "rows.jsonl", repeat=2)
    assert (result.now.builds, result.baseline.builds) == (2, 2)
    assert not result.one_build
