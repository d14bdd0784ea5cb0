"""The command that was given, and how to give it again."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from mabench.redact import redact


def again(*more: str, out: Path | None = None) -> str:
    """Return the command line that was given, with ``more`` options that it lacks.

    Secrets are left out of it.

    ``out`` replaces the folder of its ``--out``.
    """
    words = sys.argv[1:]
    if out is not None:
        words = [*_without(words, "--out"), "--out", str(out)]
    line = shlex.join(["mabench", *words, *(word for word in more if word not in words)])
    return redact(line)


def _without(words: list[str], option: str) -> list[str]:
    """Return ``words`` without an option and its value."""
    kept: list[str] = []
    skip = False
    for word in words:
        if skip or word == option:
            skip = not skip
        elif not word.startswith(f"{option}="):
            kept.append(word)
    return kept
