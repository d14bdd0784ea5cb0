"""Writes command lines to paste: this command again, or another one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which

from mabench.pasteable import operand, quote_word, write_command
from mabench.redact import redact_command, redact_words


def command_line(*words: object) -> str:
    """Return a command line of this program, by its path if it is not on the ``PATH``.

    Secrets in it are replaced, and a word says so.
    """
    texts = [operand(word) for word in words]
    if redact_words(texts) == texts:
        return write_command(*words, program=_program())
    without_secrets = redact_command([_program(), *texts])
    return f"{without_secrets} (put your own in the place of [secret])"


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
        words = _without_option(words, option)
        if value is not None:
            words += [option, operand(value)]
    words += [word for word in more if word not in words]
    return command_line(*words)


def _without_option(words: Sequence[str], option: str) -> list[str]:
    """Return words without an option and its value, which follows as a word or after a "="."""
    kept = []
    for before, word in zip(["", *words], words, strict=False):
        if option not in (before, word) and not word.startswith(f"{option}="):
            kept.append(word)
    return kept


def to_resume(
    max_cost: float | None = None, spent: float = 0, out: Path | None = None, verb: str = "resume"
) -> str:
    """Return a sentence that says how to resume what stopped.

    If a cost limit stopped it, ``max_cost`` is that limit: the new limit leaves as much to spend
    again.
    """
    if max_cost is None:
        return f"To {verb}: {again(out=out or ...)}"
    limit = max(max_cost, spent) + max_cost
    return f"To {verb} with a higher limit: {again(out=out or ..., max_cost=f'{limit:g}')}"


def after_a_miss(folder: Path, out: Path | None = None, *, cache: bool = True) -> str:
    """Return sentences that say how to resume after a reply was not in the cache.

    ``folder`` is the cache; ``cache`` says whether the command needs ``--cache`` to store replies.
    """
    flags = ["--cache"] if cache else []
    asking = again(*flags, out=out or ..., replay=None)
    return (
        f"To resume, once the reply is kept there: {again(out=out or ...)}\n"
        f"To ask the server for what is not kept, and keep it there: "
        f"MABENCH_CACHE={quote_word(folder)} {asking}"
    )
