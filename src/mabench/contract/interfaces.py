"""What mabench asks of an agent, a memory and a reader, and whether an object is an agent.

These are protocols: a class with the right methods is complete, without importing mabench.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

from mabench.contract.methods import KINDS, METHODS, OPTIONAL
from mabench.suggestions import nearest


class Query(str):
    """What an agent is asked. As a string, it is the prompt: the question with instructions.

    Attributes:
        question: the question as the data set has it, without the prompt around it.
        search_query: what a retrieval agent should search with, by the published protocol.
        max_tokens: how long the answer may be, in tokens.
        system: the system message for a language model that reads; empty without one.
    """

    __slots__ = ("max_tokens", "question", "search_query", "system")

    question: str
    search_query: str
    max_tokens: int
    system: str

    def __new__(
        cls, prompt: str, *, question: str, search_query: str, max_tokens: int, system: str = ""
    ) -> Self:
        """Make a query that reads as ``prompt``."""
        query = super().__new__(cls, prompt)
        query.question, query.search_query = question, search_query
        query.max_tokens, query.system = max_tokens, system
        return query

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        """Let a query be copied and sent to a worker process whole."""
        return (str(self),), {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of memory that a search found.

    Attributes:
        text: the text.
        score: how well it fits the query, on the memory's own scale; None where it has none.
    """

    text: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, with what is known about how it came to be. Only the text is required.

    Attributes:
        text: the answer.
        retrieved: the passages that it was read from, the best first.
        input_tokens, output_tokens: what a language model was sent and replied, in tokens.
        cost: what the answer cost, in US dollars.
        tokens_estimated: True where the tokens are estimates, since no server counted them.
        dropped_tokens: how much of the history could not be shown to a language model, in tokens.
        prompt: what a language model was shown.
    """

    text: str
    retrieved: Sequence[str | Passage] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    tokens_estimated: bool | None = None
    dropped_tokens: int | None = None
    prompt: str | None = None


@runtime_checkable
class Agent(Protocol):
    """The system that is examined. It is told chunks one by one and then asked questions.

    The methods may be async. There may be more of them:

    - ``stats()`` returns a mapping: how many ``memories`` are held and how many ``bytes`` they
      take, as far as that is known.
    - ``save(folder)`` and ``load(folder)`` write and read what is remembered, so that a run can
      be resumed without telling the history again.
    - ``close()`` is called when the row is done.
    """

    def memorize(self, chunk: str) -> Awaitable[None] | None:
        """Take in the next piece of the history."""

    def answer(self, query: Query) -> str | Answer | Awaitable[str | Answer]:
        """Answer a question about what was memorized."""


@runtime_checkable
class Memory(Protocol):
    """A store of texts that can be searched.

    The methods may be async. ``stats()``, ``save(folder)``, ``load(folder)`` and ``close()`` are
    optional, as for an agent.
    """

    def add(self, text: str) -> Awaitable[None] | None:
        """Store a text."""

    def search(
        self, query: str, k: int
    ) -> Sequence[str | Passage] | Awaitable[Sequence[str | Passage]]:
        """Return at most ``k`` passages, the best first."""


@runtime_checkable
class Reader(Protocol):
    """Answers a question from the passages that a memory found for it. May be async."""

    def read(
        self, query: Query, passages: Sequence[Passage]
    ) -> str | Answer | Awaitable[str | Answer]:
        """Answer ``query`` from ``passages``, the best first."""


def conformance_problems(agent: object) -> list[str]:
    """Return why ``agent`` cannot be examined, one sentence a problem; empty when it can."""
    if isinstance(agent, type):
        return [f"{agent.__name__} is a class where an instance is needed: call it"]
    optional = [name for name in ("close", *OPTIONAL) if getattr(agent, name, None) is not None]
    problems = (_method_problem(agent, name) for name in (*KINDS["agent"], *optional))
    return [problem for problem in problems if problem]


def _method_problem(agent: object, name: str) -> str | None:
    method = getattr(agent, name, None)
    owner = type(agent).__name__
    call = f"{name}({', '.join(METHODS[name])})"
    if method is None:
        near = nearest(name, [attribute for attribute in dir(agent) if attribute[0] != "_"])
        hint = f" (is {near[0]} meant to be it?)" if near else ""
        return f"{owner} has no method {call}{hint}"
    if not callable(method):
        return f"{owner}.{name} is {type(method).__name__}, not a method"
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):  # Compiled code does not always say what it takes.
        return None
    try:
        signature.bind(*METHODS[name])
    except TypeError:
        return f"{owner}.{name}{signature} must be callable as {call}"
    return None
