"""Which of two values holds, where a text tells of a conflict: read off its marks alone.

A value is settled on by a relation (``A replaces B``), by a reference (``the latter``, ``fact 9 is
newer``), by a rule (``the newest holds``) or by a conclusion (``so A``), the last of them; else it
is the only one that is called newer, or the only one that is not taken back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from mabench.scoring.marks import Mark, find_marks
from mabench.scoring.sameness.same import Mention
from mabench.scoring.standing import Standing
from mabench.scoring.statements import Choice, asks_by_steps

_NEAR = 60  # Characters between two values that stand side by side.
_PASSIVE = ("was ", "were ", "been ", "got ", "is ")
# Where a sentence starts, or a few words behind it.
_STARTS = re.compile(r"(?:^|[.!?;\n])\W*$")
_OPENS = re.compile(r"(?:^|[.!?;\n])\W*(?:\w+\W+){0,3}$")
_SWAPS = re.compile(r"\b(?:replac|swap|overwr|overrid|updat|correct|supersed|substitut)", re.I)
_LEAD = 80  # Characters before a word that may open its sentence.
_PARTS, _APART = re.compile(r"[,;(]|\bbut\b"), 40  # How many characters each counts for.

_Sentence = Sequence[Mark]


def settle_conflict(
    text: str, gold: Sequence[Mention], question: str | None, name: str
) -> Choice | None:
    """Return what a text settles on that tells of a conflict; None where it tells of none.

    Args:
        text: ``plain`` text.
        gold: where it says the gold.
        question: the question, whose words are no values.
        name: the gold.
    """
    sentences = find_marks(text, gold, question, name)
    cites = [{v.said for v in _of(marks, "value")} for marks in sentences if _of(marks, "cited")]
    common = set[str].intersection(*cites) - {""} if len(cites) > 1 else set()
    sentences = [[mark for mark in m if mark.said not in common] for m in sentences]
    every = [mark for marks in sentences for mark in _of(marks, "value")]
    values, cited = {mark.said for mark in every}, _cited_values(text, sentences)
    if len(values) > 2:  # Others are only mentioned.
        values &= {"", *cited.values()}  # The gold is the value without words.
    if len(values) != 2:
        return None
    newer, older = _labelled(text, sentences, cited)
    left, denied = (
        values - {mark.said for mark in every if mark.stands >= least}
        for least in (Standing.ASKED, Standing.PASSED)
    )
    newer, older = (newer - denied) & values, older | left
    chosen = _chosen(text, sentences, cited, newer)
    if chosen is None and len(newer) == 1:
        chosen = next(iter(newer))
    numbers = sorted(filter(str.isdigit, cited), key=int)
    if chosen is None and len(numbers) > 1 and any(_of(marks, "rule") for marks in sentences):
        chosen = cited[numbers[-1]]
    if chosen is None and _is_undecided(sentences):
        return Choice.NONE
    if chosen is None and len(values - older) == 1:
        chosen = next(iter(values - older))
    if chosen is not None:
        return Choice.OTHER if chosen else Choice.GOLD
    stating = [[mark.kind for mark in marks] for marks in sentences if _of(marks, "value")]
    are_alike = len({*cited.values()}) > 1 and all(kinds == stating[0] for kinds in stating)
    are_alike &= not asks_by_steps(question)  # Each step cites a fact of its own.
    return Choice.NONE if are_alike else None


def _of(marks: _Sentence, *kinds: str) -> list[Mark]:
    return [mark for mark in marks if mark.kind in kinds]


def _is_undecided(sentences: Sequence[_Sentence]) -> bool:
    near = [pair for marks in sentences for pair in pairwise(_of(marks, "value"))]
    is_near = any(a.said != b.said and b.start - a.end < _NEAR for a, b in near)
    return is_near and any(_of(marks, "undecided") for marks in sentences)


def _cited_values(text: str, sentences: Sequence[_Sentence]) -> dict[str, str]:
    """Return the value for which something is cited first, by what is cited."""
    cited: dict[str, str] = {}
    for marks in sentences:
        keys, values = _of(marks, "cited"), _of(marks, "value")
        inside = [(k, v) for k in keys for v in values if text[k.end : v.start] == " ("]
        for key, value in inside:  # "Fact 3 (A)"
            keys, values = [k for k in keys if k != key], [v for v in values if v != value]
        for key, value in (*inside, *_paired(keys, values)):
            cited.setdefault(key.said, value.said)
    return cited


def _paired(keys: _Sentence, values: _Sentence) -> Iterator[tuple[Mark, Mark]]:
    """Yield what is cited with its value: in turn, or else the next one, behind or before it."""
    if len(keys) == len(values):
        yield from zip(keys, values, strict=True)
        return
    leads = bool(keys and values) and keys[0].start < values[0].start
    for key in keys:
        behind = [value for value in values if value.start > key.start]
        before = [value for value in values if value.start < key.start]
        for value in behind[:1] if leads else before[-1:]:
            low, high = sorted((key.start, value.start))
            if not any(low < other.start < high for other in keys):
                yield key, value


def _labelled(
    text: str, sentences: Sequence[_Sentence], cited: Mapping[str, str]
) -> tuple[set[str], set[str]]:
    """Return the values that are called newer, and those called older."""
    called: dict[str, set[str]] = {"newer": set(), "older": set()}
    for every in sentences:
        tail = _tail(every)
        marks = every[: len(every) - len(tail)] if _of(tail, "cited") else every
        values, labels = _of(marks, "value"), _of(marks, "newer", "older")
        if len(labels) == len(values) == 2:
            for label, value in zip(labels, values, strict=True):
                called[label.kind].add(value.said)
        elif values and len({value.said for value in values}) + len(labels) > 1:
            for label in labels:
                is_passive = label.said.startswith(_PASSIVE)  # "It was changed" tells of the last.
                near = [mark for mark in marks if mark.said in cited or mark in values]
                near = [m for m in near if not (is_passive and m.start > label.start)]
                near.sort(key=lambda mark: _distance(text, label, mark) + (mark in values))
                called[label.kind] |= {cited.get(mark.said, mark.said) for mark in near[:1]}
    return called["newer"] - called["older"], called["older"] - called["newer"]


def _distance(text: str, one: Mark, other: Mark) -> int:
    """Return how far two marks are apart, in characters; what parts clauses counts for more."""
    between = text[one.end : other.start] or text[other.end : one.start]
    return len(between) + _APART * len(_PARTS.findall(between))


def _chosen(
    text: str, sentences: Sequence[_Sentence], cited: Mapping[str, str], newer: set[str]
) -> str | None:
    """Return the value that the last relation, reference, rule or conclusion settles on."""
    chosen, seen = None, list[str]()
    for marks in sentences:
        values = _of(marks, "value")
        if not _of(marks, "supposes"):
            settles = _of(marks, "settles")[-1:]
            stated = [v for v in values if settles and v.stands >= Standing.ASKED]
            behind = {value.said for value in stated if value.start > settles[0].start}
            told = (
                behind.pop() if len(behind) == 1 else None,
                _referred(_tail(marks), cited, newer, [*seen, *(v.said for v in values)]),
                _related(text, marks, cited, seen),
            )
            chosen = next((value for value in told if value is not None), chosen)
        seen += [value.said for value in values]
    return chosen


def _related(
    text: str, marks: _Sentence, cited: Mapping[str, str], seen: Sequence[str]
) -> str | None:
    """Return the value that the last relation between two lets hold: ``A replaces B``."""
    chosen = None
    for place, mark in enumerate(marks):
        before, after = marks[:place][::-1], marks[place + 1 :]
        left, right = _first(before, cited), _first(after, cited)
        if mark.kind == "beats" and None not in (left, right) and left != right:
            chosen = left
        if mark.kind != "yields" or right is None:
            continue
        is_pair = [m.kind for m in (*before[:1], *after[:1])] == ["value", "value"]
        told = {value.said for value in _of(before, "value")}
        lead = text[max(0, mark.start - _LEAD) : mark.start]
        opens = (_OPENS if mark.said[0].isalpha() else _STARTS).search(lead)
        told |= {*seen} if opens and not before else set()
        is_swap = mark.said != "with" or (is_pair and _SWAPS.search(lead))
        if is_swap and told - {right}:
            chosen = right
    return chosen


def _first(marks: _Sentence, cited: Mapping[str, str]) -> str | None:
    """Return the first value that marks name or cite."""
    for mark in marks:
        if mark.kind == "value" or (mark.kind == "cited" and mark.said in cited):
            return mark.said if mark.kind == "value" else cited[mark.said]
    return None


def _tail(marks: _Sentence) -> _Sentence:
    """Return the marks behind the last value of a sentence and what is cited for it."""
    last = max((place for place, mark in enumerate(marks) if mark.kind == "value"), default=-1)
    tail, before = marks[last + 1 :], {mark.said for mark in marks[: last + 1]}
    own = next((place for place, mark in enumerate(tail) if mark.kind == "cited"), None)
    is_led = last > 0 and marks[last - 1].kind == "cited"
    if own is None or not before or is_led or tail[own].said in before:
        return tail
    return tail[own + 1 :]


def _referred(
    marks: _Sentence, cited: Mapping[str, str], newer: set[str], seen: Sequence[str]
) -> str | None:
    """Return the value that marks without one refer to, of those that were said before."""
    last = list(dict.fromkeys(seen[::-1]))[:2][::-1]
    if len(last) == 2 and _of(marks, "latter", "former"):
        return last[bool(_of(marks, "latter"))]
    named = [mark.said for mark in _of(marks, "cited")]
    if named and _of(marks, "newer", "settles", "rule"):
        known = [key for key in named if key in cited]
        if not known and len({*cited.values()}) == 1 and len(last) == 2:
            return next(value for value in last if value not in cited.values())
        return cited[max(known, key=_rank)] if known else None
    if not _of(marks, "newer", "rule"):
        return None
    if len(newer) == 1:
        return next(iter(newer))
    numbers = [number for number in cited if number.isdigit()]
    return cited[max(numbers, key=_rank)] if len(numbers) > 1 else None


def _rank(number: str) -> int:
    return int(number) if number.isdigit() else -1
