"""Readers, which answer a question from the passages that a memory found.

One reads with a language model; others, which need no model, are brought by entry points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from mabench.agents.asking import ask_model
from mabench.agents.fitting import count_excess, cut_last
from mabench.contract.interfaces import Answer, Passage, Query, Reader
from mabench.errors import UsageError
from mabench.models import PromptTooLongError, ReadingModel
from mabench.plugins import Group, load_plugin, plugins
from mabench.text import estimate_tokens


class ModelReader:
    """Shows the passages and the prompt to a language model, and returns its reply.

    It shows them as ``Memory 1:`` and so on, as published with arXiv 2507.05257. Where its server
    says that they are too long for its context, the last ones are cut, and the answer says by how
    many tokens.
    """

    def __init__(self, model: ReadingModel) -> None:
        self._model = model

    async def read(self, query: Query, passages: Sequence[Passage]) -> Answer:
        """Return the reply, or raise a ``ModelError``."""
        texts = [passage.text for passage in passages]
        all_tokens = _count_tokens(texts)
        while True:
            memories = [f"Memory {number}:\n{text}" for number, text in enumerate(texts, start=1)]
            prompt = "\n\n".join([*memories, str(query)])
            dropped_tokens = all_tokens - _count_tokens(texts)
            try:
                return await ask_model(self._model, prompt, query, dropped_tokens or None)
            except PromptTooLongError as error:
                if not texts:
                    raise
                texts = cut_last(texts, count_excess(error, prompt, query.max_tokens))


def _count_tokens(texts: Sequence[str]) -> int:
    """Return how many tokens texts have together, by our estimate."""
    return sum(estimate_tokens(text) for text in texts)


def reader_for(model: ReadingModel | None) -> Reader:
    """Return what reads with a model; without one, the first reader that an entry point brings.

    Raises:
        UsageError: when no reader without a model is installed, or it cannot be loaded.
    """
    if model is not None:
        return ModelReader(model)
    entry_points = list(plugins(Group.READERS).values())
    if not entry_points:
        raise UsageError(
            "no reader without a model is installed: name a model with `model`, or reinstall "
            "mabench, whose part mabench_floor provides one",
            parameter="model",
        )
    make_reader = cast("Callable[[], Reader]", load_plugin(entry_points[0], "reader"))
    return make_reader()
