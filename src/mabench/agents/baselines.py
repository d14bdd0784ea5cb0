"""The floor: an agent that remembers nothing and can only guess."""

from __future__ import annotations

from mabench.agents.choices import UNKNOWN, as_answer, guess, offered
from mabench.contract.interfaces import Query
from mabench.text import truncate_tokens


class NoMemory:
    """Forgets every chunk; guesses among options, else says that it does not know."""

    def memorize(self, chunk: str) -> None:
        """Forget the chunk."""

    def answer(self, query: Query) -> str:
        """Guess, within the answer budget."""
        options = offered(query)
        answer = as_answer(guess(options, query), query) if options else UNKNOWN
        return truncate_tokens(answer, query.max_tokens)
