"""The baselines: an agent that remembers nothing, and one that is given every answer.

The first shows what guessing scores; the second, what score an agent could reach at best.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from mabench.agents.guessing import UNKNOWN, as_answer, find_options, guess
from mabench.contract.answers import AgentError
from mabench.contract.interfaces import Query
from mabench.text import truncate_tokens


class NoMemory:
    """Forgets every chunk; guesses among options, else says that it does not know."""

    mabench_capabilities: ClassVar[Mapping[str, object]] = {"deterministic": True}

    def memorize(self, chunk: str) -> None:
        """Forget the chunk."""

    def answer(self, query: Query) -> str:
        """Guess among the options, and cut the guess to the answer budget."""
        options = find_options(query)
        answer = as_answer(guess(options, query), query) if options else UNKNOWN
        return truncate_tokens(answer, query.max_tokens)


class Oracle:
    """Remembers nothing and answers with the gold, which no other agent gets.

    A score below 100 is then a defect of the scorer or of the data.
    """

    mabench_capabilities: ClassVar[Mapping[str, object]] = {"deterministic": True}

    def __init__(self) -> None:
        self._gold: str | None = None

    def memorize(self, chunk: str) -> None:
        """Forget the chunk."""

    def receive_gold(self, text: str) -> None:
        """Take the answer to the next question."""
        self._gold = text

    def answer(self, query: Query) -> str:
        """Return the gold received for this question, or raise an ``AgentError`` without one."""
        gold = self._gold
        self._gold = None  # It is for one question only.
        if gold is None:
            raise AgentError("the oracle received no gold answer; name it 'oracle' in a run")
        return gold
