"""Stress tests leave nothing of Hypothesis behind, and no literal of the user's modules."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import configuration, given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

import mabench
from mabench.specs import StressSpec
from mabench.stressing.histories.seclusion import secluded_hypothesis

_KEY = "Zq7vT2mXw9LrB4nKd8"
_MEMORY = f'''
KEY = "{_KEY}"

class Memory:
    def __init__(self):
        self.texts = []

    def add(self, text):
        self.texts.append(text)

    def search(self, query, k):
        return self.texts[-k:]
'''


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that Hypothesis would write into, beside a module with a key."""
    (tmp_path / "keyed.py").write_text(_MEMORY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "temporary").mkdir()
    before = getattr(configuration, "__hypothesis_home_directory")
    configuration.set_hypothesis_home_dir(tmp_path / ".hypothesis")
    yield tmp_path
    configuration.set_hypothesis_home_dir(before)
    sys.modules.pop("keyed", None)


def _holding(folder: Path) -> list[str]:
    # What Python compiles of a module in other processes repeats it.
    files = [file for file in folder.rglob("*") if file.suffix != ".pyc" and file.is_file()]
    return [file.name for file in files if _KEY.encode() in file.read_bytes()]


def test_no_file_holds_a_literal_of_the_memorys_module(home: Path) -> None:
    report = mabench.stress("keyed:Memory", StressSpec(seconds=1, clients=(1,)))
    assert _holding(home) == ["keyed.py"]
    assert not (home / ".hypothesis").exists()
    assert _KEY not in report.to_json()


def test_literals_are_neither_read_nor_drawn_and_then_hypothesis_is_as_it_was(home: Path) -> None:
    __import__("keyed")
    collect = providers._get_local_constants
    drawn: set[int] = set()

    @settings(max_examples=50, database=None)
    @given(st.integers())
    def draw(number: int) -> None:
        drawn.add(number)
        assert not [*providers._get_local_constants()]

    with secluded_hypothesis() as hypothesis:
        assert hypothesis.given is given
        draw()
    assert drawn
    assert not (home / ".hypothesis").exists()
    assert providers._get_local_constants is collect
    folder = configuration.storage_directory("constants").path
    assert folder == home / ".hypothesis" / "constants"
