"""Histories that share their text, found by what they hold, whatever their sources are called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import pairwise

from mabench.results.records.lines import MemoryRecord, Place
from mabench.text import share_text


def name_shared_texts(memories: Mapping[Place, MemoryRecord]) -> dict[Place, Place]:
    """Return one name for all histories that share their text: the place of the first of them.

    Histories that share it with no other are left out, and so are those whose text is not known.
    """
    sketches = {place: memory.sketch for place, memory in memories.items() if memory.sketch}
    names: dict[Place, Place] = {}
    for first, second in sorted(_find_candidates(sketches)):
        if share_text(sketches[first], sketches[second]):
            # Both, and all that already share a text with either, take the earliest name.
            old_names = {names.get(first, first), names.get(second, second)}
            earliest = min(old_names)
            for place, name in names.items():
                if name in old_names:
                    names[place] = earliest
            names[first] = earliest
            names[second] = earliest
    return names


def _find_candidates(sketches: Mapping[Place, Collection[int]]) -> set[tuple[Place, Place]]:
    """Return pairs of places that have a hash in their sketches in common.

    Of the places that have a hash, each is paired with the first and with the one before it. All
    pairs would be too many where all texts have a sentence in common.
    """
    holders = defaultdict[int, list[Place]](list)
    for place, sketch in sketches.items():
        for sentence_hash in sketch:
            holders[sentence_hash].append(place)
    candidates: set[tuple[Place, Place]] = set()
    for places in holders.values():
        candidates.update((places[0], other) for other in places[1:])
        candidates.update(pairwise(places))
    return candidates
