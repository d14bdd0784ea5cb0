from pathlib import Path

import pytest

from mabench.data import export_hub_layout
from tests.command_line import run_python
from tests.rows import dataset

# Runs a command line where neither the entry points nor the modules of the guests are there.
_ALONE = """
import importlib.metadata as metadata
import sys

class NoGuests:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("mabench_"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

installed = metadata.entry_points
metadata.entry_points = lambda **chosen: tuple(
    point for point in installed(**chosen) if not point.value.startswith("mabench_")
)
sys.meta_path.insert(0, NoGuests())
from mabench.cli import main
main()
"""
_AGENT = """
class Notes:
    def __init__(self):
        self.chunks = []
    def memorize(self, chunk):
        self.chunks.append(chunk)
    def answer(self, query):
        return self.chunks[0]
"""


_FIRST = ("run own_notes:Notes --data rows --out run", "run oracle --data rows --out best")
_REST = ("score run", "page run --out run.html", "check own_notes:Notes", "agents", "show run")


@pytest.mark.parametrize(
    "commands", [("compare run best",), pytest.param(_REST, marks=pytest.mark.slow)]
)
def test_an_agent_is_run_and_reported_without_guests(
    commands: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "own_notes.py").write_text(_AGENT, "utf-8")
    export_hub_layout(dataset(), tmp_path / "rows")
    for line in (*_FIRST, *commands):
        done = run_python(_ALONE, *line.split(), cwd=tmp_path)
        assert done.returncode == 0, (line, done.stderr)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("run", "floor", "--data", "rows"), "mabench_floor"),
        pytest.param(("run", "bm25", "--data", "rows"), "mabench_floor", marks=pytest.mark.slow),
        pytest.param(("run", "mem0", "--data", "rows"), "mabench_systems", marks=pytest.mark.slow),
        (("run", "oracle", "--data", "synthetic:small"), "mabench_synthetic"),
        pytest.param(
            ("generate", "ruler_qa1", "--out", "made"), "mabench_synthetic", marks=pytest.mark.slow
        ),
        (("data", "import", "locomo", "rows", "--out", "made"), "mabench_external"),
    ],
)
def test_a_missing_name_says_which_part_brings_it(
    words: tuple[str, ...], part: str, tmp_path: Path
) -> None:
    export_hub_layout(dataset(), tmp_path / "rows")
    done = run_python(_ALONE, *words, cwd=tmp_path)
    assert part in done.stderr
    assert done.returncode == 2
