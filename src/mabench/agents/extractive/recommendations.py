"""Items to recommend: those that came up in dialogues like the one at hand."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from mabench.agents.extractive.dialogues import Dialogue, dialogues_in
from mabench.agents.extractive.items import titles
from mabench.agents.extractive.weights import idf, total
from mabench.agents.words import content_words
from mabench.text import estimate_tokens

_MOST = 20


def recommended(question: str, texts: Sequence[str], max_tokens: int) -> str:
    """Return up to 20 numbered lines, an item each, the best first, within ``max_tokens``.

    A dialogue counts by the square of the weight of the words that it shares with the one in
    ``question``, over the square root of its length; an item, by the dialogues that mention
    it. Items that ``question`` names are left out.
    """
    dialogues = [dialogue for text in texts for dialogue in dialogues_in(text)]
    scores = _scores(content_words(question), dialogues)
    ranked = sorted(scores, key=lambda item: (-scores[item], item))
    return _numbered((item for item in ranked if not _named(item, question)), max_tokens)


def _scores(asked: frozenset[str], dialogues: Sequence[Dialogue]) -> dict[str, float]:
    weights = idf(asked, [dialogue.words for dialogue in dialogues])
    title = titles(m for dialogue in dialogues for m in dialogue.mentions)
    scores: dict[str, float] = defaultdict(float)
    for dialogue in dialogues:
        shared = total(asked & dialogue.words, weights)
        likeness = shared**2 / math.sqrt(1 + len(dialogue.words))
        for item in sorted({title[mention] for mention in dialogue.mentions}):
            scores[item] += likeness
    return scores


def _named(item: str, question: str) -> bool:
    return item.partition(" (")[0].casefold() in question.casefold()


def _numbered(items: Iterable[str], max_tokens: int) -> str:
    lines: list[str] = []
    for number, item in enumerate(items, start=1):
        longer = [*lines, f"{number}. {item}"]
        if number > _MOST or estimate_tokens("\n".join(longer)) > max_tokens:
            break
        lines = longer
    return "\n".join(lines)
