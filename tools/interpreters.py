"""The Pythons on this machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple


class Version(NamedTuple):
    """A version of Python without its last number."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


_ASK = (
    "import sys, sysconfig, venv; v = sys.version_info; "
    "print(v.major, v.minor) if v.releaselevel == 'final' "
    "and not sysconfig.get_config_var('Py_GIL_DISABLED') else sys.exit(1)"
)


def interpreters(supported: Iterable[Version]) -> dict[Version, Path]:
    """Return an interpreter of each supported version that is here, and of the newest, if newer."""
    oldest = min(wanted := set(supported))
    found: dict[Version, Path] = {}
    for program in _programs():
        version = version_of(program)
        if version and version >= oldest:
            found.setdefault(version, program)
    wanted |= {max(found)} if found else set()
    return {version: found[version] for version in sorted(wanted & found.keys())}


def version_of(program: Path) -> Version | None:
    """Return the version of an interpreter; None where it does not run or is no release."""
    try:
        asked = subprocess.run(
            [program, "-I", "-c", _ASK], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Version(*map(int, asked.stdout.split())) if asked.returncode == 0 else None


def _programs() -> Iterator[Path]:
    """Yield what may be an interpreter: those of pyenv, then those on the path."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted(pyenv.glob("versions/3.*/bin/python"), reverse=True)
    for folder in map(Path, os.get_exec_path()):
        for pattern in ("python3.[0-9]", "python3.[0-9][0-9]", "python.exe"):
            yield from sorted(folder.glob(pattern), reverse=True)
