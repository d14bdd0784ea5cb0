"""What mabench asks of an agent, a memory and a reader, and whether an object is an agent.

These are protocols: a class with the right methods is complete, without importing mabench.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, Self, runtime_checkable

from mabench.contract.methods import (
    KINDS,
    OPTIONAL,
    call_of,
    can_be_called,
    meant_by,
    parameters_of,
)
from mabench.errors import nearest


class Query(str):
    """What an agent is asked. As a string, it is the prompt: the question with instructions."""

    __slots__ = ("max_tokens", "question", "search_query", "system", "time", "user")

    question: str  # The question as the data set has it, without the prompt around it.
    search_query: str  # What a retrieval agent should search with, by the published protocol.
    max_tokens: int  # How long the answer may be, in tokens.
    system: str  # The system message for a language model that reads; empty without one.
    # When it is asked, in the time of the history, with a time zone; None if unknown.
    time: datetime | None
    user: str | None  # Who asks, and whose memory is asked; None if there is but one.

    def __new__(
        cls,
        prompt: str,
        *,
        question: str,
        search_query: str,
        max_tokens: int,
        system: str = "",
        time: datetime | None = None,
        user: str | None = None,
    ) -> Self:
        """Make a query that reads as ``prompt``."""
        query = super().__new__(cls, prompt)
        query.question, query.search_query = question, search_query
        query.max_tokens, query.system = max_tokens, system
        query.time, query.user = time, user
        return query

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        """Let a query be copied and sent to a worker process whole."""
        return (str(self),), {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of memory that a search found."""

    text: str  # The text.
    # How well it fits the query, on the memory's own scale; None if it has none.
    score: float | None = None
    # When it was said, where the memory knows and the text does not say; a reader sees it.
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, with what is known about how it came to be. Only the text is required."""

    text: str  # The answer.
    retrieved: Sequence[str | Passage] = ()  # What it was read from, the best first.
    # What a language model was sent and replied, in tokens.
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None  # What the answer cost, in US dollars.
    tokens_estimated: bool | None = None  # True where no server counted them.
    # How much of the history could not be shown to a language model, in tokens.
    dropped_tokens: int | None = None
    # True where a language model's reply broke off because it had used all tokens of its budget.
    cut_off: bool | None = None
    prompt: str | None = None  # What a language model was shown.


@runtime_checkable
class Agent(Protocol):
    """The system under test. It gets chunks one by one and is then asked questions.

    The methods may be async. There may be more of them:

    - ``stats()`` returns a mapping: how many ``memories`` are held and how many ``bytes`` they
      take, as far as that is known.
    - ``save(folder)`` and ``load(folder)`` write and read what is remembered, so that a run can
      be resumed without telling the history again.
    - ``close()`` is called when the row is done.

    ``memorize`` is passed by name what it declares of ``time``, ``speaker``, ``role``, ``session``
    and ``user``, as far as the data have it, and ``answer`` of ``time`` and ``user``.
    """

    def memorize(self, chunk: str) -> object:
        """Take in the next piece of the history; what it returns may be awaited."""

    def answer(self, query: Query) -> str | Answer | Awaitable[str | Answer]:
        """Answer a question about what was memorized."""


@runtime_checkable
class Memory(Protocol):
    """A store of texts that can be searched.

    The methods may be async. ``stats()``, ``save(folder)``, ``load(folder)`` and ``close()`` are
    optional, as for an agent, and so are ``update(id, text)``, ``delete(id)``, ``delete(user)``,
    ``list(user)``, which returns what is held as ``search`` does, ``ready()``, which returns once
    all that was added can be found, and ``maintain()``, which does what it does in the background:
    consolidate, summarize, expire.

    ``add`` and ``update`` are passed by name what they declare of ``time`` (with a time zone),
    ``speaker``, ``role``, ``session`` and ``user``, and ``search`` of ``time`` and ``user``.
    """

    def add(self, text: str) -> object:
        """Store a text; returns its id, a string or a whole number, a list of them, or nothing."""

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


# Words in the names of methods that search.
_SEARCHING = frozenset(
    ("search", "retrieve", "query", "find", "recall", "lookup", "get", "fetch", "remember", "ask")
)


def conformance_problems(thing: object, kind: str | None = None) -> list[str]:
    """Return why ``thing`` cannot be examined, one sentence a problem; empty when it can.

    ``kind`` is ``agent`` or ``memory``; when None, whichever it has more methods of.
    """
    if isinstance(thing, type):
        return [f"{thing.__name__} is a class, not an instance: call it"]
    kind = kind or _nearest_kind(thing)
    optional = ("close", *OPTIONAL) if kind == "agent" else ()  # A memory's may be its own affair.
    there = [name for name in optional if getattr(thing, name, None) is not None]
    names = (*KINDS[kind], *there)
    return [_method_problem(thing, name) for name in names if not can_be_called(thing, name)]


def _nearest_kind(thing: object) -> str:
    """Return the kind of which something has most methods; an agent if it has as many of both.

    So what has one method of a memory, and none of an agent, is a memory that lacks the other.
    """

    def count_methods(kind: str) -> int:
        return sum(hasattr(thing, name) for name in KINDS[kind])

    return max(KINDS, key=count_methods)


def _search_hint(thing: object) -> str:
    """Return which method of a class may be its search by another name, and what to do with it."""
    for name in dir(thing):
        words = {*name.lower().split("_")}
        if name[0] != "_" and words & _SEARCHING and callable(getattr(thing, name, None)):
            return (
                f"; if that is its {name}, add a method `def search(self, query, k)` that returns "
                f"what self.{name} finds"
            )
    return "; add one that returns at most k texts, the best first"


def _method_problem(thing: object, name: str) -> str:
    """Return why a method cannot be called."""
    method = getattr(thing, name, None)
    owner = type(thing).__name__
    if method is None:
        near = nearest(name, [attribute for attribute in dir(thing) if attribute[0] != "_"])
        if name == "search" and callable(getattr(thing, "add", None)):
            nearly = f"{owner} is nearly a memory: it has add, but no {call_of(name)}"
            return nearly + _search_hint(thing)
        hint = f" (did you mean {near[0]}?)" if near else ""
        return f"{owner} has no method {call_of(name)}{hint}"
    if not callable(method):
        return f"{owner}.{name} is {type(method).__name__}, not a method"
    signature = f"{owner}.{name}{inspect.signature(method)}"
    return f"{signature} must be callable as {call_of(name)}{_field_hint(thing, name)}"


def _field_hint(thing: object, name: str) -> str:
    """Return which field a required parameter of a method may be meant to be; empty for none."""
    for parameter, is_required in (parameters_of(thing, name) or {}).items():
        field = meant_by(name, parameter) if is_required else None
        if field:
            return f" (is {parameter} meant to be {field}?)"
    return ""
