"""The published score of recommendations, and how it reads them out of an output."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from mabench.scoring.catalogue import Catalogue

CUTOFFS = (1, 5, 10)
_PARENTHESES = re.compile(r"\([^()]*\)")
_NUMBERING = re.compile(r"\d+[.)、]?\s*+(?:[-\u2014\u2013]\s*+)?")


def recommendation_recall(
    prediction: str, answers: Sequence[str], catalogue: Catalogue, ks: Sequence[int] = CUTOFFS
) -> dict[str, float]:
    """Return the published Recall@k, the share of gold titles among the first k items.

    Args:
        prediction: the output, one recommendation a line.
        answers: the ids of the gold entities. One that is unknown to the catalogue (the
            published code fails there) is never found and stays in the denominator.
        catalogue: the entities.
        ks: how many items count.

    Returns:
        ``recsys_recall@k`` for each k, from 0 to 1.
    """
    items = recommended_items(prediction)[: max(ks, default=0)]
    nearest = [catalogue.nearest(item) for item in items]
    wanted = catalogue.titles(answers)
    return {
        f"recsys_recall@{k}": sum(title in nearest[:k] for title in wanted) / max(len(answers), 1)
        for k in ks
    }


def recommended_items(output: str) -> list[str]:
    """Return the items of ``output``, one a line, cleaned; blank lines are items too.

    Reading starts after the first ``1.``. Without one, commas end an item as line feeds do.
    Digits that open an item are taken for its number, so that ``21 Jump Street`` loses its 21.
    """
    before, mark, after = output.partition("1.")
    text = after if mark else before.replace(",", "\n")
    return [_clean(line) for line in text.split("\n")]


@lru_cache(maxsize=8192)
def _clean(line: str) -> str:
    item = _PARENTHESES.sub("", line.strip())
    numbering = _NUMBERING.match(item)
    return " ".join((item[numbering.end() :] if numbering else item).split())
