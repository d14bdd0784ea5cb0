"""What speaks for the paragraph of a sentence, and for the name that led to it."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from mabench.agents.floor.likeness import same_meaning
from mabench.agents.floor.qa.holders import is_such
from mabench.agents.floor.qa.questions import Asked
from mabench.text.stems import stem

if TYPE_CHECKING:
    from mabench.agents.floor.qa.search import Hit, Search

_WORD = re.compile(r"[^\W_]+")
_FADES = 4.0
_LEAST = 0.05


def signs_of_chain(asked: Asked, hit: Hit, search: Search) -> dict[str, float]:
    hop = float(hit.start is not None)
    held = is_such(asked.holder, frozenset(search.opening(hit.place))) if asked.holder else 0.0
    signs = {
        "held": held,
        "held hop": held * hop,
        "unheld hop": hop * (bool(asked.holder) and not held),
        "unheld": float(bool(asked.holder) and not held),
        "holderless": float(not asked.holder),
        "joint": math.log(_joint(asked, hit, search) + _LEAST),
    }
    if hit.start is not None:
        signs["link near"] = math.log(_link_near(asked, hit, search) + _LEAST)
        signs["link held"] = float(bool(asked.holder) and _beside(asked.holder, hit, search))
    return signs


def _joint(asked: Asked, hit: Hit, search: Search) -> float:
    told: set[str] = set()
    for place in (hit.place, hit.start):
        if place is not None:
            start, end = int(search.documents.starts[place]), int(search.documents.ends[place])
            if end - start > 30:
                start, end = place, place + 1
            told.update(w for s in search.sentences[start:end] for w in s.words)
    total = search.index.total_rarity(asked.words)
    said = math.fsum(
        search.index.rarity(w) * (1.0 if w in told else 0.5 * (not told.isdisjoint(same_meaning(w))))
        for w in sorted(asked.words)
    )
    return said / total if total else 0.0


def _link_near(asked: Asked, hit: Hit, search: Search) -> float:
    text = search.sentences[hit.start].text
    stems = [stem(m.group().lower()) for m in _WORD.finditer(text)]
    at = [n for n, w in enumerate(stems) if w in hit.name]
    if not at:
        return 0.0
    near = {}
    for n, w in enumerate(stems):
        if w in asked.words and w not in hit.name:
            gap = min(abs(n - a) for a in at)
            near[w] = min(gap, near.get(w, 999))
    total = search.index.total_rarity(asked.words)
    return math.fsum(search.index.rarity(w) / (1 + g / _FADES) for w, g in sorted(near.items())) / total if total else 0.0


def _beside(noun: str, hit: Hit, search: Search) -> bool:
    text = search.sentences[hit.start].text
    stems = [stem(m.group().lower()) for m in _WORD.finditer(text)]
    wanted = {stem(noun), *same_meaning(stem(noun))}
    at = [n for n, w in enumerate(stems) if w in hit.name]
    return any(w in wanted for a in at for w in stems[max(a - 4, 0) : a + 4])
