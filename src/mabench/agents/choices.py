"""The options that a query offers, and what to answer when there is nothing to go by."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from mabench.contract.interfaces import Query
from mabench.text import Option, options_in

# Holds neither "yes" nor "no", which the published scorer would find inside a word.
UNKNOWN = "I could only guess."


def offered(query: Query) -> tuple[Option, ...]:
    """Return the options of the question, else those that the prompt alone lists."""
    return options_in(query.question) or options_in(query)


def guess(options: Sequence[Option], query: Query) -> Option:
    """Pick one of ``options`` by a hash of the question.

    The pick is the same in every run, and right as often as chance has it.
    """
    digest = hashlib.sha256(query.question.encode("utf-8", "surrogatepass")).digest()
    return options[int.from_bytes(digest[:8]) % len(options)]


def as_answer(option: Option, query: Query) -> str:
    """Name an option as the question writes it: its text, after its letter if it has one."""
    if option.letter is None:
        return option.text
    written = re.findall(
        rf"^[ \t]*(\(?{option.letter}[.):][ \t]*{re.escape(option.text)})[ \t]*$",
        f"{query}\n{query.question}",
        re.MULTILINE,
    )
    return str(written[-1]) if written else f"{option.letter}. {option.text}"
