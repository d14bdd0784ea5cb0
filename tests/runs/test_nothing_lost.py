"""Two processes on one folder, signals, folders that cannot be written, disks that are full."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.command_line import mabench
from tests.runs.test_resume import _command, _lines, _words, _write_rows


def _started(folder: Path, out: str, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*_command(folder, out), *options],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_for(file: Path, lines: int) -> None:
    deadline = time.monotonic() + 60
    while _lines(file) < lines:
        assert time.monotonic() < deadline
        time.sleep(0.002)


def _finished(folder: Path, out: str) -> Path:
    """Resume a run and return its samples, which must be whole."""
    assert mabench(*_words(folder, out), cwd=folder).returncode == 0
    samples = folder / out / "samples.jsonl"
    keys = [
        (line["split"], line["row"], line["question_index"])
        for line in map(json.loads, samples.read_text(encoding="utf-8").splitlines())
    ]
    assert len(keys) == len({*keys}) == 45
    return samples


# Answers once, and then not before there is a file.
WAITING = """
import time
from pathlib import Path

class Slow:
    asked = 0

    def memorize(self, chunk):
        pass

    def answer(self, query):
        Slow.asked += 1
        while Slow.asked > 1 and not Path("go").exists():
            time.sleep(0.01)
        return "Oslo"
"""


def test_a_second_process_is_refused_and_a_dead_ones_lock_is_free(tmp_path: Path) -> None:
    _write_rows(tmp_path)
    (tmp_path / "slow.py").write_text(WAITING)
    first = _started(tmp_path, "run")
    _wait_for(tmp_path / "run" / "samples.jsonl", 1)
    second = mabench(*_words(tmp_path, "run"), cwd=tmp_path)
    assert second.returncode == 2
    assert f"run is in use by process {first.pid}" in second.stderr
    first.send_signal(signal.SIGKILL)
    first.communicate()
    (tmp_path / "go").touch()
    _finished(tmp_path, "run")


# Ctrl-C alone is in test_resume.py, too.
@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM]
)
def test_a_signal_finishes_what_is_under_way_and_says_how_to_go_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    _write_rows(tmp_path)
    running = _started(tmp_path, "run", "--questions-in-parallel", "3")
    samples = tmp_path / "run" / "samples.jsonl"
    _wait_for(samples, 5)
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert "Stopped. To resume: mabench run" in said
    assert "Traceback" not in said
    assert 5 <= _lines(samples) < 45
    assert all(json.loads(line)["error"] is None for line in samples.read_text().splitlines())
    _finished(tmp_path, "run")


def test_a_second_signal_stops_at_once_and_the_run_can_go_on(tmp_path: Path) -> None:
    _write_rows(tmp_path)
    (tmp_path / "slow.py").write_text(
        (tmp_path / "slow.py").read_text().replace("sleep(0.02)", "sleep(0.02 if MET else 30)")
        + "\nimport os\nMET = 'MET' in os.environ\n"
    )
    running = _started(tmp_path, "run")
    deadline = time.monotonic() + 60
    while not (tmp_path / "run" / "memories.jsonl").is_file():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    for _ in range(2):
        running.send_signal(signal.SIGINT)
        time.sleep(0.3)
    start = time.monotonic()
    _, said = running.communicate(timeout=60)
    assert time.monotonic() - start < 10
    assert running.returncode == 130
    assert "To resume: mabench run" in said
    os.environ["MET"] = "1"
    try:
        _finished(tmp_path, "run")
    finally:
        del os.environ["MET"]


def test_a_folder_that_cannot_be_written_stops_before_anything_is_asked(tmp_path: Path) -> None:
    _write_rows(tmp_path)
    (tmp_path / "file").touch()
    done = mabench(*_words(tmp_path, "file/run"), cwd=tmp_path)
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_read_only_folder_is_refused(tmp_path: Path) -> None:
    _write_rows(tmp_path)
    # Root may write into any folder of a disk, but not here.
    out = "/proc/run" if os.geteuid() == 0 else "locked/run"
    (tmp_path / "locked").mkdir(mode=0o500)
    done = mabench(*_words(tmp_path, out), cwd=tmp_path)
    assert done.returncode == 1
    assert "cannot be written" in done.stderr


def test_a_full_disk_stops_the_run_and_corrupts_nothing(tmp_path: Path) -> None:
    """No file may grow beyond six thousand bytes, so a line of the samples is cut short."""
    _write_rows(tmp_path)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000))

    done = subprocess.run(
        _command(tmp_path, "run"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit,
    )
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
    done = mabench(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["repeat-1", "repeat-2"]
    assert "SD" in done.stdout
