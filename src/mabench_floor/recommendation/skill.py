"""The skill: continues a dialogue with items that go with its items and words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from mabench.contract.interfaces import Answer, Query
from mabench.text import estimate_tokens
from mabench_floor.recommendation.ranking import (
    ItemRanker,
    Turn,
    learn_ranker,
    ranked_by_neighbours,
    turn_of,
)
from mabench_floor.recommendation.titles import Titles, learn_titles
from mabench_floor.skill import History

_TURN = re.compile(r"^[ \t]*([^\W\d_]\w{0,20}):(.*)$", re.MULTILINE)
# Dialogues stand apart by a blank line or by a numbered heading, as in "Dialogue 12:".
_BREAK = re.compile(r"\n[ \t]*\n|(?:^|(?<=\s))[A-Z]\w+ \d+:\s")
_FEWEST_SPEAKERS = 2
_MOST = 20


class RecommendationSkill:
    """Continues a dialogue with the items that go with it in the dialogues of a history."""

    def __init__(self, history: History) -> None:
        self._history = history

    def answer(self, query: Query) -> Answer | None:
        """Return up to 20 numbered items; None unless a dialogue waits for its next turn."""
        if not is_open_dialogue(query.question):
            return None
        utterances = [text for dialogue in dialogues_in(query.question) for text in dialogue]
        turns = [turn_of(text, self._titles.mentioned(text)) for text in utterances]
        if self._history.passages:
            ranked = ranked_by_neighbours(turns, self._dialogues)
        else:
            ranked = self._ranker.ranked(turns)
        items = _numbered((self._titles.written[item] for item in ranked), query.max_tokens)
        return Answer(items) if items else None

    @cached_property
    def _texts(self) -> list[tuple[str, ...]]:
        return dialogues_in(self._history.text)

    @cached_property
    def _titles(self) -> Titles:
        return learn_titles(text for dialogue in self._texts for text in dialogue)

    @cached_property
    def _dialogues(self) -> list[list[Turn]]:
        mentioned = self._titles.mentioned
        return [[turn_of(text, mentioned(text)) for text in dialogue] for dialogue in self._texts]

    @cached_property
    def _ranker(self) -> ItemRanker:
        return learn_ranker(self._dialogues)


def is_open_dialogue(question: str) -> bool:
    """Say whether ``question`` has turns of two, ``Speaker: words``, the last one empty."""
    turns = _TURN.findall(question)
    lines = question.strip().splitlines()
    return (
        len({speaker for speaker, _ in turns}) >= _FEWEST_SPEAKERS
        and not turns[-1][1].strip()
        and lines[-1].strip() == f"{turns[-1][0]}:"
    )


def dialogues_in(text: str) -> list[tuple[str, ...]]:
    """Return the turns of each dialogue in ``text``, without the speakers' names, in order."""
    speakers = sorted({speaker for speaker, _ in _TURN.findall(text)})
    # A turn may begin within a line where line breaks were lost.
    turn = re.compile(rf"(?:^|(?<=\s))(?:{'|'.join(speakers)}): ?" if speakers else r"\n")
    dialogues = (turn.split(part) for part in _BREAK.split(text))
    texts = [tuple(part.strip() for part in turns if part.strip()) for turns in dialogues]
    return [turns for turns in texts if turns]


def _numbered(items: Iterable[str], max_tokens: int) -> str:
    """Return the first 20 of ``items`` as numbered lines, as many as the budget allows."""
    lines: list[str] = []
    for number, item in enumerate(items, start=1):
        longer = [*lines, f"{number}. {item}"]
        if number > _MOST or estimate_tokens("\n".join(longer)) > max_tokens:
            break
        lines = longer
    return "\n".join(lines)


learn = RecommendationSkill
