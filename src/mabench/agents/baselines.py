"""The baselines: an agent that remembers nothing, and one that is given every answer.

With them stands what any agent does that has nothing to go by: it guesses among the options.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from mabench.contract.answers import AgentError
from mabench.contract.interfaces import Query
from mabench.text import Option, options_in, truncate_tokens

# Holds neither "yes" nor "no", which the published scorer would find inside a word.
UNKNOWN = "I could only guess."


def find_options(query: Query) -> tuple[Option, ...]:
    """Return the options of the question, else those that the prompt alone lists."""
    return options_in(query.question) or options_in(query)


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


class NoMemory:
    """Forgets every chunk; guesses among options, else says that it does not know."""

    def memorize(self, chunk: str) -> None:
        """Forget the chunk."""

    def answer(self, query: Query) -> str:
        """Guess, within the answer budget."""
        options = find_options(query)
        answer = as_answer(guess(options, query), query) if options else UNKNOWN
        return truncate_tokens(answer, query.max_tokens)


class Oracle:
    """Remembers nothing and answers with the gold, which no other agent gets.

    A score below 100 is then a defect of the scorer or of the data.
    """

    def __init__(self) -> None:
        self._gold: str | None = None

    def memorize(self, chunk: str) -> None:
        """Forget the chunk."""

    def receive_gold(self, text: str) -> None:
        """Take the answer to the next question."""
        self._gold = text

    def answer(self, query: Query) -> str:
        """Return the gold received for this question, or raise an ``AgentError`` without one."""
        gold, self._gold = self._gold, None
        if gold is None:
            raise AgentError("the oracle received no gold answer; name it 'oracle' in a run")
        return gold
