"""Frames: the words that statements of one kind share, around two names that vary.

With what proper names look like in English, whatever they name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from mabench.text.stems import is_function_word

Words = tuple[str, ...]
_LONGEST_COMMON = 5
# Small words that join the parts of names, as in ``Bank of the West`` or ``Vasco da Gama``.
_CLOSELY_JOINING = frozenset(
    ("of", "the", "&", "de", "da", "di", "du", "del", "la", "le", "van", "von", "der")
)
JOINING = _CLOSELY_JOINING | {"and", "in", "on", "at", "to", "for", "from"}
_MARKS = frozenset(",;")


@lru_cache(maxsize=100_000)
def is_capital(word: str) -> bool:
    """Say whether the first letter or digit of ``word`` is no lower-case letter."""
    first = next((letter for letter in word if letter.isalnum()), "a")
    return not first.islower()


def is_proper(name: Words) -> bool:
    """Say whether ``name`` begins and ends with a capital or a digit, as proper names do."""
    if len(name) == 1 and is_function_word(name[0].lower()):
        return False
    return is_capital(name[0]) and is_capital(name[-1])


def may_be_common(name: Words) -> bool:
    """Say whether ``name`` could be a common noun: short, with no function word at its ends."""
    ends = (name[0].lower(), name[-1].lower())
    return len(name) <= _LONGEST_COMMON and not any(
        end in _MARKS or end in JOINING or is_function_word(end) for end in ends
    )


def joins_names(words: Words) -> bool:
    """Say whether ``words`` could stand within one name: capitals, joining words and marks."""
    return all(word in JOINING or word in _MARKS or is_capital(word) for word in words)


def two_names(words: Words) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return where the two proper names of a sentence stand; None when it has not just two.

    A name runs from capital to capital over joining words: over all of them or, when that does
    not give two names, over those alone that seldom stand between names.
    """
    for joining in (JOINING, _CLOSELY_JOINING):
        names = _runs(words, joining)
        if names[:1] == [(0, 1)] and len(names) > 2:
            names.pop(0)  # A capital because it opens the sentence: ``Nobody``.
        if len(names) == 2:
            return names[0], names[1]
    return None


def _runs(words: Words, joining: frozenset[str]) -> list[tuple[int, int]]:
    """Return the runs of capitals; a function word that opens the sentence is in none."""
    runs: list[tuple[int, int]] = []
    for place in range(_opening(words), len(words)):
        if not is_capital(words[place]):
            continue
        if runs and all(word in joining or word in _MARKS for word in words[runs[-1][1] : place]):
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    return runs


def _opening(words: Words) -> int:
    """Return where names may begin: after a function word, and after ``The Title of``."""
    place = 1 if words and is_function_word(words[0].lower()) else 0
    title = titled(words)
    return title + 1 if title > place and words[title : title + 1] == ("of",) else place


def titled(words: Words) -> int:
    """Return how many words stand in ``The Title`` at the beginning of a sentence."""
    if not words or not is_function_word(words[0].lower()):
        return 0
    lower = (place for place, word in enumerate(words) if not is_capital(word))
    return next(lower, len(words))


def continues_name(words: Words) -> bool:
    """Say whether ``words``, read from a name outwards, begin with another part of the name.

    That is a capital, at once or after joining words alone.
    """
    parts = (word for word in words if word not in JOINING and word not in _MARKS)
    return is_capital(next(parts, "a"))


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
