"""A run goes on where it ended: resumed, killed, stopped by a signal, on a full disk."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.errors import UsageError
from mabench.results import Run
from tests import parts
from tests.command_line import mabench as command
from tests.command_line import succeed
from tests.rows import dataset, row, two_rows, write_rows
from tests.runs.agents import Notes
from tests.waiting import until

_TIMES = {"seconds_memorize", "seconds_answer", "add", "add_per_1000_tokens", "search"}


def _without_seconds(summary: Any) -> Any:
    if not isinstance(summary, dict):
        return summary
    return {key: _without_seconds(part) for key, part in summary.items() if key not in _TIMES}


def test_a_finished_run_is_not_asked_again_but_for_a_torn_line(tmp_path: Path) -> None:
    first = mabench.run(Notes, dataset(), out=tmp_path / "run").summary
    assert mabench.run(Notes, dataset(), out=tmp_path / "run").summary == first
    assert len(Notes.asked) == 5
    samples = tmp_path / "run" / "samples.jsonl"
    samples.write_bytes(samples.read_bytes()[:-20])
    Notes.asked.clear()
    resumed = mabench.run(Notes, dataset(), out=tmp_path / "run").summary.as_dict()
    assert Notes.asked == ["What is old?"]
    assert _without_seconds(resumed) == _without_seconds(first.as_dict())


class Other(Notes):
    pass


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"agent": Other}, "agent"),
        ({"protocol": "paper"}, "protocol"),
        ({"chunk_tokens": 99}, "`chunk_tokens` is None there and 99 here"),
        ({"prompts": "prompts.toml"}, "prompts hash"),
        ({"data": dataset([row("ruler_qa1_197K", "Other.", [("Who?", ["I"])])])}, "fingerprint"),
    ],
)
def test_a_folder_with_another_run_is_refused(
    tmp_path: Path, change: dict[str, Any], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts.toml").write_text('[ruler]\nanswer = "{question}"\n')
    mabench.run(Notes, dataset(), out=tmp_path / "run")
    arguments = {"agent": Notes, "data": dataset(), "out": tmp_path / "run", **change}
    with pytest.raises(UsageError, match=named):
        parts.run(**arguments)


def test_without_out_a_finished_run_is_left_and_an_unfinished_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = mabench.run("bm25", dataset()).folder
    second = mabench.run("bm25", dataset()).folder
    assert first == tmp_path / "runs" / "bm25-small-rows"
    assert second == tmp_path / "runs" / "bm25-small-rows-2"
    samples = first / "samples.jsonl"
    samples.write_bytes(samples.read_bytes()[:-20])
    assert mabench.run("bm25", dataset()).folder == first


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


def _write_rows(folder: Path, agent: str = SLOW) -> None:
    pairs = [(f"Where does Ann number {n} live?", ["live"]) for n in range(40)]
    rows = [*two_rows(), row("ruler_qa2_421K", "Document 1:\nA.", pairs)]
    write_rows(folder / "rows.jsonl", rows)
    (folder / "slow.py").write_text(agent)


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.is_file() else 0


@pytest.mark.parametrize(
    "after", [17, *(pytest.param(i, marks=pytest.mark.slow) for i in (*range(16), 23, 31, 39, 44))]
)
def test_a_killed_run_asks_the_rest_and_has_the_same_summary(tmp_path: Path, after: int) -> None:
    _write_rows(tmp_path)
    succeed(*_words(tmp_path, "whole"), cwd=tmp_path)
    killed = _started(tmp_path, "killed")
    samples = tmp_path / "killed" / "samples.jsonl"
    until((tmp_path / "killed" / "run.json").is_file)
    until(lambda: _lines(samples) >= after)
    killed.kill()
    killed.communicate()
    assert after <= _lines(samples) < 46
    kept = samples.read_bytes().rpartition(b"\n")[0]
    assert _finished(tmp_path, "killed") == samples
    assert samples.read_bytes().startswith(kept), "no answered question is asked again"
    folders = [tmp_path / name for name in ("whole", "killed")]
    whole, resumed = [json.loads((one / "summary.json").read_text()) for one in folders]
    assert _without_seconds(whole) == _without_seconds(resumed)
    assert samples.read_bytes() == (tmp_path / "whole" / "samples.jsonl").read_bytes()


def _started(folder: Path, out: str, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "mabench", *_words(folder, out), *options]
    silent, pipe = subprocess.DEVNULL, subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, stdout=silent, stderr=pipe, text=True)


def _finished(folder: Path, out: str) -> Path:
    """Resume a run and return its samples, which must be whole."""
    succeed(*_words(folder, out), cwd=folder)
    samples = folder / out / "samples.jsonl"
    keys = [sample.key for sample in Run(folder / out).samples()]
    assert len(keys) == len({*keys}) == 45
    return samples


# Answers once, and then not before there is a file.
WAITING = """
import time
from pathlib import Path
class Slow:
    asked = 0
    def memorize(self, chunk): ...
    def answer(self, query):
        Slow.asked += 1
        while Slow.asked > 1 and not Path("go").exists():
            time.sleep(0.01)
        return "Oslo"
"""


def test_a_second_process_is_refused_and_a_dead_ones_lock_is_free(tmp_path: Path) -> None:
    _write_rows(tmp_path, WAITING)
    first = _started(tmp_path, "run")
    until(lambda: _lines(tmp_path / "run" / "samples.jsonl"))
    second = command(*_words(tmp_path, "run"), cwd=tmp_path)
    assert second.returncode == 2
    assert f"run is in use by process {first.pid}" in second.stderr
    first.send_signal(signal.SIGKILL)
    first.communicate()
    (tmp_path / "go").touch()
    _finished(tmp_path, "run")


# The next test and tests/runs/test_outages.py send the other.
@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM]
)
def test_a_signal_lets_answers_end_and_says_the_next(
    tmp_path: Path, number: signal.Signals
) -> None:
    _write_rows(tmp_path)
    running = _started(tmp_path, "run", "--questions-in-parallel", "3")
    samples = tmp_path / "run" / "samples.jsonl"
    until(lambda: _lines(samples) >= 5)
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert "Stopped. To resume: mabench run" in said
    assert "Traceback" not in said
    assert 5 <= _lines(samples) < 45
    assert (tmp_path / "run" / "summary.json").is_file()
    assert {sample.error for sample in Run(samples.parent).samples()} == {None}
    _finished(tmp_path, "run")


def test_a_second_signal_stops_at_once_and_the_run_can_go_on(tmp_path: Path) -> None:
    _write_rows(tmp_path, WAITING)
    running = _started(tmp_path, "run")
    until(lambda: _lines(tmp_path / "run" / "samples.jsonl"))
    for _ in range(2):
        running.send_signal(signal.SIGINT)
        time.sleep(0.3)
    start = time.monotonic()
    _, said = running.communicate(timeout=60)
    assert time.monotonic() - start < 10
    assert running.returncode == 130
    assert "To resume: mabench run" in said
    (tmp_path / "go").touch()
    _finished(tmp_path, "run")


# Root may write into any folder of a disk, but not into the first.
@pytest.mark.parametrize("out", ["/proc/run" if os.geteuid() == 0 else "locked/run", "file/run"])
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path, out: str) -> None:
    _write_rows(tmp_path)
    (tmp_path / "locked").mkdir(mode=0o500)
    (tmp_path / "file").touch()
    done = command(*_words(tmp_path, out), cwd=tmp_path)
    assert done.returncode == 1
    assert "the run folder cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_full_disk_stops_the_run_and_corrupts_nothing(tmp_path: Path) -> None:
    """No file may grow beyond twelve thousand bytes, so a line of the samples is cut short."""
    _write_rows(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, hard))
    try:
        done = command(*_words(tmp_path, "run"), cwd=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert done.returncode == 1
    assert "samples.jsonl: cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    kept = (tmp_path / "run" / "samples.jsonl").read_bytes()
    whole = kept[: kept.rfind(b"\n") + 1]
    assert 0 < whole.count(b"\n") < 45
    assert _finished(tmp_path, "run").read_bytes().startswith(whole)


def test_repeated_runs_stand_side_by_side(tmp_path: Path) -> None:
    _write_rows(tmp_path)
    words = [*_words(tmp_path, "runs"), "--repeat", "2", "--limit-questions", "2"]
    done = succeed(*words, cwd=tmp_path)
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["repeat-1", "repeat-2"]
    assert "SD" in done.stdout
