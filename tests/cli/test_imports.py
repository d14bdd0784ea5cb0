"""What a command loads of large packages and parts: what it uses, since each takes time."""

import subprocess
import sys
from pathlib import Path

import pytest

import mabench
from tests.rows import write_rows

# The parts of mabench that run agents, score answers or compare scores.
_WORK = {
    f"mabench.{part}"
    for part in (
        *("agents", "audit", "check", "comparison", "families", "injection", "lookup", "metering"),
        *("page", "races", "remote", "runs", "scoring", "stressing", "tasks", "text"),
    )
}
_LARGE = (
    *_WORK,
    *("aiohttp", "httpx2", "huggingface_hub", "ijson", "nltk", "numba", "numpy", "pandas"),
    *("pyarrow", "pydantic", "scipy", "sentence_transformers", "sklearn", "torch", "transformers"),
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
    """Return what of these is loaded once a program has run in a process of its own."""
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
        ("runs .", {"pydantic"}),
        ("show run", {*_WORK, "numpy", "pydantic"}),
        ("report run", {*_WORK, "numpy", "pydantic", "scipy"}),
        ("run no-memory --data rows.jsonl --fresh", {*_WORK, "numpy", "pydantic", "scipy"}),
        ("run bm25 --data rows.jsonl --fresh", {*_WORK, "numpy", "pydantic", "scipy"}),
        ("run floor --data rows.jsonl --fresh", {*_WORK, "numpy", "pydantic", "scipy"}),
    ],
)
def test_a_command_loads_nothing_large_that_it_does_not_use(
    place: Path, words: str, allowed: set[str]
) -> None:
    code = _COMMAND.format(words=["mabench", *words.split()])
    assert _large_modules(code, place) <= allowed


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import mabench", set()),
        ("import mabench; [*mabench.load('rows.jsonl')]", {*_WORK, "pydantic"}),
        ("import mabench; mabench.load('synthetic:small')[0]", {*_WORK, "numpy", "pydantic"}),
        ("import mabench; mabench.score_answer('eventqa_full', 'a', ['a'])", {*_WORK, "pydantic"}),
    ],
)
def test_loading_rows_takes_no_more_than_it_reads_with(
    place: Path, code: str, allowed: set[str]
) -> None:
    assert _large_modules(code, place) <= allowed
