"""Commands in one line: the examples that each help ends with, in a folder each, and mistakes."""

import json
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from inspect import getsource
from pathlib import Path

import pytest

from mabench.cli.options import WORDS
from mabench.models.replies import ResponseCache
from tests.cli.commands import COMMANDS
from tests.command_line import mabench, succeed
from tests.published_files import beam, locomo
from tests.runs.agents import Shelf

_EXAMPLES = {
    name: [line.removeprefix(f"mabench {name}").strip() for line in command.epilog.splitlines()[1:]]
    for name, command in COMMANDS.items()
}
_LONG = ("run", "sweep", "race", "check", "stress", "audit", "generate")
_LINES = [
    pytest.param(name, line, marks=[pytest.mark.slow] * (name in _LONG))
    for name, both in _EXAMPLES.items()
    for line in both
]
_MEMORY = f"""{getsource(Shelf)}
class MyMemory(Shelf):
    def __init__(self, k: int = 10) -> None:
        super().__init__()
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("examples")
    (place / "my_agent.py").write_text(_MEMORY)
    small = "--data synthetic:start --source ruler_qa1 --source longmemeval --limit-questions 3"
    for agent in ("no-memory", "bm25"):
        succeed("run", agent, *small.split(), cwd=place)
    run = next((place / "runs").iterdir())
    shutil.copy(run / "samples.jsonl", place / "answers.jsonl")
    ResponseCache(place / "replies").close()
    succeed("data", "init", "my-rows", cwd=place)
    (place / "locomo10.json").write_text(json.dumps(locomo()))
    beam(place)
    return place


def test_every_command_has_two_and_nothing_is_said_of_what_is_not_there() -> None:
    assert {name: len(set(both)) for name, both in _EXAMPLES.items()} == dict.fromkeys(COMMANDS, 2)
    for name, command in COMMANDS.items():
        parameters = {parameter.name for parameter in command.params}
        assert {*WORDS[name]} - {"panel", "help", "examples"} <= parameters


@pytest.mark.parametrize(("name", "line"), _LINES, ids=str)
def test_each_runs(name: str, line: str, place: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    shutil.copytree(place, here)
    words = [*name.split()]
    for word in line.split():
        runs = (str(run.relative_to(here)) for run in sorted((here / "runs").iterdir()))
        words += runs if word == "runs/*" else [word]
    if name == "judge":
        words.append("--estimate")  # Else it would be paid for.
    if name == "data init":
        shutil.rmtree(here / "my-rows")
    done = mabench(*words, cwd=here)
    if "is not installed" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr


_SMALL = "--source factconsolidation_sh_6k --limit-questions 1 --quiet"
_NOTES = """
class Notes:
    def __init__(self, best=3): ...
    def memorize(self, chunk): ...
    def answer(self, query): return ""
"""
_MISTAKES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text("utf-8"))["mistakes"]


@pytest.fixture(scope="module")
def spoilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spoilt = tmp_path_factory.mktemp("mistakes")
    for name in ("a", "b"):
        succeed("run", "bm25", *_SMALL.split(), "--out", f"all runs/{name}", cwd=spoilt)
    (spoilt / "list.json").write_text('[{"role": "user"}]')
    (spoilt / "object.json").write_text("{}")
    (spoilt / "old.json").write_text('{"generator": 1, "seed": 0, "rows": []}')
    (spoilt / "bare.json").write_text('{"generator": 3, "seed": 0}')
    row = {"source": "detective_qa", "row": 0, "tokens": 9, "questions": 1, "knobs": {"hops": 1}}
    manifest = {"generator": 3, "seed": 0, "rows": [row | {"difficulty": "real"}]}
    (spoilt / "hops.json").write_text(json.dumps(manifest))
    (spoilt / "mine.py").write_text(_NOTES)
    return spoilt


@pytest.mark.parametrize(("line", "code", "message"), _MISTAKES)
def test_a_mistake_is_answered_in_one_line(
    spoilt: Path, line: str, code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if message == "[inspect]'" and find_spec("inspect_ai"):
        pytest.skip("it is installed")
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    before = sorted(spoilt.rglob("*"))
    done = mabench(*shlex.split(line), cwd=spoilt)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message in done.stderr
    assert done.stderr.startswith("mabench: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert "_Chats" not in done.stderr
    assert sorted(spoilt.rglob("*")) == before


def test_one_chunk_and_one_question_are_not_called_several(tmp_path: Path) -> None:
    made = ("generate", "infbench", "--rows", "1", "--tokens", "300", "--out", "rows")
    succeed(*made, cwd=tmp_path)
    said = mabench("run", "bm25", "--data", "rows", cwd=tmp_path).stderr
    assert "row 0: 1 chunk, 1 question\n" in said
    listed = mabench("data", "chunks", "rows", cwd=tmp_path).stdout
    assert ": 1 chunk of " in listed


@pytest.mark.parametrize(
    ("to", "code", "said"), [(">/dev/full", 1, "mabench: no space is left on the"), (">&-", 0, "")]
)
def test_an_output_that_is_full_or_closed_leaves_no_traceback(
    to: str, code: int, said: str, tmp_path: Path
) -> None:
    command = f"exec {shlex.quote(sys.executable)} -m mabench sources {to}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr[: len(said)]) == (code, said)
    assert "Traceback" not in done.stderr
