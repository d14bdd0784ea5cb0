"""The agents that are built in, and what makes an agent of a memory and a reader.

The baselines are an agent that remembers nothing, and one that is given every answer. With them
stands what any agent does that has nothing to go by: it guesses among the options.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from mabench.contract.answers import AgentError, answer_of, passages_of
from mabench.contract.interfaces import Answer, Memory, Passage, Query, Reader
from mabench.contract.methods import OPTIONAL, Takes
from mabench.errors import UsageError
from mabench.models import ReadingModel
from mabench.plugins import Group, load_plugin, plugins
from mabench.text import Option, estimate_tokens, newest_tokens, parse_options, truncate_tokens
from mabench.text.times import write_time
from mabench.text.tokenizers import load_encoding

_T = TypeVar("_T")
# Of a model whose window nobody listed.
_WINDOW = 128_000
# Our count of tokens can be so much too low.
_MARGIN = 0.9
# What the published code leaves for the question, in tokens.
_PUBLISHED_BUFFER = 4_000
# Holds neither "yes" nor "no", which the published scorer would find inside a word.
UNKNOWN = "I could only guess."


class RetrievalAgent:
    """An agent made of a memory and a reader: it stores every chunk, searches, and reads.

    Its methods return an awaitable where those of the memory or the reader do.

    Args:
        memory: stores the chunks.
        reader: answers from the passages found.
        k: how many passages are searched for (10 in the published configuration of BM25).
    """

    def __init__(self, memory: Memory, reader: Reader, k: int = 10) -> None:
        self.memory = memory
        self.reader = reader
        self.k = k
        self.takes = Takes.of(memory)
        self._searches: dict[int, tuple[Query, float]] = {}  # Seconds, by the place of the query.
        for name in OPTIONAL:  # An agent has them only if its memory has.
            if callable(getattr(memory, name, None)):
                setattr(self, name, getattr(memory, name))

    def memorize(self, chunk: str, **fields: object) -> object:
        """Add the chunk to the memory, with what it takes of ``fields``; return what that does."""
        add: Callable[..., object] = self.memory.add
        return add(chunk, **self.takes.chosen("add", fields))

    def answer(self, query: Query) -> Answer | Awaitable[Answer]:
        """Answer from the passages that the memory finds for ``query.search_query``.

        The memory is passed the query's time and user where it takes them. A passage that says its
        time apart is read with it: ``[1 May 2024, 09:30] text``.

        Raises:
            AgentError: when the memory or the reader returns something unusable.
        """
        start = time.perf_counter()

        def read(found: object) -> Answer | Awaitable[Answer]:
            self._searches[id(query)] = query, round(time.perf_counter() - start, 6)
            passages = passages_of(found)[: self.k]

            def complete(result: object) -> Answer:
                answer = answer_of(result)
                return answer if answer.retrieved else replace(answer, retrieved=passages)

            dated = [
                replace(one, text=f"[{write_time(one.time)}] {one.text}") if one.time else one
                for one in passages
            ]
            return _then(self.reader.read(query, dated), complete)

        fields = self.takes.chosen("search", {"time": query.time, "user": query.user})
        search: Callable[..., object] = self.memory.search
        return _then(search(query.search_query, self.k, **fields), read)

    def search_seconds(self, query: Query) -> float | None:
        """Return, once, how long the search for an answer took; None where it has not ended."""
        return self._searches.pop(id(query), (query, None))[1]

    def close(self) -> Awaitable[None] | None:
        """Close the memory and the reader where they can be closed."""
        closing = [part.close() for part in (self.memory, self.reader) if hasattr(part, "close")]
        pending = [closed for closed in closing if inspect.isawaitable(closed)]

        async def wait() -> None:
            for closed in pending:
                await closed

        return wait() if pending else None


def _then(value: object, proceed: Callable[[object], _T | Awaitable[_T]]) -> _T | Awaitable[_T]:
    """Go on with a value, at once or after it was awaited."""
    if not inspect.isawaitable(value):
        return proceed(value)

    async def wait() -> _T:
        result = proceed(await value)
        return await result if inspect.isawaitable(result) else result

    return wait()


class _ModelReader:
    """Shows the passages and the prompt to a language model, and returns its reply.

    They stand there as ``Memory 1:`` and so on, as published with arXiv 2507.05257.
    """

    def __init__(self, model: ReadingModel) -> None:
        self._model = model

    async def read(self, query: Query, passages: Sequence[Passage]) -> Answer:
        memories = [f"Memory {i}:\n{p.text}" for i, p in enumerate(passages, start=1)]
        return await _ask_model(self._model, "\n\n".join([*memories, str(query)]), query)


async def _ask_model(
    model: ReadingModel, prompt: str, query: Query, dropped_tokens: int | None = None
) -> Answer:
    """Return a model's reply as an answer, with its cost, or raise a ``ModelError``."""
    reply = await model.reply(prompt, query.max_tokens, system=query.system)
    return Answer(
        reply.text,
        input_tokens=reply.usage.input_tokens,
        output_tokens=reply.usage.output_tokens,
        tokens_estimated=reply.usage.estimated,
        cost=model.cost(reply.usage),
        dropped_tokens=dropped_tokens,
        cut_off=reply.cut_off or None,
        prompt=f"{query.system}\n\n{prompt}" if query.system else prompt,
    )


def reader_for(model: ReadingModel | None) -> Reader:
    """Return what reads with a model; without one, the first reader that an entry point brings.

    Raises:
        UsageError: when none is installed.
    """
    if model is not None:
        return _ModelReader(model)
    points = plugins(Group.READERS)
    if not points:
        raise UsageError(
            "no reader without a model is installed: name a model with `model`, or reinstall "
            "mabench, whose part mabench_floor provides one",
            parameter="model",
        )
    factory = cast("Callable[[], Reader]", load_plugin(next(iter(points.values())), "reader"))
    return factory()


class LongContext:
    """Keeps the whole history in a language model's context, or the newest part that fits.

    The answer says how many tokens were dropped. ``published`` is to cut as the published code does
    (arXiv 2507.05257), for the protocols ``paper`` and ``repository``: what is shown has at most
    the window less 4,000 and the answer budget, counted by o200k_base, and the question does not
    count. Else our estimate of tokens decides, with some to spare.
    """

    def __init__(self, model: ReadingModel, published: bool = False) -> None:
        if not isinstance(published, bool):
            raise UsageError(f"published={published}: expected true or false", parameter="settings")
        self._model = model
        self._joint = "\n" if published else "\n\n"
        self._published = published
        self._chunks: list[str] = []
        self._cuts: dict[int, tuple[str, int]] = {}

    def memorize(self, chunk: str) -> None:
        """Keep the chunk."""
        self._chunks.append(chunk)

    async def answer(self, query: Query) -> Answer:
        """Show the history and the prompt to the model, or raise a ``ModelError``."""
        window = self._model.window
        if self._published:
            room = _room(window, query.max_tokens)
        else:
            room = max(0, _room(window) - query.max_tokens - estimate_tokens(str(query)))
            # Prompts of a row are of about the same length: the cut for one serves the others.
            room -= room % 100
        if room not in self._cuts:
            self._cuts[room] = self._cut(self._joint.join(self._chunks), room)
        history, dropped = self._cuts[room]
        return await _ask_model(self._model, f"{history}{self._joint}{query}", query, dropped)

    @staticmethod
    def shown(history: int, window: int | None, answer_tokens: int | None = None) -> int:
        """Return how many tokens of a history a window shows at most, by either way of cutting."""
        return min(history, _room(window, answer_tokens))

    def _cut(self, text: str, room: int) -> tuple[str, int]:
        if not self._published:
            newest = newest_tokens(text, room)
            return newest, estimate_tokens(text) - estimate_tokens(newest)
        encoding, text = load_encoding(), text.strip()
        tokens = encoding.encode_ordinary(text)
        dropped = max(0, len(tokens) - room)
        return (encoding.decode(tokens[dropped:]), dropped) if dropped else (text, 0)


def _room(window: int | None, answer_tokens: int | None = None) -> int:
    if answer_tokens is None:
        return int(_MARGIN * (window or _WINDOW))
    return max(0, (window or _WINDOW) - _PUBLISHED_BUFFER - answer_tokens)


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
