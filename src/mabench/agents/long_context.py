"""The agent that keeps the whole history in the context of a language model."""

from __future__ import annotations

from mabench.agents.asking import ask_model
from mabench.contract.interfaces import Answer, Query
from mabench.errors import UsageError
from mabench.models import ReadingModel
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
        return await ask_model(self._model, f"{history}{self._joint}{query}", query, dropped)

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
