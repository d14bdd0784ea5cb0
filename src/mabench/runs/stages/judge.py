"""Asks a language model whether a record says what a question rests on, where rules cannot tell.

One question a record; its replies are cached like those of a reader. It sees a statement of the
history and a record, and neither question nor answer.
"""

from __future__ import annotations

import re

from mabench.models import ReadingModel
from mabench.results import Holding

_PROMPT = """\
Statement: {statement}

Record: {record}

Does the record say what the statement says? Reply with one word:
SAME if it says so, in whatever words;
OTHER if it says something else of the same thing, such as another value;
NO if it does not say it."""
_REPLY_TOKENS = 16
_WORD = re.compile(r"\b(SAME|OTHER|NO)\b")
_MEANINGS: dict[str, Holding] = {"SAME": "whole", "OTHER": "changed", "NO": "none"}
# Records that are asked about for one statement.
_MOST_RECORDS = 5
_BEST_FIRST: tuple[Holding, ...] = ("whole", "unclear", "changed", "none")


class StageJudge:
    """Tells what records make of a statement; ``asked`` counts its calls of the model."""

    def __init__(self, model: ReadingModel) -> None:
        self._model = model
        self.asked = 0

    async def judge(self, statement: str, records: list[str]) -> Holding:
        """Return the best that any of the records makes of a statement; raises as the model.

        If there are more records than are asked about, and none of those says it, that is unclear.
        """
        verdicts: list[Holding] = []
        for record in records[:_MOST_RECORDS]:
            prompt = _PROMPT.format(statement=statement, record=record)
            self.asked += 1
            reply = await self._model.reply(prompt, _REPLY_TOKENS)
            verdicts.append(read_verdict(reply.text))
            if verdicts[-1] == "whole":
                break
        if len(records) > _MOST_RECORDS:
            verdicts.append("unclear")
        return min(verdicts, key=_BEST_FIRST.index, default="unclear")


def read_verdict(reply: str) -> Holding:
    """Return what a reply says; unclear unless it has one of the words, and no other one."""
    words = {*_WORD.findall(reply)}
    if len(words) != 1:
        return "unclear"
    (word,) = words
    return _MEANINGS[word]
