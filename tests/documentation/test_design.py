"""The walks of *Design* are those of a real run."""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import mabench
from mabench.cli import main
from mabench.data import export_hub_layout
from tests.rows import dataset

_ROOT = Path(mabench.__file__).parent
_DESIGN = Path("docs/explanation/design.md").read_text(encoding="utf-8")
_STEP = re.compile(r"^\d+\. `([\w/]+\.py):(\w+)`", re.M)


@contextmanager
def _calls() -> Iterator[list[tuple[str, str]]]:
    """Note the calls of mabench's functions, in every thread: the file and the name of each."""
    calls: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(f"{_ROOT}/"):
            calls.append((Path(path).relative_to(_ROOT).as_posix(), frame.f_code.co_name))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def test_the_walks_are_those_of_a_real_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    export_hub_layout(dataset(), tmp_path / "data")
    command = f"mabench run no-memory --data {tmp_path}/data --out {tmp_path}/run"
    monkeypatch.setattr(sys, "argv", command.split())
    with _calls() as calls, pytest.raises(SystemExit) as ending:
        main()
    assert ending.value.code == 0
    assert "no-memory" in capsys.readouterr().out
    walks = [_STEP.findall(section) for section in _DESIGN.split("\n### ")]
    walks = [walk for walk in walks if walk]
    assert len(walks) == 2
    for walk in walks:
        rest = iter(calls)
        missing = [step for step in walk if step not in rest]
        assert not missing, f"not called, or not in this order: {missing}"
