"""Errors are retried in the run that has them, and whoever writes in a run folder owns it."""

import os
from pathlib import Path

import pytest

import mabench
from mabench.errors import UsageError
from mabench.results import Run, rescore
from mabench.results.records.store import RunFolder
from tests.command_line import Done
from tests.command_line import mabench as command
from tests.rows import dataset, write_rows
from tests.runs.agents import Oslo

_AGENT = """
import os
from pathlib import Path
class Moody:
    def memorize(self, chunk): ...
    def answer(self, query):
        with open(os.environ["ASKED"], "a") as asked:
            asked.write("x")
        if "Oslo" in query.question and not Path("well").exists():
            raise ValueError("not today")
        return "Oslo"
"""


def _run(folder: Path, *options: str) -> Done:
    return command("run", "moody:Moody", "--data", "rows.jsonl", *options, cwd=folder)


def test_retrying_takes_the_newest_run_with_errors_and_asks_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    (tmp_path / "moody.py").write_text(_AGENT)
    write_rows(tmp_path / "rows.jsonl")
    first = _run(tmp_path)
    (folder,) = (tmp_path / "runs").iterdir()
    again = f"mabench run moody:Moody --data rows.jsonl --out runs/{folder.name} --retry-errors"
    assert first.returncode == 1
    assert f"To ask again what failed: {again}" in first.stderr
    assert (tmp_path / "asked").read_text() == "x" * 5
    (tmp_path / "well").touch()
    second = _run(tmp_path, "--retry-errors")
    assert second.returncode == 0, second.stderr
    assert [*(tmp_path / "runs").iterdir()] == [folder]
    assert (tmp_path / "asked").read_text() == "x" * 6
    third = _run(tmp_path, "--retry-errors")
    assert third.returncode == 2
    assert "--retry-errors: no run under runs with these settings has errors" in third.stderr
    assert (tmp_path / "asked").read_text() == "x" * 6
    (tmp_path / "well").unlink()
    stopped = _run(tmp_path, "--out", "stopped", "--fail-fast")
    assert "To ask again what failed, add --retry-errors." in stopped.stderr


def test_an_agent_that_changes_the_working_directory_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wanderer(Oslo):
        """Does as some libraries do."""

        def memorize(self, chunk: str) -> None:
            os.chdir("/")

    monkeypatch.chdir(tmp_path)
    run = mabench.run(Wanderer, dataset(), out="run")
    assert run.folder == tmp_path / "run"
    assert len(list(run.samples())) == 5
    assert (tmp_path / "run" / "summary.json").is_file()


def test_scoring_waits_for_whoever_writes_in_the_folder(tmp_path: Path) -> None:
    mabench.run("bm25", dataset(), out=tmp_path / "run")
    before = (tmp_path / "run" / "samples.jsonl").read_bytes()
    refused = pytest.raises(UsageError, match=f"in use by process {os.getpid()}")
    with RunFolder(tmp_path / "run").own(), refused:
        rescore(tmp_path / "run")
    assert (tmp_path / "run" / "samples.jsonl").read_bytes() == before
    assert len(list(Run(rescore(tmp_path / "run").folder).samples())) == 5
