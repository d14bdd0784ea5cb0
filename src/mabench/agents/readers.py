"""What a language model reads for an answer: the passages of a memory, or the whole history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from mabench.contract.interfaces import Answer, Passage, Query, Reader
from mabench.errors import UsageError
from mabench.models import ReadingModel
from mabench.plugins import Group, load_plugin, plugins
from mabench.text import estimate_tokens, newest_tokens
from mabench.text.tokens import load_encoding

# Of a model whose window nobody listed.
_WINDOW = 128_000
# Our count of tokens can be so much too low.
_MARGIN = 0.9
# What the published code leaves for the question, in tokens.
_PUBLISHED_BUFFER = 4_000


class _ModelReader:
    """Shows the passages and the prompt to a language model, and returns its reply.

    They stand there as ``Memory 1:`` and so on, as published with arXiv 2507.05257.
    """

    def __init__(self, model: ReadingModel) -> None:
        self._model = model

    async def read(self, query: Query, passages: Sequence[Passage]) -> Answer:
        """Answer from ``passages``, or raise a ``ModelError``."""
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
    """Keeps the whole history in a language model's context, the newest part when it is too long.

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
        window, published = self._model.window, self._published
        if published:
            room = _room(window, query.max_tokens)
        else:
            room = max(0, _room(window) - query.max_tokens - estimate_tokens(str(query)))
            # Prompts of a row are of about the same length: the cut for one serves the others.
            room -= room % 100
        if room not in self._cuts:
            cut = _cut_by_encoding if published else _cut
            self._cuts[room] = cut(self._joint.join(self._chunks), room)
        history, dropped = self._cuts[room]
        return await _ask_model(self._model, f"{history}{self._joint}{query}", query, dropped)


def shown_tokens(history: int, window: int | None, answer_tokens: int | None = None) -> int:
    """Return how many tokens of a history such a window shows at most, by either way of cutting."""
    return min(history, _room(window, answer_tokens))


def _room(window: int | None, answer_tokens: int | None = None) -> int:
    if answer_tokens is None:
        return int(_MARGIN * (window or _WINDOW))
    return max(0, (window or _WINDOW) - _PUBLISHED_BUFFER - answer_tokens)


def _cut(text: str, room: int) -> tuple[str, int]:
    newest = newest_tokens(text, room)
    return newest, estimate_tokens(text) - estimate_tokens(newest)


def _cut_by_encoding(text: str, room: int) -> tuple[str, int]:
    encoding = load_encoding()
    text = text.strip()
    tokens = encoding.encode_ordinary(text)
    dropped = max(0, len(tokens) - room)
    return (encoding.decode(tokens[dropped:]), dropped) if dropped else (text, 0)
