"""Which of two values a text says to hold: a relation, a reference, a conclusion, or a label.

``A replaces B``, ``the latter``, ``fact 9 is newer``, ``so A``: the last of these holds. Else the
only value that is called newer, or the only one that is not taken back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import groupby

from mabench.scoring.reading import Mark, Reading
from mabench.scoring.standing import sentences

# What a text that states a gold settles on.
Choice = StrEnum("Choice", "GOLD OTHER NONE UNSURE")

_LEAD = 80  # Characters before a word that may open its sentence.
_PARTS, _APART = re.compile(r"[,;()]|\bbut\b"), 40  # How many characters each counts for.

_Sentence = Sequence[Mark]


def which_of_two(reading: Reading) -> Choice | None:
    """Return which of two values a text says to hold; None if it tells of no two, or not which."""
    ends = [end for _, end in sentences(reading.text)]  # Semicolons end them, too.
    ends = sorted([*ends, *(match.end() for match in re.finditer(";", reading.text))])
    grouped = groupby(reading.marks, lambda mark: bisect_right(ends, mark.start))
    parts, every = [list(marks) for _, marks in grouped], _of(reading.marks, "value")
    values, cited = {mark.said for mark in every}, _cited_values(parts)
    chosen = _chosen(reading.text, parts, cited)
    if len(values) > 2:  # Others are only mentioned.
        if chosen == "":  # The gold is the value without words.
            return Choice.GOLD
        values &= {"", *cited.values()}
    if len(values) != 2:
        return None
    newer, older = _labelled(reading.text, parts, cited)
    left = values - {mark.said for mark in every if mark.counts} | older
    if chosen is None and len(newer & values) == 1:
        chosen = (newer & values).pop()
    if chosen is None and _of(reading.marks, "undecided"):
        return Choice.NONE
    if chosen is None and len(values - left) == 1:
        chosen = (values - left).pop()
    return None if chosen is None else Choice.OTHER if chosen else Choice.GOLD


def _of(marks: _Sentence, *kinds: str) -> list[Mark]:
    return [mark for mark in marks if mark.kind in kinds]


def _cited_values(parts: Sequence[_Sentence]) -> dict[str, str]:
    """Return the value for which something is cited first, by what is cited: the nearest."""
    cited: dict[str, str] = {}
    for marks in parts:
        keys, values = _of(marks, "cited"), _of(marks, "value")
        leads = bool(keys and values) and keys[0].start < values[0].start
        for key in keys:
            behind = [value for value in values if value.start > key.start]
            before = [value for value in values if value.start < key.start]
            for value in behind[:1] if leads else before[-1:]:
                low, high = sorted((key.start, value.start))
                if not any(low < other.start < high for other in keys):
                    cited.setdefault(key.said, value.said)
    return cited


def _labelled(
    text: str, parts: Sequence[_Sentence], cited: Mapping[str, str]
) -> tuple[set[str], set[str]]:
    """Return the values that are called newer, and those called older: the nearest ones."""
    called: dict[str, set[str]] = {"newer": set(), "older": set()}
    for marks in parts:
        values = _of(marks, "value")
        near = [mark for mark in marks if mark.said in cited or mark in values]
        for label in _of(marks, "newer", "older") if values else ():
            mark = min(near, key=lambda mark: _distance(text, label, mark) + (mark in values))
            called[label.kind].add(cited.get(mark.said, mark.said))
    return called["newer"] - called["older"], called["older"] - called["newer"]


def _distance(text: str, one: Mark, other: Mark) -> int:
    """Return how far two marks are apart, in characters; what parts clauses counts for more."""
    between = text[one.end : other.start] or text[other.end : one.start]
    return len(between) + _APART * len(_PARTS.findall(between))


def _chosen(text: str, parts: Sequence[_Sentence], cited: Mapping[str, str]) -> str | None:
    """Return the value that the last relation or reference settles on."""
    chosen, seen = None, list[str]()
    for marks in parts:
        known, seen = seen, [*seen, *(value.said for value in _of(marks, "value"))]
        settles = _of(marks, "settles")[-1:]
        behind = {v.said for v in marks if settles and v.counts and v.start > settles[0].start}
        told = (
            behind.pop() if len(behind) == 1 else None,
            _related(text, marks, cited, known),
            _referred(marks, cited, seen),
        )
        chosen = next((value for value in told if value is not None), chosen)
    return chosen


def _related(
    text: str, marks: _Sentence, cited: Mapping[str, str], known: Sequence[str]
) -> str | None:
    """Return the value that the last relation between two lets hold: ``A replaces B``."""
    chosen = None
    for place, mark in enumerate(marks):
        before, after = marks[:place][::-1], marks[place + 1 :]
        left, right = _first(before, cited), _first(after, cited)
        if mark.kind == "beats" and None not in (left, right) and left != right:
            chosen = left
        if mark.kind == "yields" and right is not None:
            told = {value.said for value in _of(before, "value")}
            lead = text[max(0, mark.start - _LEAD) : mark.start]
            opens = mark.said[0].isalpha() or bool(re.search(r"(?:^|\n)\W*$", lead))
            if told == {right} or (opens and not before):
                told |= {*known}
            chosen = right if told - {right} else chosen
    return chosen


def _first(marks: _Sentence, cited: Mapping[str, str]) -> str | None:
    """Return the first value that marks name or cite."""
    named = (
        cited.get(m.said) if m.kind == "cited" else m.said for m in _of(marks, "value", "cited")
    )
    return next((value for value in named if value is not None), None)


def _referred(marks: _Sentence, cited: Mapping[str, str], seen: Sequence[str]) -> str | None:
    """Return the value that the marks behind the last value of a sentence refer to."""
    values = [place for place, mark in enumerate(marks) if mark.kind == "value"]
    tail = marks[values[-1] + 1 :] if values else marks
    last = list(dict.fromkeys(seen[::-1]))[:2][::-1]
    if len(last) == 2 and _of(tail, "latter", "former"):
        return last[bool(_of(tail, "latter"))]
    named = [mark.said for mark in _of(tail, "cited")]
    if not named or not _of(tail, "newer", "settles"):
        return None
    known = [key for key in named if key in cited]
    if not known and len(last) == 2 and len({*cited.values()} & {*last}) == 1:
        return last[last[0] in cited.values()]  # The one for which something else is cited.
    return cited[max(known, key=lambda key: int(key) if key.isdigit() else -1)] if known else None
