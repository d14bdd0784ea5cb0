"""What speaks for the paragraph of a sentence: whether it is about what a question describes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mabench.agents.floor.likeness import same_meaning
from mabench.agents.floor.qa.holders import is_such
from mabench.agents.floor.qa.questions import Asked
from mabench.text.stems import stem

if TYPE_CHECKING:
    from mabench.agents.floor.qa.search import Hit, Search

_WORD = re.compile(r"[^\W_]+")
_AROUND = 4  # Words around a name in which the noun that describes it may stand.


def signs_of_chain(asked: Asked, hit: Hit, search: Search) -> dict[str, float]:
    """Weigh whether the paragraph of a hit is about a thing such as ``asked.holder``.

    The noun may also stand beside the name that led there, as in "the singer Ann Lee".
    """
    if not asked.holder:
        return {}
    held = is_such(asked.holder, frozenset(search.opening(hit.place)))
    return {
        "held": held,
        "unheld": float(not held and hit.start is None),
        "link held": float(_names_it(asked.holder, hit, search)),
    }


def _names_it(noun: str, hit: Hit, search: Search) -> bool:
    """Say whether a noun, or one that means the same, stands beside the name that led to a hit."""
    if hit.start is None:
        return False
    words = [stem(word.lower()) for word in _WORD.findall(search.sentences[hit.start].text)]
    wanted = {stem(noun), *same_meaning(stem(noun))}
    named = [place for place, word in enumerate(words) if word in hit.name]
    return any(
        not wanted.isdisjoint(words[max(place - _AROUND, 0) : place + _AROUND]) for place in named
    )
