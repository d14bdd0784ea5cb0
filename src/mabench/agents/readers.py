"""Readers: what turns passages and a query into an answer, with a language model or without."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.agents.floor.skill import History, SkillSet
from mabench.contract.interfaces import Answer, Passage, Query
from mabench.models import ReadingModel, Reply


class ModelReader:
    """Shows the passages and the prompt to a language model, and returns its reply.

    Passages stand before the prompt as ``Memory 1:`` and so on, as in the code that was
    published with arXiv 2507.05257.
    """

    def __init__(self, model: ReadingModel) -> None:
        self._model = model

    async def read(self, query: Query, passages: Sequence[Passage]) -> Answer:
        """Answer from ``passages``.

        Raises:
            ModelError: when the model gives no answer.
        """
        memories = [f"Memory {i}:\n{p.text}" for i, p in enumerate(passages, start=1)]
        prompt = "\n\n".join([*memories, str(query)])
        reply = await self._model.reply(prompt, query.max_tokens, system=query.system)
        return answer_from(self._model, reply, shown_prompt(prompt, query))


class SkillReader:
    """Answers without a language model: with the skills of the floor, learnt from the passages.

    The passages are all that it knows; it keeps nothing from one question to the next.
    """

    def read(self, query: Query, passages: Sequence[Passage]) -> str:
        """Answer ``query`` from ``passages``, within ``query.max_tokens`` by the estimate."""
        texts = tuple(passage.text for passage in passages)
        return SkillSet(History(texts, passages=True)).answer(query).text


def shown_prompt(prompt: str, query: Query) -> str:
    """Return all that a model is shown: the system message, too, where there is one."""
    return f"{query.system}\n\n{prompt}" if query.system else prompt


def answer_from(
    model: ReadingModel, reply: Reply, prompt: str, dropped_tokens: int | None = None
) -> Answer:
    """Return a model's reply as an answer, with its tokens and its cost."""
    return Answer(
        reply.text,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        tokens_estimated=reply.estimated,
        cost=model.cost(reply),
        dropped_tokens=dropped_tokens,
        prompt=prompt,
    )
