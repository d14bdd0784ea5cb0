"""Where a figure comes from: the versions of what ran, the commit of mabench, the time."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path

# The packages whose version can change a figure.
_PACKAGES = "bm25s nltk numpy openai pyarrow rapidfuzz scikit-learn scipy sentencex tiktoken"
_CHECKOUT = Path(__file__).parents[4]
_GIT_SECONDS = 5.0


def now() -> str:
    """Return the time in UTC, as ISO 8601 writes it, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def package_versions() -> dict[str, str]:
    """Return the version of each package that can change a figure, where it is installed."""
    versions = {name: _version(name) for name in _PACKAGES.split()}
    return {name: version for name, version in versions.items() if version}


@cache
def commit() -> str | None:
    """Return the git commit of mabench, with ``-dirty`` when files differ; None when installed.

    None as well where git is not there or does not answer.
    """
    if not (_CHECKOUT / ".git").exists():
        return None
    try:
        head = _git("rev-parse", "HEAD")
        return f"{head}-dirty" if _git("status", "-s", "-uno") else head
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _git(*words: str) -> str:
    # A hook of another repository would name that one; and locks are for those who write.
    environment = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
    return subprocess.run(  # noqa: S603 - the command is ours.
        ["git", *words],  # noqa: S607 - wherever it is installed.
        cwd=_CHECKOUT,
        env={**environment, "GIT_OPTIONAL_LOCKS": "0"},
        capture_output=True,
        text=True,
        timeout=_GIT_SECONDS,
        check=True,
    ).stdout.strip()


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
