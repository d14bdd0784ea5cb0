"""Writes command lines of mabench for users to paste: this command again, or another one."""

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
    """Return how a user starts this program: by its name, or by its path if that is not found."""
    path = sys.argv[0]
    is_only_found_by_path = Path(path).name == "mabench" and not which("mabench")
    return path if is_only_found_by_path else "mabench"


def again(*more: str, without: str = "", **values: object) -> str:
    """Return the command line that runs this command again, without secrets.

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
    """Return words without an option and its value, which is the next word or follows a "="."""
    others = []
    previous = ""
    for word in words:
        is_option = word == option or word.startswith(f"{option}=")
        is_its_value = previous == option
        if not is_option and not is_its_value:
            others.append(word)
        previous = word
    return others


def to_resume(
    max_cost: float | None = None, spent: float = 0, out: Path | None = None, verb: str = "resume"
) -> str:
    """Return a sentence with the command that resumes what stopped.

    Args:
        max_cost: the limit of cost that stopped it, in dollars; None if another reason did. The
            command has a higher limit, which leaves as much to spend again.
        spent: what was spent, in dollars.
        out: the value of ``--out`` in the command; None to keep what it has.
        verb: what the command does.
    """
    if max_cost is None:
        return f"To {verb}: {again(out=out or ...)}"
    new_limit = max(max_cost, spent) + max_cost
    return f"To {verb} with a higher limit: {again(out=out or ..., max_cost=f'{new_limit:g}')}"


def after_a_miss(folder: Path, out: Path | None = None, *, cache: bool = True) -> str:
    """Return sentences on how to resume a command that replays replies, after one was missing.

    Args:
        folder: the cache that the replies are replayed from.
        out: the value of ``--out`` in the command; None to keep what it has.
        cache: whether the command must get ``--cache`` to store replies.
    """
    flags = ["--cache"] if cache else []
    asking_server = again(*flags, out=out or ..., replay=None)
    return (
        f"To resume, once the reply is kept there: {again(out=out or ...)}\n"
        f"To ask the server for what is not kept, and keep it there: "
        f"MABENCH_CACHE={quote_word(folder)} {asking_server}"
    )
