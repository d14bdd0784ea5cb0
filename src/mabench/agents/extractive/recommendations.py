"""Items to recommend: those that came up in dialogues like the one at hand."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from mabench.agents.floor.recommendation.dialogues import Dialogue, dialogues_in
from mabench.agents.floor.recommendation.titles import Titles, learn_titles
from mabench.agents.extractive.weights import idf, total
from mabench.text import estimate_tokens
from mabench.text.stems import content_words

_MOST = 20


def recommended(question: str, texts: Sequence[str], max_tokens: int) -> str:
    """Return up to 20 numbered lines, an item each, the best first, within ``max_tokens``.

    A dialogue counts by the square of the weight of the words that it shares with the one in
    ``question``, over the square root of its length; an item, by the dialogues that mention
    it. Items that ``question`` names are left out.
    """
    dialogues = [dialogue for text in texts for dialogue in dialogues_in(text)]
    titles = learn_titles(said for dialogue in dialogues for said in dialogue)
    scores = _scores(content_words(question), dialogues, titles)
    for title in titles.mentioned(question):
        scores.pop(title, None)
    ranked = sorted(scores, key=lambda title: (-scores[title], title))
    return numbered((titles.written[title] for title in ranked), max_tokens)


def numbered(items: Iterable[str], max_tokens: int) -> str:
    """Return the first 20 of ``items`` as numbered lines, fewer if ``max_tokens`` asks for it."""
    lines: list[str] = []
    for number, item in enumerate(items, start=1):
        longer = [*lines, f"{number}. {item}"]
        if number > _MOST or estimate_tokens("\n".join(longer)) > max_tokens:
            break
        lines = longer
    return "\n".join(lines)


def _scores(
    asked: frozenset[str], dialogues: Sequence[Dialogue], titles: Titles
) -> dict[str, float]:
    texts = [" ".join(dialogue) for dialogue in dialogues]
    words = [content_words(text) for text in texts]
    weights = idf(asked, words)
    scores: dict[str, float] = defaultdict(float)
    for text, own in zip(texts, words, strict=True):
        likeness = total(asked & own, weights) ** 2 / math.sqrt(1 + len(own))
        for title in sorted(set(titles.mentioned(text))):
            scores[title] += likeness
    return scores
