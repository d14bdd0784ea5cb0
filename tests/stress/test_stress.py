"""A stress finds what a memory must not do, says it by its name, and passes what is right."""

from __future__ import annotations

import base64
import gzip
import json
import threading
import time as clock
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.errors import DataError, UsageError
from mabench.stress_tests import read_report
from mabench.stress_tests.files import traces_in
from tests.command_line import mabench as run_command
from tests.stress.faulty._base import Filed, Held

HERE = Path(__file__).parent
FAULTY = sorted(path.stem for path in HERE.glob("faulty/[!_]*.py"))
CORRECT = sorted(path.stem for path in HERE.glob("correct/[!_]*.py"))
# Short: two clients, no time for growth or kills.
SHORT: dict[str, Any] = {"seconds": 2, "clients": (1, 2)}


class Kept(Held):
    """Its deletions are forgotten."""

    def delete(self, id: str | None = None, *, user: str | None = None) -> None: ...


class Killed(Filed):
    """Writes of its log wait for the next call."""

    waiting: str = ""

    def _append(self, one: Any) -> None:
        line, self.waiting = self.waiting, one.line()
        with self.log.open("a", encoding="utf-8") as log:
            log.write(line)

    def close(self) -> None:
        with self.log.open("a", encoding="utf-8") as log:
            log.write(self.waiting)


@pytest.mark.slow  # On a loaded machine few histories are made in a short time.
def test_a_fault_is_found_and_its_history_can_be_run_again(tmp_path: Path) -> None:
    report = mabench.stress(Kept, **{**SHORT, "seconds": 10})
    finding = report.findings[0]
    assert (finding.name, finding.severity, report.passed) == ("deleted-found", "fault", False)
    assert [each.op for each in finding.history if each.op != "ready"] in (
        ["add", "delete", "search"],
        ["add", "delete", "list"],
        ["add", "delete-user", "search"],
        ["add", "delete-user", "list"],
    )
    report.write(tmp_path / "report.json")
    # What was seen is said of the shortest history, and not of the one that was found first.
    written = json.loads((tmp_path / "report.json").read_text())["findings"][0]
    assert written["message"].split()[0] in json.dumps(written["history"])
    assert read_report(tmp_path / "report.json") == report
    again = mabench.stress(Kept, replay=tmp_path / "report.json")
    assert [each.name for each in again.findings] == [each.name for each in report.findings]
    sound = mabench.stress(Held, replay=tmp_path / "report.json")
    assert sound.passed
    assert not sound.findings
    known = mabench.stress(Kept, baseline=tmp_path / "report.json", **SHORT)
    assert known.passed
    assert known.findings


def test_the_same_seed_gives_the_same_report_apart_from_times() -> None:
    timed = {"latency", "harness", "sizes", "readiness", "seconds"}

    def report() -> str:
        made = mabench.stress(Held, seed=3, **SHORT).as_dict()
        tried = made.pop("tried")  # Where there was no time for all, fewer were made.
        assert tried
        return json.dumps({name: of for name, of in made.items() if name not in timed})

    assert report() == report()


def test_what_a_kill_loses_is_shown_again_by_its_history(tmp_path: Path) -> None:
    made = mabench.stress(Held, **SHORT).as_dict()
    told = {"user": "mara", "fact": 0, "client": 1}
    history: list[dict[str, object]] = [
        {"op": "add", "step": 1, **told, "version": 0, "time": "2024-03-01T10:00:00+00:00"},
        {"op": "kill", "step": 2, "client": 1},
        {"op": "ready", "step": 3, "client": 1},
        {"op": "search", "step": 4, **told, "k": 50},
    ]
    finding = {"name": "lost-on-kill", "severity": "fault", "message": "?", "history": history}
    file = tmp_path / "report.json"
    file.write_text(json.dumps({**made, "findings": [{**finding, "elsewhere": True}]}))
    again = mabench.stress("tests.stress.test_stress:Killed", replay=file)
    assert [each.name for each in again.findings] == ["lost-on-kill"]
    assert mabench.stress("tests.stress.faulty._base:Filed", replay=file).passed


def test_deleted_words_are_found_in_files_however_they_are_written(tmp_path: Path) -> None:
    text = "The keeper of Brevkal is Zulmarkon."
    forms = {
        "plain.txt": text.upper().encode(),
        "wide.bin": b"\0" + text.encode("utf-16-le"),
        "packed.bin": b"xx" + gzip.compress(text.encode()) + b"yy",
        "coded.txt": b"  " + base64.b64encode(b"a" + text.encode()),
        "sound.txt": b"The keeper of Brevkal is nobody.",
    }
    for name, content in forms.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "Zulmarkon.idx").touch()
    traces = [where for _, where in traces_in(tmp_path, ["Zulmarkon"])]
    assert [*map(str.strip, sorted(traces))] == [
        "in coded.txt in base64",
        "in packed.bin as text, compressed",
        "in plain.txt as text",
        "in the name of Zulmarkon.idx",
        "in wide.bin as UTF-16",
    ]


class Hangs(Held):
    def add(self, text: str, **fields: Any) -> str:
        threading.Event().wait(300)
        return ""


class Raises(Held):
    def __init__(self) -> None:
        super().__init__()
        raise RuntimeError("no disk\x1b[31m")


def test_what_cannot_be_stressed_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(UsageError, match=r"making .*Raises failed: RuntimeError: no disk"):
        mabench.stress(Raises)
    with pytest.raises(UsageError, match="is an agent, not a memory"):
        mabench.stress("floor")
    with pytest.raises(UsageError, match="at least 1"):
        mabench.stress(Held, seconds=0)
    with pytest.raises(UsageError, match=r"Hangs cannot be stressed: .*no result within 5 s"):
        mabench.stress(Hangs, seconds=2)
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(DataError, match="is no report"):
        mabench.stress(Held, replay=tmp_path / "no.json")
    assert [file.name for file in tmp_path.iterdir()] == ["no.json"]


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTY)
def test_each_planted_fault_is_found(name: str) -> None:
    module = import_module(f"tests.stress.faulty.{name}")
    begun = clock.monotonic()
    report = mabench.stress(f"tests.stress.faulty.{name}:Memory", seconds=50)
    assert module.FAULT in {each.name for each in report.findings}
    assert clock.monotonic() - begun < 75  # 60 on a machine of its own.


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", CORRECT)
def test_nothing_is_found_where_nothing_is(name: str, seed: int) -> None:
    report = mabench.stress(f"tests.stress.correct.{name}:Memory", seed=seed, seconds=20)
    assert [each.message for each in report.findings] == []


def test_the_command_prints_findings_and_exits_with_1(tmp_path: Path) -> None:
    name = "tests.stress.test_stress:Kept"
    short = ("--for", "3", "--clients", "1")
    done = run_command(
        "stress", name, *short, "--out", "report.json", "--format", "json", cwd=tmp_path
    )
    assert done.returncode == 1
    printed = json.loads(done.stdout)
    assert printed == json.loads((tmp_path / "report.json").read_text())
    assert {"schema", "findings", "latency", "seed"} <= printed.keys()
    again = run_command("stress", name, "--replay", "report.json", cwd=tmp_path)
    assert again.returncode == 1
    assert "deleted-found" in again.stdout
    for option, value in {"--clients": "x", "--for": "0", "--faults": "model=2"}.items():
        wrong = run_command("stress", name, option, value, cwd=tmp_path)
        assert wrong.returncode == 2
        assert wrong.stderr.startswith(f"mabench: {option}")
    missing = run_command("stress", name, "--baseline", "none.json", cwd=tmp_path)
    assert missing.returncode == 1
    assert "none.json" in missing.stderr
