"""The agent that keeps the whole history in the context of a language model."""

from __future__ import annotations

from typing import NamedTuple

from mabench.agents.asking import ask_model
from mabench.agents.fitting import count_excess
from mabench.contract.interfaces import Answer, Query
from mabench.errors import UsageError
from mabench.models import PromptTooLongError, ReadingModel
from mabench.text import estimate_tokens, newest_tokens
from mabench.text.tokenizers import load_encoding

# The window, in tokens, of a model whose window nobody listed.
_DEFAULT_WINDOW = 128_000
# The share of a window that is used, since our count of tokens can be too low.
_USED_SHARE = 0.9
# What the published code leaves for the question, in tokens.
_PUBLISHED_BUFFER = 4_000
# Room for a history is rounded down to a multiple of as many tokens.
_ROOM_STEP = 100


class _ShownHistory(NamedTuple):
    """What a model is shown of a history."""

    text: str  # Its newest part.
    dropped_tokens: int  # How many tokens came before it.


class LongContext:
    """Keeps the whole history in a language model's context, or the newest part that fits.

    The answer says how many tokens were dropped. ``published`` is to cut as the published code does
    (arXiv 2507.05257), for the protocols ``paper`` and ``repository``: what is shown has at most
    the window less 4,000 and the answer budget, counted by o200k_base, and the question does not
    count. Else our estimate of tokens decides, with some to spare; where that was too low by the
    server's count, more is dropped.
    """

    def __init__(self, model: ReadingModel, published: bool = False) -> None:
        if not isinstance(published, bool):
            raise UsageError(f"published={published}: expected true or false", parameter="settings")
        self._model = model
        self._separator = "\n" if published else "\n\n"
        self._published = published
        self._chunks: list[str] = []
        self._shown_by_room: dict[int, _ShownHistory] = {}  # By the tokens that it may have.
        # How many more tokens must be dropped than our estimate says, by the server's count.
        self._extra_tokens = 0

    def memorize(self, chunk: str) -> None:
        """Keep the chunk."""
        self._chunks.append(chunk)

    async def answer(self, query: Query) -> Answer:
        """Show the history and the prompt to the model, or raise a ``ModelError``.

        If the server says that the prompt is too long, ask again with less of the history.
        """
        while True:
            history = self._show_history(query)
            prompt = f"{history.text}{self._separator}{query}"
            try:
                return await ask_model(self._model, prompt, query, history.dropped_tokens)
            except PromptTooLongError as error:
                if self._published or not history.text:
                    raise
                excess = count_excess(error, prompt, query.max_tokens)
                room = max(0, estimate_tokens(history.text) - excess)
                self._extra_tokens = max(self._extra_tokens, self._room_beside(query) - room)

    def _show_history(self, query: Query) -> _ShownHistory:
        """Return what is shown of the history with a query."""
        if self._published:
            room = _published_room(self._model.window, query.max_tokens)
        else:
            room = max(0, self._room_beside(query) - self._extra_tokens)
            # Prompts of a row are of about the same length: the cut for one serves the others.
            room -= room % _ROOM_STEP
        if room not in self._shown_by_room:
            history = self._separator.join(self._chunks)
            cut = _cut_as_published if self._published else _cut_by_estimate
            self._shown_by_room[room] = cut(history, room)
        return self._shown_by_room[room]

    def _room_beside(self, query: Query) -> int:
        """Return how many tokens are left for the history beside a query and its answer."""
        used = query.max_tokens + estimate_tokens(str(query))
        return max(0, _used_window(self._model.window) - used)

    @staticmethod
    def count_shown(history: int, window: int | None, answer_tokens: int | None = None) -> int:
        """Return how many tokens of a history a model is shown at most.

        Args:
            history: the length of the history, in tokens.
            window: that of the model's context; None if unknown.
            answer_tokens: the answer budget, if the history is cut as the published code does.
        """
        if answer_tokens is None:
            return min(history, _used_window(window))
        return min(history, _published_room(window, answer_tokens))


def _used_window(window: int | None) -> int:
    """Return how many tokens of a window are used: by history, question and answer together."""
    return int(_USED_SHARE * (window or _DEFAULT_WINDOW))


def _published_room(window: int | None, answer_tokens: int) -> int:
    """Return how many tokens the published code leaves for the history."""
    return max(0, (window or _DEFAULT_WINDOW) - _PUBLISHED_BUFFER - answer_tokens)


def _cut_by_estimate(history: str, room: int) -> _ShownHistory:
    """Return the newest part of a history that has ``room`` tokens by our estimate."""
    newest = newest_tokens(history, room)
    return _ShownHistory(newest, estimate_tokens(history) - estimate_tokens(newest))


def _cut_as_published(history: str, room: int) -> _ShownHistory:
    """Return the newest part of a history that has ``room`` tokens of the encoding o200k_base."""
    text = history.strip()
    encoding = load_encoding()
    tokens = encoding.encode_ordinary(text)
    dropped = max(0, len(tokens) - room)
    if dropped == 0:
        return _ShownHistory(text, 0)
    return _ShownHistory(encoding.decode(tokens[dropped:]), dropped)
