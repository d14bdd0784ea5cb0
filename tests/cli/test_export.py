import importlib.util
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.command_line import Done
from tests.command_line import mabench as command
from tests.comparison.made import made_run

_DOCS = Path(__file__).parents[2] / "docs" / "guides" / "export.md"


Command = Callable[..., Done]


@pytest.fixture
def mabench(tmp_path: Path) -> Command:
    for name in ("mine", "runs/bm25", "runs/none"):
        made_run(tmp_path / name, {"ruler_qa1_197K": [[1, 0, 1]]})
    return partial(command, cwd=tmp_path)


def test_the_examples_in_the_docs_work_and_an_unfinished_run_says_so(
    mabench: Command, tmp_path: Path
) -> None:
    text = _DOCS.read_text(encoding="utf-8")
    commands = re.findall(r"^mabench (export .+)$", text, re.MULTILINE)
    assert len(commands) == 5
    for line in commands:
        if "inspect" not in line:  # tests/export has those.
            done, (*_, out) = mabench(*line.split()), line.split()
            assert (done.returncode, done.stdout) == (0, "")
            assert f"written: {out}" in done.stderr
            assert (tmp_path / out).stat().st_size
    file = tmp_path / "mine" / "samples.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:2]))
    done = mabench("export", "mine", "--to", "csv", "--out", "x.csv")
    assert done.returncode == 0
    assert "mine: unfinished, 2 of 3 questions" in done.stderr


@pytest.mark.skipif(
    importlib.util.find_spec("inspect_ai") is not None, reason="inspect_ai is installed"
)
def test_without_inspect_the_extra_is_named(mabench: Command, tmp_path: Path) -> None:
    done = mabench("export", "mine", "--to", "inspect", "--out", "logs")
    assert done.returncode == 1
    assert "[inspect]'" in done.stderr
    assert not (tmp_path / "logs").exists()
