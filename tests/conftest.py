"""Fixtures that every test folder shares."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import settings

from mabench.tasks import signals
from tests import KEEPS_NO_BYTECODE
from tests.models.server import KEY, Served, serving
from tests.run_folders import check_run_folder

# The machines are noisy: an example may be slow without being wrong.
settings.register_profile("patient", settings(), deadline=None)
settings.load_profile("patient")

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(autouse=True, scope="session")
def _no_watchdogs() -> Iterator[None]:
    """Start no process beside each run in this one, which took a tenth of the tests' time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(signals, "watchdog", lambda waits, remedy: nullcontext(lambda: None))
        yield


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with real rows, or a skip that says where it was looked for."""
    folder = Path(os.environ.get("MABENCH_REAL_DATA", _BESIDE))
    if not folder.is_dir():
        pytest.skip(f"no real rows at {folder} (set MABENCH_REAL_DATA)")
    return folder


@pytest.fixture(scope="session")
def parity(real_data: Path) -> Path:
    """The folder with what the published code computes, or a skip."""
    folder = real_data.parent / "parity"
    if not folder.is_dir():
        pytest.skip(f"no parity files at {folder}")
    return folder


def pytest_configure(config: pytest.Config) -> None:
    # Workers of pytest-xdist have the terminal's width there; a reader of a pipe does not.
    os.environ.pop("COLUMNS", None)
    config.addinivalue_line("markers", "corrupts_runs: leaves run folders that follow no schema")


@pytest.fixture
def served() -> Iterator[Served]:
    """A server of models on loopback, which counts what it is asked."""
    with serving() as one:
        yield one


@pytest.fixture
def key_and_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Set the key of that server, and a folder of the test's own for replies."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    """Write the prices of that server's models, a chat and an embedding."""
    file = tmp_path / "prices.toml"
    file.write_text("[m]\ninput = 1\noutput = 10\n\n[e]\ninput = 0.5\noutput = 0\n")
    return file


@pytest.fixture
def dollars(tmp_path: Path) -> Path:
    """Write prices by which a reply of three tokens, as ``tests.models.server`` gives, is $1."""
    file = tmp_path / "prices.toml"
    file.write_text('["m"]\ninput = 0\noutput = 333333.33333334\n', encoding="utf-8")
    return file


@pytest.fixture
def short_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a check tell texts of a tenth of their length, which is not what a test is about."""
    monkeypatch.setattr("mabench.check.texts._CHARACTERS", 10_000)
    monkeypatch.setattr("mabench.check.texts._CHARACTERS_OF_CHUNK", 13_000)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Take the hundreds of thousands of objects that imports make out of what is collected.

    Without this, a quarter of the tests' time goes into walking through them again and again.
    What the tests make is collected as ever.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()
        sys.dont_write_bytecode = KEEPS_NO_BYTECODE


@pytest.fixture(autouse=True)
def _run_folders_follow_their_schemas(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hold every run folder that a test leaves behind against the schemas."""
    if "tmp_path" not in request.fixturenames or request.node.get_closest_marker("corrupts_runs"):
        yield
        return
    folder: Path = request.getfixturevalue("tmp_path")
    yield
    for record in folder.rglob("run.json"):
        check_run_folder(record.parent)
