from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.contract import Query
from mabench.errors import DataError, UsageError
from tests import parts
from tests.command_line import mabench as command
from tests.rows import dataset, row, two_rows
from tests.runs.agents import Oslo


class Counting(Oslo):
    asked: list[str]

    def answer(self, query: Query) -> str:
        self.asked.append(query.question)
        return "Oslo"


@pytest.fixture(autouse=True)
def _nothing_asked() -> None:
    Counting.asked = []


def _without_seconds(summary: dict[str, Any]) -> dict[str, Any]:
    sources = {
        name: {key: value for key, value in source.items() if not key.startswith("seconds")}
        for name, source in summary["sources"].items()
    }
    return {**summary, "sources": sources}


def test_a_finished_run_is_not_asked_again(tmp_path: Path) -> None:
    first = mabench.run(Counting, dataset(), out=tmp_path / "run")
    again = mabench.run(Counting, dataset(), out=tmp_path / "run")
    assert len(Counting.asked) == 5
    assert first.summary == again.summary


def test_a_torn_last_line_is_cut_off_and_asked_again(tmp_path: Path) -> None:
    whole = mabench.run(Counting, dataset(), out=tmp_path / "run").summary.as_dict()
    samples = tmp_path / "run" / "samples.jsonl"
    samples.write_bytes(samples.read_bytes()[:-20])
    Counting.asked.clear()
    resumed = mabench.run(Counting, dataset(), out=tmp_path / "run").summary.as_dict()
    assert Counting.asked == ["What is old?"]
    assert _without_seconds(resumed) == _without_seconds(whole)


def test_a_broken_line_in_the_middle_is_asked_again(tmp_path: Path) -> None:
    mabench.run(Counting, dataset(), out=tmp_path / "run")
    samples = tmp_path / "run" / "samples.jsonl"
    lines = samples.read_text().splitlines(keepends=True)
    samples.write_text("".join([lines[0], "{broken\n", *lines[2:]]))
    run = mabench.run(Counting, dataset(), out=tmp_path / "run")
    assert sorted(samples.read_text().splitlines(keepends=True)) == sorted(lines)
    assert "samples.jsonl, line 2 could not be read" in str(run.summary.damaged)


class Other(Counting):
    pass


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"agent": Other}, "agent"),
        ({"protocol": "paper"}, "protocol"),
        ({"chunk_tokens": 99}, "`chunk_tokens` is None there and 99 here"),
        ({"sources": ["ruler_qa1_197K"]}, "factconsolidation_sh_6k, which `sources` leaves out"),
        ({"data": dataset([row("ruler_qa1_197K", "Other.", [("Who?", ["I"])])])}, "fingerprint"),
    ],
)
def test_a_folder_with_another_run_is_refused(
    tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    mabench.run(Counting, dataset(), out=tmp_path / "run")
    arguments = {"agent": Counting, "data": dataset(), "out": tmp_path / "run", **change}
    with pytest.raises(UsageError, match=named):
        parts.run(**arguments)


def test_other_prompts_are_refused(tmp_path: Path) -> None:
    mabench.run(Counting, dataset(), out=tmp_path / "run")
    prompts = tmp_path / "prompts.toml"
    prompts.write_text('[ruler]\nanswer = "{question}"\n')
    with pytest.raises(UsageError, match="prompts hash"):
        parts.run(Counting, dataset(), out=tmp_path / "run", prompts=prompts)


def test_without_out_a_finished_run_is_left_and_an_unfinished_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = mabench.run("bm25", dataset()).folder
    second = mabench.run("bm25", dataset()).folder
    assert first == tmp_path / "runs" / "bm25-small-rows-structured"
    assert second == tmp_path / "runs" / "bm25-small-rows-structured-2"
    samples = first / "samples.jsonl"
    samples.write_bytes(samples.read_bytes()[:-20])
    assert mabench.run("bm25", dataset()).folder == first


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="the run folder cannot be written"):
        mabench.run(Counting, dataset(), out=tmp_path / "file" / "run")


SLOW = """
import time

class Slow:
    def memorize(self, chunk):
        time.sleep(0.01)

    def answer(self, query):
        time.sleep(0.02)
        return query.question.split()[-1].strip("?")
"""


def _words(folder: Path, out: str) -> list[str]:
    return ["run", "slow:Slow", "--data", str(folder / "rows.jsonl"), "--out", out]


def _command(folder: Path, out: str) -> list[str]:
    return [sys.executable, "-m", "mabench", *_words(folder, out)]


def _write_rows(folder: Path) -> None:
    pairs = [(f"Where does Ann number {n} live?", ["live"]) for n in range(40)]
    rows = [*two_rows(), row("ruler_qa2_421K", "Document 1:\nA.", pairs)]
    lines = [json.dumps(made.model_dump(exclude={"split", "index"})) for made in rows]
    (folder / "rows.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "slow.py").write_text(SLOW)


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.is_file() else 0


@pytest.mark.parametrize(
    "after", [pytest.param(0, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.slow), 17]
)
def test_a_killed_run_resumes_to_the_same_summary(tmp_path: Path, after: int) -> None:
    _write_rows(tmp_path)
    assert command(*_words(tmp_path, "whole"), cwd=tmp_path).returncode == 0
    killed = subprocess.Popen(
        _command(tmp_path, "killed"),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    samples = tmp_path / "killed" / "samples.jsonl"
    deadline = time.monotonic() + 60
    while not (tmp_path / "killed" / "run.json").is_file() or _lines(samples) < after:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert _lines(samples) < 45
    kept = _lines(samples)
    assert command(*_words(tmp_path, "killed"), cwd=tmp_path).returncode == 0
    assert _lines(samples) == 45
    assert kept >= after
    summaries = [
        json.loads((tmp_path / name / "summary.json").read_text()) for name in ("whole", "killed")
    ]
    assert _without_seconds(summaries[0]) == _without_seconds(summaries[1])
    whole, resumed = (
        (tmp_path / name / "samples.jsonl").read_bytes() for name in ("whole", "killed")
    )
    assert whole == resumed


def test_ctrl_c_stops_after_the_question_in_hand_and_says_how_to_go_on(tmp_path: Path) -> None:
    _write_rows(tmp_path)
    running = subprocess.Popen(
        _command(tmp_path, "stopped"),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    samples = tmp_path / "stopped" / "samples.jsonl"
    deadline = time.monotonic() + 60
    while _lines(samples) < 5:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "--out stopped" in said
    assert "Traceback" not in said
    assert 5 <= _lines(samples) < 45
    assert (tmp_path / "stopped" / "summary.json").is_file()
