"""Recommending: what goes with the items and words of the dialogue at hand."""

from __future__ import annotations

from functools import cached_property

from mabench.agents.floor.recommendation.dialogues import dialogues_in, is_open_dialogue
from mabench.agents.floor.recommendation.titles import Titles, learn_titles
from mabench.agents.extractive.recommendations import numbered
from mabench.agents.floor.skill import History
from mabench.agents.floor.recommendation.ranking import Taste, learn_taste, turn_of
from mabench.contract.interfaces import Answer, Query


class Recommending:
    """Continues a dialogue with the items that the dialogues told go with it."""

    def __init__(self, history: History) -> None:
        self._history = history

    def answer(self, query: Query) -> Answer | None:
        """Return up to 20 numbered items; None unless a dialogue waits for its next turn."""
        if not is_open_dialogue(query.question):
            return None
        titles, taste = self._learnt
        said = [said for dialogue in dialogues_in(query.question) for said in dialogue]
        turns = [turn_of(text, titles.mentioned(text)) for text in said]
        items = numbered((titles.written[item] for item in taste.ranked(turns)), query.max_tokens)
        return Answer(items) if items else None

    @cached_property
    def _learnt(self) -> tuple[Titles, Taste]:
        dialogues = dialogues_in(self._history.text)
        titles = learn_titles(said for dialogue in dialogues for said in dialogue)
        turns = [[turn_of(said, titles.mentioned(said)) for said in told] for told in dialogues]
        return titles, learn_taste(turns)


def learn(history: History) -> Recommending:
    """Learn which items go together, once a dialogue asks for it."""
    return Recommending(history)
