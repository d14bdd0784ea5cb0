"""The examples that each command's help ends with: each is run, in a folder with what it names."""

import json
import shutil
from inspect import getsource
from pathlib import Path

import pytest

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


def test_every_command_has_two() -> None:
    assert {name: len(set(both)) for name, both in _EXAMPLES.items()} == dict.fromkeys(COMMANDS, 2)


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
