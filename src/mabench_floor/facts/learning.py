"""Learning the frames of statements from the statements alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from mabench.text.stems import is_function_word
from mabench_floor.facts.frames import (
    Frame,
    FrameIndex,
    Reading,
    Words,
    continues_name,
    is_capital,
    is_proper,
    joins_names,
    may_be_common,
    quality,
    titled,
    two_names,
)

_SAMPLE = 800  # Statements that frames are looked for in, at a time.
_ROUNDS = 2
_LONGEST_NAME = 12
_FEWEST = 3
_FREQUENT = 0.05  # A word as frequent as this at the end of a slot may belong to the frame.
_CONSTANT = 0.8  # A slot filled as often as this by one name is none.
_OPEN = 0.1  # The least share of a frame's statements in which both slots end at names.

Span = tuple[int, int]


def learn_frames(statements: Sequence[Words]) -> list[Frame]:
    """Find the frames of statements of which most kinds recur.

    A frame is one whose slots are open: in a tenth of the statements that it fits, both hold
    what looks like a name and do not begin or end with a word that is frequent there, which
    would belong to the frame (``born`` in ``X was Y``). Of the open frames that fit a statement
    the one with the fewest words is taken. First both slots must look like proper names, then,
    for the statements left, one of them. What is left then is read by its capitals alone.
    """
    frames: list[Frame] = []
    left = list(statements)
    for strict in (True, False):
        for _ in range(_ROUNDS):
            # About ``_SAMPLE`` at most, evenly spread.
            found = _frames_in(left[:: len(left) // _SAMPLE + 1], strict=strict)
            if not found:
                break
            fits = FrameIndex(found)
            left = [words for words in left if not fits.readings(words)]
            frames += found
    frames += filter(None, map(_frame_by_capitals, left))
    return list(dict.fromkeys(frames))


def _frames_in(statements: Sequence[Words], *, strict: bool) -> list[Frame]:
    frequency = Counter(word for words in statements for word in {*words})
    known = {word for word, count in frequency.items() if count >= _FEWEST}
    support = Counter(
        frame
        for words in statements
        for frame in dict.fromkeys(_candidates(words, known, strict=strict))
    )
    read = _readings([frame for frame, count in support.items() if count >= _FEWEST], statements)
    by_statement: defaultdict[Words, list[Frame]] = defaultdict(list)
    for frame, readings in read.items():
        if _is_open(list(readings.values()), strict=strict):
            for words, reading in readings.items():
                if not strict or _propers(reading) > 1:
                    by_statement[words].append(frame)
    chosen = Counter(
        min(frames, key=lambda frame: (len(frame.words), -support[frame], frame))
        for frames in by_statement.values()
    )
    return [frame for frame, count in chosen.items() if count >= _FEWEST]


def _candidates(words: Words, known: set[str], *, strict: bool) -> Iterator[Frame]:
    """Yield every frame of known words around two spans that may be names."""
    unknown = [0, *accumulate(word not in known for word in words)]
    spans = list(_spans(words, strict=strict))
    for (start, end), proper in spans:
        if unknown[start]:
            continue
        for (second, last), also_proper in spans:
            if second <= end or unknown[second] > unknown[end] or not (proper or also_proper):
                continue
            frame = Frame(words[:start], words[end:second], words[last:])
            if unknown[-1] == unknown[last] and _may_be_frame(frame):
                yield frame


def _may_be_frame(frame: Frame) -> bool:
    """Say whether the words of a frame mean something and are no parts of the names beside."""
    if joins_names(frame.between) or not _means_something(frame):
        return False
    # The capital that opens the sentence says nothing, except right before the slot.
    opening = titled(frame.before) or len(frame.before) > 1
    before, between = frame.before[opening:], frame.between
    outwards = (before[::-1], between, between[::-1], frame.after)
    return not any(map(continues_name, outwards))


def _means_something(frame: Frame) -> bool:
    return not all(is_function_word(word.lower()) for word in frame.words)


def _spans(words: Words, *, strict: bool) -> Iterator[tuple[Span, bool]]:
    """Yield where names may stand, and whether what stands there is a proper one."""
    capitals = [is_capital(word) for word in words]
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST_NAME, len(words)) + 1):
            proper = capitals[start] and capitals[end - 1]
            if proper or (not strict and may_be_common(words[start:end])):
                yield (start, end), proper


def _readings(
    frames: Sequence[Frame], statements: Sequence[Words]
) -> Mapping[Frame, Mapping[Words, Reading]]:
    """Return how each frame reads the statements that it fits, its best reading of each."""
    fits = FrameIndex(frames)
    read: dict[Frame, dict[Words, Reading]] = {frame: {} for frame in frames}
    for words in statements:
        for reading in fits.readings(words):
            other = read[reading.frame].get(words)
            if other is None or quality(reading) > quality(other):
                read[reading.frame][words] = reading
    return read


def _is_open(readings: Sequence[Reading], *, strict: bool) -> bool:
    """Say whether both slots end at names often enough, in what a frame reads."""
    slots = [reading.first for reading in readings], [reading.second for reading in readings]
    if any(max(Counter(slot).values()) >= _CONSTANT * len(slot) for slot in slots):
        return False
    (first, last), (second_first, second_last) = map(_frequent_ends, slots)
    good = sum(
        _ends_well(reading.first, first, last, strict=strict)
        and _ends_well(reading.second, second_first, second_last, strict=strict)
        and (strict or _propers(reading) > 0)
        for reading in readings
    )
    return good >= max(_OPEN * len(readings), 2)


def _frequent_ends(names: Sequence[Words]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words with which many of ``names`` begin, and those with which many end."""
    least = max(_FEWEST, _FREQUENT * len(names))
    firsts = Counter(name[0] for name in names)
    lasts = Counter(name[-1] for name in names)
    return (
        frozenset(word for word, count in firsts.items() if count >= least),
        frozenset(word for word, count in lasts.items() if count >= least),
    )


def _ends_well(name: Words, first: frozenset[str], last: frozenset[str], *, strict: bool) -> bool:
    if len(name) > 1 and (name[0] in first or name[-1] in last):
        return False
    if is_proper(name):
        return joins_names(name)
    return not strict and may_be_common(name)


def _propers(reading: Reading) -> int:
    return is_proper(reading.first) + is_proper(reading.second)


def _frame_by_capitals(words: Words) -> Frame | None:
    """Return the frame around the two proper names of a statement, if it has just two."""
    names = two_names(words)
    if names is None:
        return None
    (start, end), (second, last) = names
    frame = Frame(words[:start], words[end:second], words[last:])
    return frame if _means_something(frame) else None
