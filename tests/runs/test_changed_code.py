"""A run tells its agent's code from another, asks again what failed, and owns its folder."""

import os
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.errors import UsageError
from mabench.results import Run, rescore
from mabench.results.records.store import RunFolder
from tests.command_line import Done, succeed
from tests.command_line import mabench as command
from tests.progress import RecordedProgress
from tests.rows import dataset, write_rows
from tests.runs.agents import Oslo

FACTS = ("--data", "synthetic:small", "--source", "factconsolidation_sh_6k")
FEW = (*FACTS, "--limit-questions", "2")
AGENT = """
import helper
class Agent:
    def memorize(self, chunk): ...
    def answer(self, query): return helper.ANSWER
"""


def _write(folder: Path, **modules: str) -> None:
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    _write(tmp_path, agent=AGENT, helper="ANSWER = 'Oslo'\n")
    return tmp_path


def _answers(folder: Path) -> set[str]:
    return {sample.prediction or "" for sample in Run(folder).samples()}


@pytest.mark.parametrize("verb", ["resume", "extend", "estimate"])
def test_changed_code_is_refused_by_name_and_run_anew_by_command(here: Path, verb: str) -> None:
    words = ("run", "agent:Agent", *FEW, "--out", "run")
    assert command(*words, cwd=here).returncode == 0
    _write(here, helper="ANSWER = 'Bergen'\n")
    more = {"resume": (), "extend": ("--limit-questions", "3"), "estimate": ("--estimate",)}[verb]
    before = {file: file.read_bytes() for file in (here / "run").iterdir()}
    refused = command(*words, *more, cwd=here)
    assert refused.returncode == 2
    assert "run holds answers of other code: helper.py has changed. --fresh sets" in refused.stderr
    assert f"To run anew: mabench {' '.join((*words, *more))} --fresh\n" in refused.stderr
    assert {file: file.read_bytes() for file in (here / "run").iterdir()} == before
    anew = succeed(*words, *more, "--fresh", cwd=here)
    if verb != "estimate":
        assert "its contents were moved to set-aside-1." in anew.stderr
        assert _answers(here / "run") == {"Bergen"}
        assert _answers(here / "run" / "set-aside-1") == {"Oslo"}
        succeed("report", "run/set-aside-1", cwd=here)


def test_a_folder_of_ours_is_left_unfinished_and_a_changed_agent_gets_another(here: Path) -> None:
    words = ("run", "agent:Agent", *FEW)
    assert command(*words, cwd=here).returncode == 0
    first = next((here / "runs").iterdir())
    lines = (first / "samples.jsonl").read_text().splitlines(keepends=True)
    (first / "samples.jsonl").write_text(lines[0])
    _write(here, helper="ANSWER = 'Bergen'\n")
    anew = succeed(*words, cwd=here)
    second = first.with_name(f"{first.name}-2")
    left = f"runs/{first.name} is left unfinished: helper.py has changed. The run starts over in"
    assert left in anew.stderr
    assert (_answers(first), _answers(second)) == ({"Oslo"}, {"Bergen"})
    _write(here, helper="ANSWER = 'Oslo'\n")
    assert f"Run folder: runs/{first.name}\n" in command(*words, cwd=here).stderr
    assert (
        f"runs/{second.name}: its contents were moved"
        in command(*words, "--fresh", cwd=here).stderr
    )
    assert (_answers(first), _answers(second)) == ({"Oslo"}, {"Oslo"})


def test_what_resumes_a_run_anew_does_not_begin_it_again(here: Path) -> None:
    _write(here, helper="class X: pass\nANSWER = X()\n")
    words = ("run", "agent:Agent", *FEW, "--out", "run", "--fail-fast")
    stopped = command(*words, "--fresh", cwd=here)
    assert f"To resume: mabench {' '.join(words[:-3])} --fail-fast --out run\n" in stopped.stderr
    _write(here, helper="ANSWER = 'Oslo'\n")
    refused = command(*words, "--retry-errors", cwd=here)
    assert f"To run anew: mabench {' '.join(words)} --fresh\n" in refused.stderr


def test_repeats_are_run_anew_together_and_resumed_one_by_one(here: Path) -> None:
    words = ("run", "agent:Agent", *FEW, "--out", "run", "--repeat", "2")
    succeed(*words, cwd=here)
    _write(here, helper="ANSWER = 'Bergen'\n")
    assert "helper.py has changed" in command(*words, cwd=here).stderr
    succeed(*words, "--fresh", cwd=here)
    succeed(*words, cwd=here)  # The same code resumes.
    for name in ("repeat-1", "repeat-2"):
        assert _answers(here / "run" / name) == {"Bergen"}
        assert _answers(here / "run" / name / "set-aside-1") == {"Oslo"}


def test_a_sweep_is_run_anew_as_a_whole(here: Path) -> None:
    words = (
        *("sweep", "agent:Agent", "--source", "factconsolidation_sh", "--out", "swept"),
        *("--knob", "tokens=500,600", "--knob", "questions=1"),
    )
    assert command(*words, cwd=here).returncode == 0
    _write(here, helper="ANSWER = 'Bergen'\n")
    refused = command(*words, cwd=here)
    assert f"To run anew: mabench {' '.join(words)} --fresh\n" in refused.stderr
    assert command(*words, "--fresh", cwd=here).returncode == 0
    for name in ("tokens-500", "tokens-600"):
        folder = here / "swept" / name / "agent-Agent"
        assert _answers(folder / "set-aside-1") == {"Oslo"}
        assert _answers(folder) == {"Bergen"}


def test_nothing_is_retried_and_run_anew_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="leave out `retry_errors`"):
        mabench.run("bm25", dataset(), out=tmp_path / "run", fresh=True, retry_errors=True)


def test_code_that_cannot_be_told_is_said(tmp_path: Path) -> None:
    made: dict[str, Any] = {}
    exec("class Odd:\n def memorize(self, chunk): ...\n def answer(self, query): return ''", made)
    odd = made["Odd"]
    odd.__module__ = "no_such_module"
    progress = RecordedProgress()
    run = mabench.run(odd, dataset(), out=tmp_path / "run", progress=progress)
    assert run.record.code is not None
    assert run.record.code.unknown == ("no_such_module was not found as a file",)
    said = "a change in its code would go unnoticed: no_such_module was not found as a file."
    assert progress.events.count(f"say no_such_module:Odd: {said}") == 1


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
