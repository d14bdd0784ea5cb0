"""Guesses among the options of a question, for agents that know nothing about the answer."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from mabench.contract.interfaces import Query
from mabench.text import Option, parse_options

# The answer without options. It holds neither "yes" nor "no", which the published scorer would find
# even inside a word.
UNKNOWN = "I could only guess."
_HASH_BYTES = 8  # Of a hash: enough that each option is equally likely.


def find_options(query: Query) -> tuple[Option, ...]:
    """Return the options of the question, else those that only the prompt around it lists.

    The result is empty if there are none.
    """
    options = parse_options(query.question)
    return options if options else parse_options(query)


def guess(options: Sequence[Option], query: Query) -> Option:
    """Pick one of ``options`` by a hash of the question: as often right as by chance.

    The same question always gets the same guess.
    """
    digest = hashlib.sha256(query.question.encode("utf-8", "surrogatepass")).digest()
    return options[int.from_bytes(digest[:_HASH_BYTES]) % len(options)]


def as_answer(option: Option, query: Query) -> str:
    """Return an option as the question writes it: its text, after its letter if it has one."""
    if option.letter is None:
        return option.text
    # A line of its own, with the letter as in "A. tea", "A) tea", "(A) tea" or "A: tea".
    lines = re.findall(
        rf"^[ \t]*(\(?{option.letter}[.):][ \t]*{re.escape(option.text)})[ \t]*$",
        f"{query}\n{query.question}",
        re.MULTILINE,
    )
    return str(lines[-1]) if lines else f"{option.letter}. {option.text}"
