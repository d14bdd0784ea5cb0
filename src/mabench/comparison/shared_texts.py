"""Histories that share their text, found by what they hold, whatever their sources are called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

from mabench.results import MemoryRecord, Place
from mabench.text import share_text


def name_shared_texts(memories: Mapping[Place, MemoryRecord]) -> dict[Place, Place]:
    """Return one name for all histories that share their text: the place of the first of them.

    Histories that share it with no other are left out, and so are those that are not known.
    """
    sketches = {place: memory.sketch for place, memory in memories.items() if memory.sketch}
    holders = defaultdict[int, list[Place]](list)
    for place, sketch in sketches.items():
        for each in sketch:
            holders[each].append(place)
    # Not all couples, which would be too many where all have a sentence in common.
    couples = {(one[0], other) for one in holders.values() for other in one[1:]}
    couples |= {couple for one in holders.values() for couple in pairwise(one)}
    names: dict[Place, Place] = {}
    for first, other in sorted(couples):
        if share_text(sketches[first], sketches[other]):
            both = {names.get(first, first), names.get(other, other)}
            earliest = min(both)
            names |= {place: earliest for place, name in names.items() if name in both}
            names |= {first: earliest, other: earliest}
    return names
