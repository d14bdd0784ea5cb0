"""Command lines to paste: that of this command again, and of others."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import which

from mabench.pasteable import operand, quote_word, write_command
from mabench.redact import redact_command


def command_line(*words: object) -> str:
    """Return a command of this program, called by its name, or by its path if that is needed."""
    return write_command(*words, program=_program())


def _program() -> str:
    given = sys.argv[0]
    by_path = Path(given).name == "mabench" and not which("mabench")
    return given if by_path else "mabench"


def again(*more: str, without: str = "", **values: object) -> str:
    """Rebuild the command line of this command, without secrets.

    Args:
        more: flags to add, unless it has them.
        without: a flag to leave out. ``--fresh`` is always left out: it would set results aside.
        values: new values of options, by their names with underscores; ``...`` keeps the value,
            None leaves the option out.
    """
    words = [word for word in sys.argv[1:] if word not in ("--fresh", without)]
    for name, value in values.items():
        if value is ...:
            continue
        option = f"--{name.replace('_', '-')}"
        words = [  # Without the option and its value, which follows it or a "=".
            word
            for before, word in zip(["", *words], words, strict=False)
            if option not in (before, word) and not word.startswith(f"{option}=")
        ]
        words += [] if value is None else [option, operand(value)]
    words += [word for word in more if word not in words]
    line, safe = command_line(*words), redact_command([_program(), *words])
    return safe if safe == line else f"{safe} (put your own in the place of [secret])"


def to_resume(
    max_cost: float | None = None, spent: float = 0, out: Path | None = None, verb: str = "resume"
) -> str:
    """Say how to resume what stopped; if a cost limit stopped it, with as much money again."""
    if max_cost is None:
        return f"To {verb}: {again(out=out or ...)}"
    limit = max(max_cost, spent) + max_cost
    return f"To {verb} with a higher limit: {again(out=out or ..., max_cost=f'{limit:g}')}"


def after_a_miss(folder: Path, out: Path | None = None, cache: bool = True) -> str:
    """Say how to resume what lacks a reply in ``folder``; ``cache``: ``--cache`` keeps replies."""
    asking = again(*["--cache"] * cache, out=out or ..., replay=None)
    return (
        f"To resume, once the reply is kept there: {again(out=out or ...)}\n"
        f"To ask the server for what is not kept, and keep it there: "
        f"MABENCH_CACHE={quote_word(folder)} {asking}"
    )
