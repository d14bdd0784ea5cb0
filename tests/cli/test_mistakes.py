"""Mistakes that a new user makes: each gets one line that says what to do instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import mabench

SMALL = ("--source", "factconsolidation_sh_6k", "--limit-questions", "1", "--quiet")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with runs in ``all runs``."""
    place = tmp_path_factory.mktemp("mistakes")
    for name in ("a", "b"):
        done = mabench("run", "bm25", *SMALL, "--out", f"all runs/{name}", cwd=place)
        assert done.returncode == 0, done.stderr
    return place


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run", "bm25", *SMALL, "--out", "all runs"], 2, "holds other runs, such as "),
        (["run", "bm25", "--data", "all runs/a"], 1, "is a run folder and holds answers, no rows"),
        (["run", "bm25", "--temperature", "0.7"], 2, "--temperature is about --model"),
        (["run", "--rows-in-parallel", "0"], 2, ": --rows-in-parallel must be at least 1, not 0"),
        (["judge", "all runs/a", "--max-cost", "nan"], 2, ": --max-cost must be finite, not nan"),
        (["show", "all runs/a", "--flipped-from", "none"], 1, "none: no run here"),
        (["score", "all runs/a", "all runs/b"], 2, "score one run at a time"),
        (["score", "all runs/a/samples.jsonl"], 2, "give the --data that it answers"),
        (
            ["compare", "all runs/a", "all runs/b", "--score", "offical"],
            2,
            "--score: unknown score 'offical': did you mean official?",
        ),
        (
            ["compare", "all runs/a", "all runs/b", "--baseline", "all runs/b"],
            2,
            "name it once, as a run or as the --baseline",
        ),
        (
            ["sweep", "bm25", "--source", "ruler_qa1", "--knob", "tokens=2k", "--knob", "k=3"],
            2,
            "the agent's own go with --set",
        ),
        (
            ["sweep", "bm25", "--source", "eventqa", "--knob", "tokens=1k,2k"],
            2,
            "ask for that many at most, or for ",
        ),
    ],
)
def test_a_mistake_is_answered_in_one_line(
    place: Path, arguments: list[str], code: int, message: str
) -> None:
    before = sorted(place.rglob("*"))
    done = mabench(*arguments, cwd=place)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(place.rglob("*")) == before


def test_one_chunk_and_one_question_are_not_called_several(tmp_path: Path) -> None:
    made = ("generate", "infbench", "--rows", "1", "--tokens", "300", "--out", "rows")
    assert mabench(*made, cwd=tmp_path).returncode == 0
    said = mabench("run", "bm25", "--data", "rows", cwd=tmp_path).stderr
    assert "row 0: 1 chunk, 1 question\n" in said
    listed = mabench("data", "chunks", "rows", cwd=tmp_path).stdout
    assert ": 1 chunk of " in listed


def test_the_agents_are_described_without_marks_of_docstrings(tmp_path: Path) -> None:
    assert "``" not in mabench("agents", "--format", "json", cwd=tmp_path).stdout
