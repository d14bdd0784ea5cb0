"""Relations: the frames that say the same, each read from the name that it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mabench_floor.facts.frames import Frame
from mabench_floor.facts.grammar import key_slot
from mabench_floor.facts.sameness import Pairs, Sameness

_JOIN = 0.7  # The least mean score on which groups of frames are joined.
_JOIN_LATER = -1.7  # The same for a frame that stands alone when most have been joined.
_OFTEN = 0.2  # The least share of frames that others say the same as, if any do.
_MOST_FRAMES = 300  # Frames that are compared: those that read the most.


class Member(NamedTuple):
    """A frame of a relation; ``turned`` when its second slot holds the name it is about."""

    frame: Frame
    turned: bool


Group = tuple[Member, ...]


def relations_of(read: Mapping[Frame, Pairs]) -> list[Group]:
    """Bring the frames together that say the same, by what each reads.

    Groups are joined while their frames score well on average (agglomerative clustering with
    mean linkage); each then has its frames turned so that they are about the same name.
    """
    used = sorted(read, key=lambda frame: -len(read[frame]))
    groups = _grouped({frame: read[frame] for frame in used[:_MOST_FRAMES]})
    groups += [(Member(frame, turned=False),) for frame in used[_MOST_FRAMES:]]
    return [_directed(group, read) for group in groups]


def _grouped(read: Mapping[Frame, Pairs]) -> list[Group]:
    groups: list[Group | None] = [(Member(frame, turned=False),) for frame in read]
    sums = _scores(read)
    sizes = np.ones(len(groups))
    least = _JOIN
    while len(groups) > 1:
        means = sums / np.outer(sizes, sizes)
        if means.max() < _JOIN and _says_again(groups):
            # A frame that stands alone must have others that say the same.
            means[:, np.minimum.outer(sizes, sizes) > 1] = -np.inf
            least = _JOIN_LATER
        turned, kept, gone = map(int, np.unravel_index(np.argmax(means), means.shape))
        if means[turned, kept, gone] < least:
            break
        added = [Member(frame, was != bool(turned)) for frame, was in groups[gone] or ()]
        groups[kept] = (*(groups[kept] or ()), *added)
        groups[gone] = None
        sizes[kept] += sizes[gone]
        sums[:, kept] += sums[::-1, gone] if turned else sums[:, gone]
        sums[:, :, kept] = sums[:, kept]
        sums[:, gone] = sums[:, :, gone] = sums[:, kept, kept] = -np.inf
    found = [group for group in groups if group]
    joined = sum(len(group) for group in found if len(group) > 1)
    # A text that says anything again in other words does so often; a single pair is chance.
    return found if joined >= _OFTEN * len(read) else [(Member(f, turned=False),) for f in read]


def _says_again(groups: Sequence[Group | None]) -> bool:
    """Say whether most frames have been joined: the text says the same in several ways."""
    sizes = [len(group) for group in groups if group]
    return sum(size for size in sizes if size > 1) > sum(sizes) / 2


def _scores(read: Mapping[Frame, Pairs]) -> NDArray[np.float64]:
    """Return the scores of every two frames, read alike ([0]) and one of them turned ([1])."""
    sameness = Sameness(read)
    scores = np.full((2, len(read), len(read)), -np.inf)
    for (one, frame), (other, another) in combinations(enumerate(read), 2):
        scores[:, one, other] = scores[:, other, one] = sameness.scores(frame, another)
    return scores


def _directed(group: Group, read: Mapping[Frame, Pairs]) -> Group:
    """Turn all frames of a group if that agrees better with what each is about by grammar.

    A frame of which grammar does not tell is about its first slot.
    """
    votes = sum(
        len(read[frame]) * (-1 if turned != (key_slot(frame) == 1) else 1)
        for frame, turned in group
    )
    return group if votes >= 0 else tuple(Member(frame, not turned) for frame, turned in group)
