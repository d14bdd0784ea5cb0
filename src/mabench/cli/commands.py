"""The command that was given, and how to give it again."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

from mabench.redact import redact, shown_setting

# The user and password in an address.
_USER = re.compile(r"(https?://)[^/?#\s]*@")


def again(*more: str, out: Path | None = None) -> str:
    """Return the command line that was given, with ``more`` options that it lacks.

    ``out`` replaces the folder of its ``--out``.
    """
    words = sys.argv[1:]
    if out is not None:
        words = [*_without(words, "--out"), "--out", str(out)]
    return shlex.join(["mabench", *words, *(word for word in more if word not in words)])


def typed() -> str:
    """Return the command line that was given, without secrets."""
    words = (_shown(_USER.sub(r"\1", word)) for word in sys.argv[1:])
    command = shlex.join(["mabench", *words])
    return command.encode("utf-8", "backslashreplace").decode("utf-8")  # A path can be any bytes.


def _shown(word: str) -> str:
    """Return a word of the command line as it may be stored; NAME=VALUE by its names, too."""
    name, equals, value = redact(word).partition("=")
    if not equals:
        return name
    shown = shown_setting(name, value)
    return shown if shown != f"{name}={value}" else f"{name}={_shown(value)}"


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
