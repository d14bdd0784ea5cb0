import json
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.command_line import mabench, succeed

_SMALL = "--source factconsolidation_sh_6k --limit-questions 1 --quiet"
_NOTES = """
class Notes:
    def __init__(self, best=3): ...
    def memorize(self, chunk): ...
    def answer(self, query): return ""
"""
_MISTAKES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text("utf-8"))["mistakes"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("mistakes")
    for name in ("a", "b"):
        succeed("run", "bm25", *_SMALL.split(), "--out", f"all runs/{name}", cwd=place)
    (place / "list.json").write_text('[{"role": "user"}]')
    (place / "object.json").write_text("{}")
    (place / "old.json").write_text('{"generator": 1, "seed": 0, "rows": []}')
    (place / "bare.json").write_text('{"generator": 3, "seed": 0}')
    row = {"source": "detective_qa", "row": 0, "tokens": 9, "questions": 1, "knobs": {"hops": 1}}
    manifest = {"generator": 3, "seed": 0, "rows": [row | {"difficulty": "real"}]}
    (place / "hops.json").write_text(json.dumps(manifest))
    (place / "mine.py").write_text(_NOTES)
    return place


@pytest.mark.parametrize(("line", "code", "message"), _MISTAKES)
def test_a_mistake_is_answered_in_one_line(
    place: Path, line: str, code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if message == "[inspect]'" and find_spec("inspect_ai"):
        pytest.skip("it is installed")
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    before = sorted(place.rglob("*"))
    done = mabench(*shlex.split(line), cwd=place)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message in done.stderr
    assert done.stderr.startswith("mabench: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert "_Chats" not in done.stderr
    assert sorted(place.rglob("*")) == before


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
