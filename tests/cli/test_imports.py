"""Which large packages a command loads: those that it uses, since each takes time and memory."""

import subprocess
import sys
from pathlib import Path

import pytest

import mabench
from tests.rows import write_rows

_LARGE = (
    *("aiohttp", "huggingface_hub", "ijson", "nltk", "numba", "numpy", "pandas", "pyarrow"),
    *("pydantic", "scipy", "sentence_transformers", "sklearn", "torch", "transformers"),
)
_COMMAND = """
import sys
from mabench.__main__ import main
sys.argv = {words!r}
try:
    main()
except SystemExit as ending:
    assert not ending.code, ending.code
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with rows and a finished run over them."""
    folder = tmp_path_factory.mktemp("imports")
    write_rows(folder / "rows.jsonl")
    mabench.run("no-memory", folder / "rows.jsonl", out=folder / "run")
    return folder


def _large_modules(code: str, place: Path) -> set[str]:
    """Return the large packages that are loaded once a program has run in a process of its own."""
    # What the command prints may end in the midst of a line.
    listing = (
        f"{code}\nimport sys, pathlib\npathlib.Path('loaded').write_text(' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", listing], cwd=place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {*(place / "loaded").read_text("utf-8").split()} & {*_LARGE}


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        ("--help", set()),
        ("run --help", {"pydantic"}),  # Typer reads options with it.
        ("runs .", {"numpy", "pydantic"}),
        ("show run", {"numpy", "pydantic"}),
        ("report run", {"numpy", "pydantic", "scipy"}),
        ("run no-memory --data rows.jsonl --fresh", {"numpy", "pydantic", "scipy"}),
        ("run bm25 --data rows.jsonl --fresh", {"numpy", "pydantic", "scipy"}),
        ("run floor --data rows.jsonl --fresh", {"numpy", "pydantic", "scipy"}),
    ],
)
def test_a_command_loads_no_large_package_that_it_does_not_use(
    place: Path, words: str, allowed: set[str]
) -> None:
    code = _COMMAND.format(words=["mabench", *words.split()])
    assert _large_modules(code, place) <= allowed


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import mabench", set()),
        ("import mabench; [*mabench.load('rows.jsonl')]", {"numpy", "pydantic"}),
        ("import mabench; mabench.load('synthetic:small')[0]", {"numpy", "pydantic"}),
        ("import mabench; mabench.score_answer('eventqa_full', 'a', ['a'])", {"pydantic"}),
    ],
)
def test_loading_rows_takes_no_more_than_it_reads_with(
    place: Path, code: str, allowed: set[str]
) -> None:
    assert _large_modules(code, place) <= allowed
