"""What any agent does that has nothing to go by: it guesses among the options of a question."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from mabench.contract.interfaces import Query
from mabench.text import Option, parse_options

# Holds neither "yes" nor "no", which the published scorer would find inside a word.
UNKNOWN = "I could only guess."


def find_options(query: Query) -> tuple[Option, ...]:
    """Return the options of the question, else those that the prompt alone lists."""
    return parse_options(query.question) or parse_options(query)


def guess(options: Sequence[Option], query: Query) -> Option:
    """Pick one of ``options`` by a hash of the question: as often right as chance has it."""
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
