"""The agent that keeps the whole history in the context of a language model."""

from __future__ import annotations

from mabench.agents.asking import ask_model
from mabench.agents.fitting import count_excess
from mabench.contract.interfaces import Answer, Query
from mabench.errors import UsageError
from mabench.models import PromptTooLongError, ReadingModel
from mabench.text import estimate_tokens, newest_tokens
from mabench.text.tokenizers import load_encoding

# Of a model whose window nobody listed.
_WINDOW = 128_000
# The share of a window that is used, since our count of tokens can be too low.
_MARGIN = 0.9
# What the published code leaves for the question, in tokens.
_PUBLISHED_BUFFER = 4_000


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
        self._joint = "\n" if published else "\n\n"
        self._published = published
        self._chunks: list[str] = []
        self._cuts: dict[int, tuple[str, int]] = {}
        self._excess = 0  # How many tokens too few our estimate let drop, by the server's count.

    def memorize(self, chunk: str) -> None:
        """Keep the chunk."""
        self._chunks.append(chunk)

    async def answer(self, query: Query) -> Answer:
        """Show the history and the prompt to the model, or raise a ``ModelError``."""
        while True:
            history, dropped = self._fit(query)
            prompt = f"{history}{self._joint}{query}"
            try:
                return await ask_model(self._model, prompt, query, dropped)
            except PromptTooLongError as error:
                if self._published or not history:
                    raise
                shown = estimate_tokens(history)
                room = max(0, shown - count_excess(error, prompt, query.max_tokens))
                self._excess = max(self._excess, self._room_for(query) - room)

    def _fit(self, query: Query) -> tuple[str, int]:
        """Return what is shown of the history with a query, and how many tokens are dropped."""
        if self._published:
            room = _room(self._model.window, query.max_tokens)
        else:
            room = max(0, self._room_for(query) - self._excess)
            # Prompts of a row are of about the same length: the cut for one serves the others.
            room -= room % 100
        if room not in self._cuts:
            self._cuts[room] = self._cut(self._joint.join(self._chunks), room)
        return self._cuts[room]

    def _room_for(self, query: Query) -> int:
        window = self._model.window
        return max(0, _room(window) - query.max_tokens - estimate_tokens(str(query)))

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
