"""What is no file in a run folder is named, and never waited for."""

import contextlib
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.errors import DataError, MabenchError
from mabench.results import Run
from tests.command_line import within
from tests.rows import dataset

pytestmark = pytest.mark.corrupts_runs
FILES = [
    *("run.json", "samples.jsonl", "timings.jsonl", "memories.jsonl", "judgments.jsonl"),
    *("summary.json", ".lock", ".owner"),
]


def bound(path: Path) -> None:
    # A socket's path must be short.
    with socket.socket(socket.AF_UNIX) as one, contextlib.chdir(path.parent):
        one.bind(path.name)


MAKERS: dict[str, Callable[[Path], object]] = {
    "a named pipe": os.mkfifo,
    "a socket": bound,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
}


def ended(work: Callable[[], Any]) -> str:
    """Return the error that ends some work within 10 seconds; an empty text without one."""
    with within(10):
        try:
            work()
        except MabenchError as error:
            return str(error)
    return ""


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    mabench.run("bm25", dataset(), out=tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("name", FILES)
def test_what_is_no_file_is_named(finished: Path, name: str, kind: str) -> None:
    file = finished / name
    file.unlink(missing_ok=True)
    MAKERS[kind](file)
    said = ended(lambda: mabench.run("bm25", dataset(), out=finished))
    # Only a user with all rights can make a device, so that here a link leads to one.
    assert f"{file} is {kind}, not a file; remove it" in said or (
        file.is_symlink() and f"{file}: a link" in said
    )
    if name.endswith(".jsonl"):
        assert f"{file} is {kind}" in ended(lambda: Run(finished).summary)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
@pytest.mark.parametrize("name", FILES)
def test_a_run_is_not_begun_over_a_pipe(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    os.mkfifo(folder / name)
    said = ended(lambda: mabench.run("bm25", dataset(), out=folder))
    is_opened = name == "run.json" or name.startswith(".")
    assert ("is a named pipe" if is_opened else f"holds other things, such as {name}") in said


def test_a_folder_that_cannot_be_looked_at_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(DataError, match="run"):
        mabench.run("bm25", dataset(), out=tmp_path / "file" / "run")
