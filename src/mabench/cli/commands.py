"""The command that was given, and how to give it again."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path

from mabench.redact import redact, shown_setting
from mabench.specs import RunSpec


def again(
    *more: str,
    out: Path | None = None,
    max_cost: float | None = None,
    replays: bool = True,
    retry: bool = True,
) -> str:
    """Return the command line that was given, with ``more`` options that it lacks.

    Secrets are left out of it. ``out`` and ``max_cost`` replace the values of its ``--out`` and
    ``--max-cost``; ``--replay`` is left out where it no longer ``replays``,
    ``--retry-errors`` where it must not ``retry``, and ``--fresh`` always, which would set aside
    what there is again.
    """
    dropped = ["--fresh"] if retry else ["--fresh", "--retry-errors"]
    words = [word for word in sys.argv[1:] if word not in dropped]
    words = words if replays else _without(words, "--replay")
    if max_cost is not None:
        words = [*_without(words, "--max-cost"), "--max-cost", f"{max_cost:g}"]
    if out is not None:
        words = [*_without(words, "--out"), "--out", str(out)]
    line = shlex.join(["mabench", *words, *(word for word in more if word not in words)])
    shown = redact(line)
    return shown if shown == line else f"{shown} (put your own in the place of [secret])"


def after_a_miss(folder: Path, out: Path | None = None, cache: bool = True) -> str:
    """Return the commands that resume what stopped because a reply is not kept.

    Args:
        folder: where kept replies were read.
        out: the run folder, where the command names none.
        cache: whether replies are kept only with ``--cache``.
    """
    asking = again(*["--cache"] * cache, out=out, replays=False)
    return (
        f"To resume, once the reply is kept there: {again(out=out)}\n"
        f"To ask the server for what is not kept, and keep it there: "
        f"MABENCH_CACHE={shlex.quote(str(folder))} {asking}"
    )


def complete_spec(spec: RunSpec, fail_fast: bool) -> RunSpec:
    """Return a run with the command that describes it, and with no errors to ``fail_fast``."""
    limits = replace(spec.limits, max_errors=1) if fail_fast else spec.limits
    return replace(spec, limits=limits, command=typed())


def typed() -> str:
    """Return the command line that was given, without secrets."""
    words = map(_shown, sys.argv[1:])
    command = redact(shlex.join(["mabench", *words]))
    return command.encode("utf-8", "backslashreplace").decode("utf-8")  # A path can be any bytes.


def _shown(word: str) -> str:
    """Return a word of the command line as it may be stored; NAME=VALUE by its names, too."""
    name, equals, value = redact(word).partition("=")
    if not equals:
        return name
    shown = shown_setting(name, value)
    return shown if shown != f"{name}={value}" else f"{name}={_shown(value)}"


def higher(max_cost: float | None, spent: float | None) -> float | None:
    """Return a limit that leaves as much money as the one that was reached; None without one."""
    return None if max_cost is None else max(max_cost, spent or 0.0) + max_cost


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
