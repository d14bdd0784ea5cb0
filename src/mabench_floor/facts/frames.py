"""Learns frames: the words that statements of one kind share, around two names that vary.

They are learned only from the statements, and from what proper names look like in English.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from mabench.text.stems import is_function_word

Words = tuple[str, ...]
_NameSpan = tuple[int, int]
_LONGEST_COMMON = 5
# How many statements are searched for frames at a time.
_SAMPLE = 800
_ROUNDS = 2
_LONGEST_NAME = 12
_FEWEST = 3
# The share of a slot's names that end with a word from which on the word belongs to the frame.
_FREQUENT = 0.05
# The share of statements with the same name in a slot from which on it is not a slot.
_CONSTANT = 0.8
# The least share of a frame's statements in which both slots hold names.
_OPEN = 0.1
_FEWEST_OPEN = 2
# Small words that join the parts of names, as in ``Bank of the West`` or ``Vasco da Gama``.
_CLOSELY_JOINING = frozenset(
    ("of", "the", "&", "de", "da", "di", "du", "del", "la", "le", "van", "von", "der")
)
_JOINING = _CLOSELY_JOINING | {"and", "in", "on", "at", "to", "for", "from"}
_MARKS = frozenset(",;")


@lru_cache(maxsize=100_000)
def _is_capital(word: str) -> bool:
    """Return whether a word has a letter or digit, and the first is no lower-case letter."""
    first = next((letter for letter in word if letter.isalnum()), None)
    return first is not None and not first.islower()


def _is_proper(name: Words) -> bool:
    """Return whether a name begins and ends with a capital or a digit, as proper names do."""
    if len(name) == 1 and is_function_word(name[0].lower()):
        return False
    return _is_capital(name[0]) and _is_capital(name[-1])


def _may_be_common(name: Words) -> bool:
    """Return whether a name may be a common noun: short, without function words at its ends."""
    ends = (name[0].lower(), name[-1].lower())
    return len(name) <= _LONGEST_COMMON and not any(
        end in _MARKS or end in _JOINING or is_function_word(end) for end in ends
    )


def _joins_names(words: Words) -> bool:
    """Return whether words may be within one name: capitals, joining words and marks."""
    return all(word in _JOINING or word in _MARKS or _is_capital(word) for word in words)


def _two_names(words: Words) -> tuple[_NameSpan, _NameSpan] | None:
    """Return the places of the two proper names in a sentence; None unless it has exactly two.

    A name runs from capital to capital over joining words. If that does not give two names, it runs
    only over those joining words that are rarely between two names.
    """
    for joining in (_JOINING, _CLOSELY_JOINING):
        names = _runs(words, joining)
        if names[:1] == [(0, 1)] and len(names) > 2:
            names.pop(0)  # A capital because it opens the sentence: ``Nobody``.
        if len(names) == 2:
            return names[0], names[1]
    return None


def _runs(words: Words, joining: frozenset[str]) -> list[_NameSpan]:
    """Return the runs of capitals, joined over marks and the words in ``joining``.

    A function word that opens the sentence is left out, and so is a title such as ``The Mayor of``.
    """
    opening = 1 if words and is_function_word(words[0].lower()) else 0
    title = _title_length(words)
    if title > opening and words[title : title + 1] == ("of",):
        opening = title + 1
    runs: list[_NameSpan] = []
    for place in range(opening, len(words)):
        if not _is_capital(words[place]):
            continue
        start, end = runs[-1] if runs else (place, place)
        if runs and all(word in joining or word in _MARKS for word in words[end:place]):
            runs[-1] = (start, place + 1)
        else:
            runs.append((place, place + 1))
    return runs


def _title_length(words: Words) -> int:
    """Return how many words at the beginning of a sentence may be a title such as ``The Title``.

    They are a capitalized function word and the capitalized words after it: 2 for ``The Title
    says``, 1 for ``The dog``, whose first word begins the sentence, and 0 for ``Dogs bark``.
    """
    if not words or not is_function_word(words[0].lower()):
        return 0
    for place, word in enumerate(words):
        if not _is_capital(word):
            return place
    return len(words)


def _continues_name(words: Words) -> bool:
    """Return whether words, read outwards from a name, begin with another part of the name.

    That is a capitalized word, at once or after joining words.
    """
    for word in words:
        if word not in _JOINING and word not in _MARKS:
            return _is_capital(word)
    return False


class Frame(NamedTuple):
    """The words before, between and after the two names of a statement."""

    before: Words
    between: Words
    after: Words

    @property
    def words(self) -> Words:
        """All of its words."""
        return self.before + self.between + self.after

    def split(self, words: Words) -> Iterator[tuple[Words, Words]]:
        """Yield the two names in a statement, for each way in which it fits this frame."""
        start, end = len(self.before), len(words) - len(self.after)
        if words[:start] != self.before or words[end:] != self.after:
            return
        width, first = len(self.between), self.between[0]
        place = start
        while True:
            try:
                # One word at least is left for each name.
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
    """Frames, looked up by that one of their words which the fewest frames have."""

    def __init__(self, frames: Iterable[Frame]) -> None:
        frames = list(frames)
        uses = Counter(word for frame in frames for word in {*frame.words})
        self._by_word: defaultdict[str, list[Frame]] = defaultdict(list)
        for frame in frames:
            rarest = min(frame.words, key=lambda word: (uses[word], word))
            self._by_word[rarest].append(frame)

    def readings(self, words: Words) -> list[Reading]:
        """Return every way in which a frame fits these words."""
        return [
            Reading(frame, first, second)
            for word in dict.fromkeys(words)
            if word in self._by_word
            for frame in self._by_word[word]
            for first, second in frame.split(words)
        ]

    def reading(self, words: Words) -> Reading | None:
        """Return the best reading of a statement: with proper names, then with the larger frame."""
        return max(self.readings(words), key=_quality, default=None)


def _quality(reading: Reading) -> tuple[int, int, int]:
    """Return the rank of a reading among those of the same statement; higher is better.

    More proper names come first, then more words of the frame, then a shorter first name.
    """
    return _proper_names(reading), len(reading.frame.words), -len(reading.first)


def learn_frames(statements: Sequence[Words]) -> list[Frame]:
    """Find the frames of statements, if most kinds of statements recur.

    A frame must be open: in a tenth of the statements that it fits, both slots hold what looks like
    a name, and do not begin or end with a word that is frequent there. Such a word would belong to
    the frame, such as ``born`` in ``X was Y``. Of the open frames that fit a statement, the one
    with the fewest words is taken. At first both slots must look like proper names, then, for the
    remaining statements, one of them. What remains then is read by its capitals alone.
    """
    frames: list[Frame] = []
    left = list(statements)
    for strict in (True, False):
        for _ in range(_ROUNDS):
            step = len(left) // _SAMPLE + 1
            sample = left[::step]  # Evenly spread.
            found = _frames_in(sample, strict=strict)
            if not found:
                break
            index = FrameIndex(found)
            left = [words for words in left if not index.readings(words)]
            frames += found
    for words in left:
        frame = _frame_by_capitals(words)
        if frame:
            frames.append(frame)
    return list(dict.fromkeys(frames))


def _frames_in(statements: Sequence[Words], *, strict: bool) -> list[Frame]:
    """Return the open frames of statements; if ``strict``, both slots must hold proper names."""
    frequency = Counter(word for words in statements for word in {*words})
    frequent = {word for word, count in frequency.items() if count >= _FEWEST}
    support = Counter(
        frame
        for words in statements
        for frame in dict.fromkeys(_candidates(words, frequent, strict=strict))
    )
    supported = [frame for frame, count in support.items() if count >= _FEWEST]
    open_frames: defaultdict[Words, list[Frame]] = defaultdict(list)  # Those of each statement.
    for frame, readings in _readings(supported, statements).items():
        if _is_open(list(readings.values()), strict=strict):
            for words, reading in readings.items():
                if not strict or _proper_names(reading) == 2:
                    open_frames[words].append(frame)
    chosen = Counter(
        min(frames, key=lambda frame: (len(frame.words), -support[frame], frame))
        for frames in open_frames.values()
    )
    return [frame for frame, count in chosen.items() if count >= _FEWEST]


def _candidates(words: Words, frequent: set[str], *, strict: bool) -> Iterator[Frame]:
    """Yield every frame of frequent words around two spans that may be names."""
    # How many rare words there are before each place: a stretch has none if its ends have as many.
    rare_before = [0, *accumulate(0 if word in frequent else 1 for word in words)]
    spans = list(_spans(words, strict=strict))
    for (first_start, first_end), first_is_proper in spans:
        if rare_before[first_start] > 0:
            continue
        for (second_start, second_end), second_is_proper in spans:
            is_after = second_start > first_end
            is_frequent_between = rare_before[second_start] == rare_before[first_end]
            if not (is_after and is_frequent_between and (first_is_proper or second_is_proper)):
                continue
            frame = Frame(words[:first_start], words[first_end:second_start], words[second_end:])
            is_frequent_after = rare_before[-1] == rare_before[second_end]
            if is_frequent_after and _may_be_frame(frame):
                yield frame


def _may_be_frame(frame: Frame) -> bool:
    """Return whether the words of a frame carry meaning and are not parts of the names."""
    if _joins_names(frame.between) or not _means_something(frame):
        return False
    # The capital that opens the sentence says nothing, except right before the slot.
    opening = _title_length(frame.before)
    if opening == 0 and len(frame.before) > 1:
        opening = 1
    before, between = frame.before[opening:], frame.between
    outwards = (before[::-1], between, between[::-1], frame.after)
    return not any(map(_continues_name, outwards))


def _means_something(frame: Frame) -> bool:
    """Return whether a frame has more than function words."""
    return not all(is_function_word(word.lower()) for word in frame.words)


def _spans(words: Words, *, strict: bool) -> Iterator[tuple[_NameSpan, bool]]:
    """Yield the words that may be a name, from start to end, and whether it would be proper."""
    capitals = [_is_capital(word) for word in words]
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST_NAME, len(words)) + 1):
            proper = capitals[start] and capitals[end - 1]
            if proper or (not strict and _may_be_common(words[start:end])):
                yield (start, end), proper


def _readings(
    frames: Sequence[Frame], statements: Sequence[Words]
) -> Mapping[Frame, Mapping[Words, Reading]]:
    """Return, for each frame, its best reading of each statement that it fits."""
    index = FrameIndex(frames)
    best: dict[Frame, dict[Words, Reading]] = {frame: {} for frame in frames}
    for words in statements:
        for reading in index.readings(words):
            other = best[reading.frame].get(words)
            if other is None or _quality(reading) > _quality(other):
                best[reading.frame][words] = reading
    return best


def _is_open(readings: Sequence[Reading], *, strict: bool) -> bool:
    """Return whether both slots hold names often enough, in all that a frame reads."""
    firsts = [reading.first for reading in readings]
    seconds = [reading.second for reading in readings]
    if _is_constant(firsts) or _is_constant(seconds):
        return False
    first_ends, second_ends = _frequent_ends(firsts), _frequent_ends(seconds)
    good = [
        reading
        for reading in readings
        if _may_be_name(reading.first, first_ends, strict=strict)
        and _may_be_name(reading.second, second_ends, strict=strict)
        and (strict or _proper_names(reading) > 0)
    ]
    return len(good) >= max(_OPEN * len(readings), _FEWEST_OPEN)


def _is_constant(names: Sequence[Words]) -> bool:
    """Return whether nearly all names in a slot are the same."""
    return max(Counter(names).values()) >= _CONSTANT * len(names)


class _FrequentEnds(NamedTuple):
    """The words with which many names in a slot begin, and those with which many end."""

    first: frozenset[str]
    last: frozenset[str]


def _frequent_ends(names: Sequence[Words]) -> _FrequentEnds:
    """Return the words at the ends of names that are frequent there."""
    least = max(_FEWEST, _FREQUENT * len(names))
    firsts = Counter(name[0] for name in names)
    lasts = Counter(name[-1] for name in names)
    return _FrequentEnds(
        frozenset(word for word, count in firsts.items() if count >= least),
        frozenset(word for word, count in lasts.items() if count >= least),
    )


def _may_be_name(name: Words, frequent: _FrequentEnds, *, strict: bool) -> bool:
    """Return whether words look like a name: if ``strict``, like a proper one.

    A longer name may not begin or end with a word that is frequent there.
    """
    if len(name) > 1 and (name[0] in frequent.first or name[-1] in frequent.last):
        return False
    if _is_proper(name):
        return _joins_names(name)
    return not strict and _may_be_common(name)


def _proper_names(reading: Reading) -> int:
    """Return how many of the two names look like proper names."""
    return [_is_proper(reading.first), _is_proper(reading.second)].count(True)


def _frame_by_capitals(words: Words) -> Frame | None:
    """Return the frame around the two proper names of a statement; None if it has not two."""
    names = _two_names(words)
    if names is None:
        return None
    (first_start, first_end), (second_start, second_end) = names
    frame = Frame(words[:first_start], words[first_end:second_start], words[second_end:])
    return frame if _means_something(frame) else None
