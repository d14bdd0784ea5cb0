"""Frames: the words that statements of one kind share, around two names that vary."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mabench_floor.facts.names import Words, is_proper


class Frame(NamedTuple):
    """The words before, between and after the two slots of a statement."""

    before: Words
    between: Words
    after: Words

    @property
    def words(self) -> Words:
        """All of its words."""
        return self.before + self.between + self.after

    def split(self, words: Words) -> Iterator[tuple[Words, Words]]:
        """Yield the names that stand in the two slots, for each way to read ``words``."""
        start, end = len(self.before), len(words) - len(self.after)
        if words[:start] != self.before or words[end:] != self.after:
            return
        width, first = len(self.between), self.between[0]
        place = start
        while True:
            try:
                place = words.index(first, place + 1, end - width)
            except ValueError:
                return
            if words[place : place + width] == self.between:
                yield words[start:place], words[place + width : end]


class Reading(NamedTuple):
    """How a frame reads a statement: the names in its two slots."""

    frame: Frame
    first: Words
    second: Words


class FrameIndex:
    """Frames, found by the one of their words that the fewest of them have."""

    def __init__(self, frames: Iterable[Frame]) -> None:
        frames = list(frames)
        uses = Counter(word for frame in frames for word in {*frame.words})
        self._by_word: defaultdict[str, list[Frame]] = defaultdict(list)
        for frame in frames:
            rarest = min(frame.words, key=lambda word: (uses[word], word))
            self._by_word[rarest].append(frame)

    def readings(self, words: Words) -> list[Reading]:
        """Return every way in which a frame reads ``words``."""
        return [
            Reading(frame, first, second)
            for word in dict.fromkeys(words)
            if word in self._by_word
            for frame in self._by_word[word]
            for first, second in frame.split(words)
        ]

    def reading(self, words: Words) -> Reading | None:
        """Return the best reading: proper names in its slots, then the larger frame."""
        return max(self.readings(words), key=quality, default=None)


def quality(reading: Reading) -> tuple[int, int, int]:
    """Return what makes a reading better than another of the same statement."""
    names = is_proper(reading.first) + is_proper(reading.second)
    return names, len(reading.frame.words), -len(reading.first)
