"""A run goes on where it ended: resumed, killed, stopped, on a full disk; and is extended."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mabench
from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.results import Run
from tests import parts
from tests.command_line import mabench as command
from tests.command_line import start, succeed, until
from tests.rows import dataset, keep_samples, row, two_rows, write_rows
from tests.runs.agents import Notes

RULER, SECOND, FACTS = "ruler_qa1_197K", "ruler_qa2_421K", "factconsolidation_sh_6k"
_TIMES = {"seconds_memorize", "seconds_answer", "add", "add_per_1000_tokens", "search"}


def _without_seconds(summary: Any) -> Any:
    if not isinstance(summary, dict):
        return summary
    return {key: _without_seconds(part) for key, part in summary.items() if key not in _TIMES}


def test_a_folder_with_another_run_is_refused(tmp_path: Path) -> None:
    how: dict[str, Any] = {"agent": Notes, "data": dataset(), "out": tmp_path / "run"}
    mabench.run(**how)
    (tmp_path / "prompts.toml").write_text('[ruler]\nanswer = "{question}"\n')
    other = dataset([row(RULER, "Other.", [("Who?", ["I"])])])
    for change, named in (
        ({"agent": "bm25"}, "agent"),
        ({"protocol": "paper"}, "protocol"),
        ({"chunk_tokens": 99}, "`chunk_tokens` is None there and 99 here"),
        ({"prompts": tmp_path / "prompts.toml"}, "prompts hash"),
        ({"data": other}, "fingerprint"),
    ):
        with pytest.raises(UsageError, match=named):
            parts.run(**how | change)


def test_without_out_a_finished_or_narrower_run_is_left_and_an_unfinished_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = (mabench.run("bm25", dataset()).folder for _ in range(2))
    assert first == tmp_path / "runs" / "bm25-small-rows"
    assert second == tmp_path / "runs" / "bm25-small-rows-2"
    samples = first / "samples.jsonl"
    samples.write_bytes(samples.read_bytes()[:-20])
    assert mabench.run("bm25", dataset()).folder == first
    narrow = mabench.run("bm25", dataset(), limit_questions=1).folder
    assert narrow not in (first, second)
    mabench.run("bm25", dataset(), out=narrow, limit_questions=2)
    third = mabench.run("bm25", dataset(), limit_questions=1).folder
    assert third.name == f"{narrow.name}-2", "the extended run is not that of this name any more"


# Is slow, says in which processes it is, and answers once alone while there is a file.
SLOW = """
import os, time
from pathlib import Path
class Slow:
    asked = 0
    def memorize(self, chunk):
        Path("pids", str(os.getpid())).touch()
    def answer(self, query):
        Slow.asked += 1
        time.sleep(float(os.environ.get("SLOW_SECONDS", "0.02")))
        while Slow.asked > 1 and Path("wait").exists():
            time.sleep(0.01)
        return query.question.split()[-1].strip("?")
"""


def _words(out: str) -> list[str]:
    return ["run", "slow:Slow", "--data", "rows.jsonl", "--out", out]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with that agent, 45 questions, and a whole run."""
    place = tmp_path_factory.mktemp("finished")
    pairs = [(f"Where does Ann number {n} live?", ["live"]) for n in range(40)]
    write_rows(place / "rows.jsonl", [*two_rows(), row(SECOND, "Document 1:\nA.", pairs)])
    (place / "slow.py").write_text(SLOW)
    (place / "pids").mkdir()
    _finished(place, "whole")
    return place


@pytest.fixture
def place(finished: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("pids"))
    (tmp_path / "pids").mkdir()
    return tmp_path


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.is_file() else 0


def _started(place: Path, out: str, *options: str) -> tuple[subprocess.Popen[str], Path]:
    """Start a run, and return its process and where its samples will be."""
    return start(*_words(out), *options, cwd=place), place / out / "samples.jsonl"


def _finished(place: Path, out: str) -> bytes:
    """Resume a run and return its samples, which must be whole."""
    succeed(*_words(out), cwd=place)
    keys = [sample.key for sample in Run(place / out).samples()]
    assert len(keys) == len({*keys}) == 45
    return (place / out / "samples.jsonl").read_bytes()


_SLOWLY = [pytest.mark.slow]
_PROCESSES = ("--executor", "processes", "--rows-in-parallel", "2")
_AT_ONCE = ("--questions-in-parallel", "3")


@pytest.mark.parametrize(
    ("numbers", "after", "options"),
    [
        ([signal.SIGKILL], 17, ()),
        *(
            pytest.param([signal.SIGKILL], after, (), marks=_SLOWLY)
            for after in (*range(16), 23, 31, 39, 44)
        ),
        ([signal.SIGKILL], 4, _PROCESSES),
        pytest.param([signal.SIGINT], 4, _PROCESSES, marks=_SLOWLY),
        # Another case and tests/runs/test_stopping.py send the other signal.
        ([signal.SIGTERM], 5, _AT_ONCE),
        pytest.param([signal.SIGINT], 5, _AT_ONCE, marks=_SLOWLY),
        ([signal.SIGINT, signal.SIGINT], 1, ()),
    ],
)
def test_a_run_that_is_stopped_says_so_and_asks_the_rest_when_it_goes_on(
    place: Path,
    numbers: list[signal.Signals],
    after: int,
    options: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first signal lets answers end; the second stops at once."""
    monkeypatch.setenv("SLOW_SECONDS", "0.1" if "processes" in options else "0.02")
    if len(numbers) == 2:
        (place / "wait").touch()
    running, samples = _started(place, "run", *options)
    until((samples.parent / "run.json").is_file)
    until(lambda: _lines(samples) >= after)
    for number in numbers:
        if number is signal.SIGINT:
            os.killpg(running.pid, number)  # As Ctrl-C does: every process of the group.
            time.sleep(0.3)
        else:
            running.send_signal(number)
    _, said = running.communicate(timeout=600)
    until(lambda: not any(Path("/proc", one.name).exists() for one in (place / "pids").iterdir()))
    assert "Traceback" not in said
    assert after <= _lines(samples) < 46
    if number is not signal.SIGKILL:
        assert running.returncode == 128 + number
        assert "To resume: mabench run" in said
        assert (samples.parent / "summary.json").is_file() or len(numbers) == 2
        assert {sample.error for sample in Run(samples.parent).samples()} == {None}
    kept = samples.read_bytes().rpartition(b"\n")[0] if samples.is_file() else b""
    (place / "wait").unlink(missing_ok=True)
    monkeypatch.setenv("SLOW_SECONDS", "0")
    resumed, whole = _finished(place, "run"), (place / "whole" / "samples.jsonl").read_bytes()
    assert resumed.startswith(kept), "no answered question is asked again"
    assert sorted(resumed.splitlines()) == sorted(whole.splitlines())
    files = [place / name / "summary.json" for name in ("whole", "run")]
    first, second = [_without_seconds(json.loads(file.read_text())) for file in files]
    assert first == second


def test_a_second_process_is_refused_and_a_dead_ones_lock_is_free(place: Path) -> None:
    (place / "wait").touch()
    first, samples = _started(place, "run")
    until(lambda: _lines(samples))
    second = command(*_words("run"), cwd=place)
    assert second.returncode == 2
    assert f"run is in use by process {first.pid}" in second.stderr
    first.send_signal(signal.SIGKILL)
    first.communicate()
    (place / "wait").unlink()
    _finished(place, "run")


# Root may write into any folder of a disk, but not into the first.
@pytest.mark.parametrize("out", ["/proc/run" if os.geteuid() == 0 else "locked/run", "file/run"])
def test_a_folder_that_cannot_be_written_is_refused(place: Path, out: str) -> None:
    (place / "locked").mkdir(mode=0o500)
    (place / "file").touch()
    done = command(*_words(out), cwd=place)
    assert done.returncode == 1
    assert "the run folder cannot be written: " in done.stderr
    assert done.stderr.endswith("; give another --out\n")
    assert "Traceback" not in done.stderr


def test_a_full_disk_stops_the_run_and_corrupts_nothing(place: Path) -> None:
    """No file may grow beyond twelve thousand bytes, so a line of the samples is cut short."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, hard))
    try:
        done = command(*_words("run"), cwd=place)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert done.returncode == 1
    assert "samples.jsonl: cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    whole = b"".join((place / "run" / "samples.jsonl").read_bytes().splitlines(keepends=True)[:-1])
    assert 0 < whole.count(b"\n") < 45
    assert _finished(place, "run").startswith(whole)


# Each has three questions.
ROWS = ((RULER, 0), (RULER, 1), (SECOND, 2), (FACTS, 0))


def _rows() -> Dataset:
    pairs = {place: [("{} {} {}?".format(*place, n), ["a"]) for n in range(3)] for place in ROWS}
    return dataset([row(s, f"Document 1:\n{s}.", pairs[s, index], index) for s, index in ROWS])


def _run(out: Path, **narrowed: Any) -> list[str]:
    """Run, and return what was asked now; all that was asked so far is in the folder."""
    Notes.told, Notes.asked = [], []
    run = mabench.run(Notes, _rows(), out=out, **narrowed)
    samples = list(run.samples())
    assert len({sample.key for sample in samples}) == len(samples)
    assert sum(run.record.questions.values()) == len(samples)
    assert {sample.question for sample in samples} >= {*Notes.asked}
    assert run.summary.spent.n == len(samples)
    return Notes.asked


def test_only_rows_of_which_more_is_asked_are_told_again_also_of_an_unfinished_run(
    tmp_path: Path,
) -> None:
    out = tmp_path / "run"
    _run(out, sources=[FACTS], limit_questions=1)
    assert _run(out, sources=[FACTS], limit_questions=2) == [f"{FACTS} 0 1?"]
    assert len(Notes.told) == 1
    assert _run(out, sources=[FACTS]) == [f"{FACTS} 0 2?"]
    keep_samples(out, 1)
    second = [f"{SECOND} 2 {n}?" for n in range(3)]
    assert _run(out, sources=[SECOND, FACTS]) == second + [f"{FACTS} 0 {n}?" for n in (1, 2)]
    assert len(_run(out, sources=[RULER, FACTS, SECOND])) == 6
    assert Notes.told == [f"Document 1:\n{RULER}."] * 2


def _questions(
    sources: Collection[str] | None, rows: Collection[int] | None, limit_questions: int | None
) -> set[str]:
    """What is asked, computed anew."""
    return {
        f"{source} {index} {n}?"
        for source, index in ROWS
        for n in range(limit_questions or 3)
        if (sources is None or source in sources) and (rows is None or index in rows)
    }


_PARTS: dict[str, st.SearchStrategy[Any]] = {
    "sources": st.none() | st.sets(st.sampled_from([RULER, SECOND, FACTS]), min_size=1),
    "rows": st.none() | st.sets(st.integers(0, 2), min_size=1),
    "limit_questions": st.none() | st.integers(1, 3),
}
_NARROWED = st.fixed_dictionaries(_PARTS).filter(lambda narrowed: bool(_questions(**narrowed)))


@settings(max_examples=25)
@given(before=_NARROWED, after=_NARROWED)
def test_a_run_either_asks_exactly_the_rest_or_changes_nothing(
    before: dict[str, Any], after: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    out = tmp_path_factory.mktemp("runs") / "run"
    _run(out, **before)
    files = {file.name: file.read_bytes() for file in out.iterdir()}
    missing = _questions(**before) - _questions(**after)
    try:
        asked = _run(out, **after)
    except UsageError:
        assert missing or after["rows"] is not None or after["limit_questions"] is not None
        assert {file.name: file.read_bytes() for file in out.iterdir()} == files
    else:
        assert not missing
        assert {*asked} == _questions(**after) - _questions(**before)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ({}, {"sources": [RULER]}, f"{SECOND}, {FACTS}, which `sources` excludes here"),
        ({"sources": [RULER]}, {"sources": [FACTS]}, f"{RULER}, which `sources` excludes here"),
        ({"rows": [0, 1]}, {"rows": [1]}, "row 0, which `rows` leaves out here"),
        ({"sources": [RULER]}, {"rows": [1]}, "all rows, of which `rows` names 1 here"),
        ({}, {"limit_questions": 2}, "every question of each row, where `limit_questions` is 2"),
        ({"limit_questions": 2}, {"limit_questions": 1}, "2 questions of each row, where `limit_q"),
    ],
)
def test_what_would_leave_questions_out_is_refused_by_name(
    before: dict[str, Any], after: dict[str, Any], message: str, tmp_path: Path
) -> None:
    _run(tmp_path / "run", **before)
    with pytest.raises(UsageError, match=message) as raised:
        _run(tmp_path / "run", **after)
    assert "can be extended, not narrowed" in str(raised.value)
    assert Notes.asked == []


def test_the_command_line_extends_and_says_so(tmp_path: Path) -> None:
    small = ("run", "bm25", "--data", "synthetic:small", "--out", "run", "--limit-questions", "2")
    succeed(*small, "--source", FACTS, cwd=tmp_path)
    first = json.loads((tmp_path / "run" / "run.json").read_text())
    done = succeed(*small, "--source", FACTS, "--source", RULER, cwd=tmp_path)
    assert "run: 2 of 4 questions answered already, 2 to ask." in done.stderr
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["questions"] == {FACTS: 2, RULER: 2}
    assert record["command"].endswith(f"--source {FACTS} --source {RULER}")
    changed = {name for name in record if record[name] != first[name]}
    # Both may have finished within one second.
    assert changed - {"finished"} == {"command", "questions"}
    refused = command(*small, "--source", RULER, cwd=tmp_path)
    assert refused.returncode == 2
    assert f"{FACTS}, which --source excludes here" in refused.stderr
