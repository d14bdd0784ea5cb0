"""An agent that keeps the whole history in a language model's context."""

from __future__ import annotations

from mabench.agents.readers import answer_from
from mabench.contract.interfaces import Answer, Query
from mabench.models import ReadingModel
from mabench.text import estimate_tokens, newest_tokens

# Of a model whose window nobody listed.
_WINDOW = 128_000
# Our count of tokens can be so much too low.
_MARGIN = 0.9


class LongContext:
    """Keeps the whole history in a language model's context, the newest part when it is too long.

    As in the published protocol, the oldest tokens are dropped; the answer says how many.

    Args:
        model: the model that reads.
    """

    def __init__(self, model: ReadingModel) -> None:
        self._model = model
        self._chunks: list[str] = []
        self._shown: dict[int, tuple[str, int]] = {}

    def memorize(self, chunk: str) -> None:
        """Keep the chunk."""
        self._chunks.append(chunk)

    async def answer(self, query: Query) -> Answer:
        """Show the history and the prompt to the model.

        Raises:
            ModelError: when the model gives no answer.
        """
        asked = query.max_tokens + estimate_tokens(str(query))
        history, dropped = self._newest(max(0, _room(self._model.window) - asked))
        prompt = f"{history}\n\n{query}"
        reply = await self._model.reply(prompt, query.max_tokens)
        return answer_from(self._model, reply, prompt, dropped)

    def _newest(self, room: int) -> tuple[str, int]:
        """Return what fits of the history, and how many tokens do not."""
        # Prompts of a row are of about the same length: what was cut for one serves the others.
        room -= room % 100
        if room not in self._shown:
            whole = "\n\n".join(self._chunks)
            kept = newest_tokens(whole, room)
            self._shown[room] = (kept, estimate_tokens(whole) - estimate_tokens(kept))
        return self._shown[room]


def shown_tokens(history: int, window: int | None) -> int:
    """Return how many tokens of a history are shown to a model with such a window, at most."""
    return min(history, _room(window))


def _room(window: int | None) -> int:
    return int(_MARGIN * (window or _WINDOW))
