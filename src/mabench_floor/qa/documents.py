"""The paragraphs of a history: what each is about, and which others tell of the same name."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mabench_floor.answer_types import NAME
from mabench_floor.index import Index
from mabench_floor.sentences import stems

_RARE = 10  # A name that stands in more paragraphs leads to those that are about it alone.
_MOST_SUBJECTS = 4
_MOST_NAMES = 100  # Names of a sentence that are followed.
_LONGEST = 30  # Sentences of a paragraph that is read as one document.
_OPENING = 3  # How many other words may stand among those that a paragraph opens with.
_ENDS, _LONGEST_TITLE = (".", "!", "?", '"'), 80


class Link(NamedTuple):
    """A paragraph that tells of a name.

    Attributes:
        start: the place of its first sentence.
        first: the place of the first sentence that holds the name.
        end: the place after the last sentence.
        is_subject: whether the paragraph opens with the name.
    """

    start: int
    first: int
    end: int
    is_subject: bool


class Documents:
    """Knows where each paragraph begins and ends, and what it opens with."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._subjects: dict[int, str] = {}
        self._names: dict[int, list[tuple[str, ...]]] = {}
        self._links: dict[tuple[str, ...], list[Link]] = {}
        own = np.array([sentence.paragraph for sentence in index.sentences], dtype=int)
        self.starts = np.searchsorted(own, own)
        self.ends = np.searchsorted(own, own, side="right")

    @cached_property
    def heads(self) -> NDArray[Any]:
        """The place of the first sentence of each paragraph, in order."""
        return np.unique(self.starts)

    @cached_property
    def short(self) -> NDArray[Any]:
        """Say of each sentence whether its paragraph is short enough to be one document."""
        short: NDArray[Any] = self.ends - self.starts <= _LONGEST
        return short

    def opening(self, place: int) -> tuple[str, ...]:
        """Return the stems of the first sentence of a sentence's paragraph."""
        return self._index.sentences[int(self.starts[place])].words

    def opens_with(self, place: int, words: Sequence[str]) -> bool:
        """Say whether the paragraph of a sentence opens with ``words``, among its first few."""
        return bool(words) and set(words) <= set(self.opening(place)[: len(words) + _OPENING])

    def about(self, words: Sequence[str]) -> list[int]:
        """Return the first sentences of the paragraphs that open with ``words``."""
        if not words:
            return []
        places = sorted((self._index.places(word) for word in set(words)), key=len)
        heads = self._heads_among(places[0])
        return [head for head in heads if self.opens_with(head, words)]

    def _heads_among(self, places: list[int]) -> list[int]:
        found = np.array(places, dtype=int)
        heads: list[int] = found[self.starts[found] == found].tolist()
        return heads

    def subject(self, place: int) -> str:
        """Return the name that the paragraph of a sentence opens with, or ""."""
        start = int(self.starts[place])
        if start not in self._subjects:
            text = self._index.sentences[start].text
            name = NAME.search(text)
            title = text.partition(" (")[0]
            whole = text[-1:] not in _ENDS and len(text) < _LONGEST_TITLE
            self._subjects[start] = title if whole else name.group() if name else ""
        return self._subjects[start]

    def names_in(self, place: int) -> list[tuple[str, ...]]:
        """Return the stems of the first names in a sentence, a hundred at most."""
        if place not in self._names:
            found = islice(NAME.finditer(self._index.sentences[place].text), _MOST_NAMES)
            self._names[place] = list(dict.fromkeys(stems(match.group()) for match in found))
        return self._names[place]

    def links(self, name: tuple[str, ...], origin: int) -> list[Link]:
        """Return the other paragraphs that tell of a name: all where it is rare.

        Where it is not, only those that open with it, unless these are many.
        """
        if name not in self._links:
            self._links[name] = self._telling_of(name)
        start = int(self.starts[origin])
        return [link for link in self._links[name] if link.start != start]

    def _telling_of(self, name: tuple[str, ...]) -> list[Link]:
        if not name:
            return []
        rarest, *others = sorted((self._index.places(word) for word in set(name)), key=len)
        found: dict[int, int] = {}
        for place in rarest:
            if all(_holds(places, place) for places in others):
                found.setdefault(int(self.starts[place]), place)
                if len(found) > _RARE + 1:
                    break
        else:
            return [self._link(place, name) for place in found.values()]
        subjects = self.about(name)
        return [self._link(head, name) for head in subjects] * (len(subjects) <= _MOST_SUBJECTS)

    def _link(self, place: int, name: tuple[str, ...]) -> Link:
        start, end = int(self.starts[place]), int(self.ends[place])
        return Link(start, place, end, self.opens_with(place, name))


def _holds(places: Sequence[int], place: int) -> bool:
    """Say whether ``place`` is among ``places``, which ascend."""
    found = bisect_left(places, place)
    return found < len(places) and places[found] == place
