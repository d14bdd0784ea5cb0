"""Finds the interpreters of Python on this machine, to try a wheel with each."""

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


# A program that prints its version, and fails for what is no release or has no global lock.
_PRINT_VERSION = (
    "import sys, sysconfig, venv; v = sys.version_info; "
    "print(v.major, v.minor) if v.releaselevel == 'final' "
    "and not sysconfig.get_config_var('Py_GIL_DISABLED') else sys.exit(1)"
)


def interpreters(supported: Iterable[Version]) -> dict[Version, Path]:
    """Return an interpreter of each supported version that is here, by its version.

    If the newest one here is newer than all supported versions, it is returned, too.
    """
    wanted = set(supported)
    oldest = min(wanted)
    found: dict[Version, Path] = {}
    for program in _find_programs():
        version = version_of(program)
        if version and version >= oldest:
            found.setdefault(version, program)
    if found:
        wanted.add(max(found))
    return {version: found[version] for version in sorted(wanted & found.keys())}


def version_of(program: Path) -> Version | None:
    """Return the version of an interpreter; None if it does not run or is no release."""
    try:
        ended = subprocess.run(
            [program, "-I", "-c", _PRINT_VERSION],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if ended.returncode != 0:
        return None
    major, minor = ended.stdout.split()
    return Version(int(major), int(minor))


def _find_programs() -> Iterator[Path]:
    """Yield programs that may be interpreters: those of pyenv, then those on the path."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted(pyenv.glob("versions/3.*/bin/python"), reverse=True)
    for folder in map(Path, os.get_exec_path()):
        for pattern in ("python3.[0-9]", "python3.[0-9][0-9]", "python.exe"):
            yield from sorted(folder.glob(pattern), reverse=True)
