"""Paths that lead nowhere, given to commands: one line in words, no traceback."""

from pathlib import Path

import pytest

from tests.command_line import mabench

_COMMANDS = (
    "page {}",
    "report {}",
    "show {}",
    "score {}",
    "score {} --data synthetic:start",
    "judge {} --estimate",
    "compare {} {}",
    "runs {}",
    "export {} --to csv --out o.csv",
    "data show {}",
    "data validate {}",
    "data page {}",
    "data chunks {}",
    "data import beam {} --out out",
    "audit {}",
    "generate {} --out out",
    "run bm25 --data {} --estimate",
    "run {}.py:X --data synthetic:start",
)


def _loop(place: Path) -> None:
    place.symlink_to(place.name)


@pytest.mark.parametrize("command", _COMMANDS)
@pytest.mark.parametrize("kind", [_loop, Path.mkdir, Path.touch])
def test_what_leads_nowhere_is_named_in_a_line(tmp_path: Path, command: str, kind: object) -> None:
    for name in ("s.json", "s.json.py"):
        kind(tmp_path / name)  # type: ignore[operator]
    done = mabench(*command.format("s.json", "s.json").split(), cwd=tmp_path)
    assert "Traceback" not in done.stderr
    if command != "runs {}":
        assert done.returncode in (1, 2)
        assert done.stderr.count("mabench: ") <= 1
        assert done.stderr.strip()
