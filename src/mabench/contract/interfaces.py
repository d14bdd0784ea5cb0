"""What mabench asks of an agent, a memory and a reader, and whether an object is an agent.

These are protocols: a class with the right methods is complete, without importing mabench.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

from mabench.suggestions import nearest

_REQUIRED = {"memorize": ("chunk",), "answer": ("query",)}
_OPTIONAL = {"close": (), "stats": (), "save": ("folder",), "load": ("folder",)}


class Query(str):
    """What an agent is asked: the prompt, as a string, with three readings of it.

    Attributes:
        question: the question as the data set has it, without the prompt around it.
        search_query: what a retrieval agent should search with, by the published protocol.
        max_tokens: the answer budget, in tokens.
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
        query.question = question
        query.search_query = search_query
        query.max_tokens = max_tokens
        query.system = system
        return query

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        """Let a query be copied and sent to a worker process whole."""
        readings = {name: getattr(self, name) for name in self.__slots__}
        return (str(self),), readings


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of memory that a search found, with its score when the memory has one."""

    text: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with what is known about how it came to be; only the text is required.

    ``tokens_estimated`` says that the tokens were not counted by a server; ``cost`` is in US
    dollars; ``dropped_tokens`` is how much of the history could not be shown; ``prompt`` is what a
    language model was shown in the end.
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
    """Who is examined: told chunks one by one, then asked. Both methods may be async.

    ``close()``, ``save(folder)``, ``load(folder)`` and ``stats()`` are optional; the last returns
    how many ``memories`` are held and how many ``bytes`` they take, as far as it is known.
    """

    def memorize(self, chunk: str) -> Awaitable[None] | None:
        """Take in the next piece of the history."""

    def answer(self, query: Query) -> str | Answer | Awaitable[str | Answer]:
        """Answer a question about what was memorized."""


@runtime_checkable
class Memory(Protocol):
    """A store of texts that can be searched. Both methods may be async.

    ``close()`` and ``stats()`` are optional, as for an agent.
    """

    def add(self, text: str) -> Awaitable[None] | None:
        """Store a text."""

    def search(
        self, query: str, k: int
    ) -> Sequence[str | Passage] | Awaitable[Sequence[str | Passage]]:
        """Return at most ``k`` passages, the best first."""


@runtime_checkable
class Reader(Protocol):
    """Turns a query and the passages found for it into an answer. May be async."""

    def read(
        self, query: Query, passages: Sequence[Passage]
    ) -> str | Answer | Awaitable[str | Answer]:
        """Answer ``query`` from ``passages``, the best first."""


def conformance_problems(agent: object) -> list[str]:
    """Return why ``agent`` cannot be examined, one sentence a problem; empty when it can.

    The methods ``memorize(chunk)`` and ``answer(query)`` are required; ``close()``,
    ``stats()``, ``save(folder)`` and ``load(folder)`` are checked when they are there.
    """
    if isinstance(agent, type):
        return [f"{agent.__name__} is a class where an instance is needed: call it"]
    present = {
        name: takes for name, takes in _OPTIONAL.items() if getattr(agent, name, None) is not None
    }
    methods = {**_REQUIRED, **present}
    problems = (_method_problem(agent, name, takes) for name, takes in methods.items())
    return [problem for problem in problems if problem]


def _method_problem(agent: object, name: str, takes: tuple[str, ...]) -> str | None:
    method = getattr(agent, name, None)
    owner = type(agent).__name__
    if method is None:
        return f"{owner} has no method {name}({', '.join(takes)}){_near_miss(agent, name)}"
    if not callable(method):
        return f"{owner}.{name} is {type(method).__name__}, not a method"
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):  # Compiled code does not always say what it takes.
        return None
    try:
        signature.bind(*takes)
    except TypeError:
        return f"{owner}.{name}{signature} must be callable as {name}({', '.join(takes)})"
    return None


def _near_miss(agent: object, name: str) -> str:
    public = [attribute for attribute in dir(agent) if not attribute.startswith("_")]
    near = nearest(name, public)
    return f" (is {near[0]} meant to be it?)" if near else ""
