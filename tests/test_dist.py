"""The program of ``make dist``, without building anything."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest
from tools import dist
from tools.interpreters import Version, interpreters, version_of

HERE = Version(*sys.version_info[:2])


def test_the_core_of_a_wheel_is_what_it_requires_without_extras(tmp_path: Path) -> None:
    wheel = tmp_path / "made-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        lines = (
            "Metadata-Version: 2.4",
            "Name: made",
            "Requires-Dist: numpy>=2.0",
            "Requires-Dist: tomli>=2; python_version < '3.12'",
            "Requires-Dist: openai[aiohttp]>=2.0; extra == 'openai'",
            "",
            "Requires-Dist: is the text here",
        )
        packed.writestr("made-1.dist-info/METADATA", "\n".join(lines))
    assert dist.requirements(wheel) == ["numpy>=2.0", "tomli>=2; python_version < '3.12'"]


def test_interpreters_that_do_not_run_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = tmp_path / "python3.11"
    shim.write_text("#!/bin/sh\nexit 127\n", "utf-8")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "nowhere"))
    assert version_of(Path(sys.executable)) == HERE
    assert version_of(tmp_path / "python3.99") is None
    assert interpreters(dist.SUPPORTED) == {}


@pytest.mark.parametrize("passes", [True, False])
def test_missing_interpreters_and_failures_are_named(
    passes: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {Version(3, 12): Path("python3.12")}
    monkeypatch.setattr(dist, "interpreters", lambda supported: found)
    monkeypatch.setattr(dist, "build", lambda work: dist.Built(work, work))
    monkeypatch.setattr(dist, "tried", lambda *arguments: passes)
    assert dist.main() == (0 if passes else 1)
    printed = capsys.readouterr().out
    assert "Python 3.11: skipped" in printed
    assert "Python 3.12: skipped" not in printed
    assert ("failed: Python 3.12, highest; Python 3.12, lowest-direct" in printed) is not passes


def test_a_step_that_fails_shows_its_end_and_stops_the_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = tmp_path / "none.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("none-1.dist-info/METADATA", "Name: none\n")
    assert not dist.tried(dist.Built(wheel, tmp_path), Path("no-python"), "highest", tmp_path)
    assert " environment failed" in capsys.readouterr().out
