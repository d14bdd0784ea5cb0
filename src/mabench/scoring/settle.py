"""Which of the values that a text states in answer to a question it settles on.

The first of these decides. What the text says of two values: a relation (``A replaces B``), a
reference (``the latter``, ``fact 9 is newer``) or a conclusion (``so A``), the last of them. Else
the only one that is not taken back. Of values that it lists side by side (``A or B``), from two
sources, or in one frame, the one that its closing or opening clause states alone. Else the clause
that takes up the question answers it, and others may mention the gold: ``Delft, near Leiden``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import TypeVar

from mabench.scoring.lexicon import pattern
from mabench.scoring.reading import LONGEST, NOTHING, Clause, Mark, Reading, is_content, read
from mabench.scoring.sameness.kin import root
from mabench.scoring.sameness.same import Mention
from mabench.scoring.standing import Standing, sentences
from mabench.scoring.tokens import tokens

# What a text that states a gold settles on.
Choice = StrEnum("Choice", "GOLD OTHER NONE UNSURE")

_NEAR = 60  # Characters between two values that stand side by side.
_ASIDE = re.compile(r"(?:(?<=[.!?]\s)|(?<=\n))\([^()\n]*\)")  # A sentence of its own.
_LEAD = 80  # Characters before a word that may open its sentence.
_PARTS, _APART = re.compile(r"[,;()]|\bbut\b"), 40  # How many characters each counts for.
_JOINT = re.compile(r"\bor\b|\band\b|[/|;&]|\bvs\b|\bversus\b", re.IGNORECASE)
# What is no value beside another, but says something of its own: "Oslo; Rome was ..."
_VERB = re.compile(
    r"(?:[\w'.-]+\s){0,3}?(?:is|was|are|were|has|had|did|does|do|came|seems|might|may|could)\b"
)
_RELATIVE = re.compile(r"\W{0,2}(?:who|whose)\b")
_OPENS = ("-", "\u2013", "\u2014", "(", ":", "[")
_Value = TypeVar("_Value")
_Sentence = Sequence[Mark]


def settles_on(
    text: str,
    gold: Mapping[Mention, Standing],
    question: str | None,
    offered: Sequence[Mention] = (),
    name: str = "",
) -> Choice:
    """Return whether a text that states ``gold`` settles on it.

    Args:
        text: ``plain`` text.
        gold: where it says the gold, and how that stands there.
        question: the question, whose words are no values.
        offered: where it says what the question offers beside the gold.
        name: the gold, whose words are no other value.
    """
    reading = read(text, gold, question, name, offered)
    said = _of_two(reading)
    if said is not None:
        return said
    values = [mark for mark in reading.marks if mark.kind == "value"]
    golds = [mark for mark in values if mark.counts and not mark.said]
    if not golds and len(values) > len(gold):
        return Choice.OTHER
    golds = golds or values
    held = [n for n, c in enumerate(reading.clauses) if any(c.holds(mark.start) for mark in golds)]
    if not held:
        return Choice.UNSURE  # It is said behind all clauses that are read.
    sides = [
        {Choice.GOLD} if n in held else {Choice.OTHER} if _states_other(reading, n, held) else set()
        for n in range(len(reading.clauses))
    ]
    between = [text[a.end : b.start] for a, b in pairwise(reading.clauses)]
    if (
        between == [", "]
        and all(sides)
        and not any(c.frame or c.cited or c.is_aside for c in reading.clauses)
    ):
        return Choice.UNSURE  # Either may say more of the other.
    listed = _listed(reading, sides)
    if listed:
        return settled(sides, listed) or Choice.NONE
    return _by_order(reading, sides) if {Choice.OTHER} in sides else Choice.GOLD


def _states_other(reading: Reading, place: int, golds: Sequence[int]) -> bool:
    """Return whether a clause states another value, and not a step on the way to the gold."""
    clause, behind = reading.clauses[place], reading.clauses[place + 1 : golds[-1] + 1]
    named = {w for mark in clause.marks if mark.counts and mark.said for w in mark.said.split()}
    if reading.is_chain and place + 1 in golds and _RELATIVE.match(reading.text, behind[0].start):
        return False
    new = named.difference(*({t.word for t in c.said} for c in reading.clauses[:place])) or named
    goes_on = any(new <= {token.word for token in other.said} for other in behind)
    return bool(named) and not clause.is_lead and not goes_on


def settled(sides: Sequence[set[_Value]], listed: Collection[int]) -> _Value | None:
    """Return the value that a text settles on; None where it settles on none.

    Args:
        sides: the values that each clause states.
        listed: the clauses that list values, or say of one what another says of another.
    """
    stating = [n for n, side in enumerate(sides) if side]
    ends = [n for n in (*stating[-1:], *stating[:1]) if len(sides[n]) == 1 and n not in listed]
    return next(iter(sides[ends[0]])) if ends else None


def _of_two(reading: Reading) -> Choice | None:
    """Return which of two values a text says to hold; None if it tells of no two, or not which."""
    sentences_ = _sentences(reading)
    every = [mark for mark in reading.marks if mark.kind == "value"]
    values, cited = {mark.said for mark in every}, _cited_values(sentences_)
    if len(values) > 2:  # Others are only mentioned.
        if _chosen(reading.text, sentences_, cited, set()) == "":
            return Choice.GOLD
        values &= {"", *cited.values()}  # The gold is the value without words.
    if len(values) != 2:
        return None
    newer, older = _labelled(reading.text, sentences_, cited)
    left, denied = (
        values - {mark.said for mark in every if mark.stands >= least}
        for least in (Standing.ASKED, Standing.PASSED)
    )
    newer, older = (newer - denied) & values, older | left
    chosen = _chosen(reading.text, sentences_, cited, newer)
    if chosen is None and len(newer) == 1:
        chosen = next(iter(newer))
    if chosen is None and _is_undecided(sentences_):
        return Choice.NONE
    if chosen is None and len(values - older) == 1:
        chosen = next(iter(values - older))
    if chosen is not None:
        return Choice.OTHER if chosen else Choice.GOLD
    return None


def _sentences(reading: Reading) -> list[_Sentence]:
    """Return the marks of each sentence, or part of one behind a semicolon, that has some."""
    text = reading.text
    ends = [*(end for _, end in sentences(text)), *(m.end() for m in re.finditer(";", text))]
    asides = [aside.span() for aside in _ASIDE.finditer(text)]
    parts: dict[int, list[Mark]] = {}
    for mark in reading.marks:
        if not any(a <= mark.start < b for a, b in asides):
            parts.setdefault(bisect_right(sorted(ends), mark.start), []).append(mark)
    return list(parts.values())


def _of(marks: _Sentence, *kinds: str) -> list[Mark]:
    return [mark for mark in marks if mark.kind in kinds]


def _is_undecided(sentences_: Sequence[_Sentence]) -> bool:
    near = [pair for marks in sentences_ for pair in pairwise(_of(marks, "value"))]
    is_near = any(a.said != b.said and b.start - a.end < _NEAR for a, b in near)
    return is_near and any(_of(marks, "undecided") for marks in sentences_)


def _cited_values(sentences_: Sequence[_Sentence]) -> dict[str, str]:
    """Return the value for which something is cited first, by what is cited."""
    cited: dict[str, str] = {}
    for marks in sentences_:
        for key, value in _paired(_of(marks, "cited"), _of(marks, "value")):
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
    text: str, sentences_: Sequence[_Sentence], cited: Mapping[str, str]
) -> tuple[set[str], set[str]]:
    """Return the values that are called newer, and those called older."""
    called: dict[str, set[str]] = {"newer": set(), "older": set()}
    for every in sentences_:
        tail = _tail(every)
        marks = every[: len(every) - len(tail)] if _of(tail, "cited") else every
        values, labels = _of(marks, "value"), _of(marks, "newer", "older")
        if values and len({value.said for value in values}) + len(labels) > 1:
            for label in labels:
                near = [mark for mark in marks if mark.said in cited or mark in values]
                near.sort(key=lambda mark: _distance(text, label, mark) + (mark in values))
                called[label.kind] |= {cited.get(mark.said, mark.said) for mark in near[:1]}
    return called["newer"] - called["older"], called["older"] - called["newer"]


def _distance(text: str, one: Mark, other: Mark) -> int:
    """Return how far two marks are apart, in characters; what parts clauses counts for more."""
    between = text[one.end : other.start] or text[other.end : one.start]
    return len(between) + _APART * len(_PARTS.findall(between))


def _chosen(
    text: str, sentences_: Sequence[_Sentence], cited: Mapping[str, str], newer: set[str]
) -> str | None:
    """Return the value that the last relation, reference or conclusion settles on."""
    chosen, seen = None, list[str]()
    for marks in sentences_:
        values = _of(marks, "value")
        settles = _of(marks, "settles")[-1:]
        behind = {v.said for v in values if settles and v.counts and v.start > settles[0].start}
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
        if mark.kind == "yields" and right is not None:
            told = {value.said for value in _of(before, "value")}
            lead = re.split(r"[.!?;\n]", text[max(0, mark.start - _LEAD) : mark.start])[-1]
            opens = len(re.findall(r"\w+", lead)) <= (3 if mark.said[0].isalpha() else 0)
            told |= {*seen} if opens and not before else set()
            if told - {right}:
                chosen = right
    return chosen


def _first(marks: _Sentence, cited: Mapping[str, str]) -> str | None:
    """Return the first value that marks name or cite."""
    named = (
        cited.get(m.said) if m.kind == "cited" else m.said for m in _of(marks, "value", "cited")
    )
    return next((value for value in named if value is not None), None)


def _tail(marks: _Sentence) -> _Sentence:
    """Return the marks behind the last value of a sentence."""
    last = max((place for place, mark in enumerate(marks) if mark.kind == "value"), default=-1)
    return marks[last + 1 :]


def _referred(
    marks: _Sentence, cited: Mapping[str, str], newer: set[str], seen: Sequence[str]
) -> str | None:
    """Return the value that marks without one refer to, of those that were said before."""
    last = list(dict.fromkeys(seen[::-1]))[:2][::-1]
    if len(last) == 2 and _of(marks, "latter", "former"):
        return last[bool(_of(marks, "latter"))]
    named = [mark.said for mark in _of(marks, "cited")]
    if named and _of(marks, "newer", "settles"):
        known = [key for key in named if key in cited]
        if not known and len({*cited.values()}) == 1 and len(last) == 2:
            return next(value for value in last if value not in cited.values())
        return cited[max(known, key=_rank)] if known else None
    if not _of(marks, "newer"):
        return None
    if len(newer) == 1:
        return next(iter(newer))
    numbers = [number for number in cited if number.isdigit()]
    return cited[max(numbers, key=_rank)] if len(numbers) > 1 else None


def _rank(number: str) -> int:
    return int(number) if number.isdigit() else -1


def _listed(reading: Reading, sides: Sequence[set[Choice]]) -> set[int]:
    """Return the clauses that list values: side by side, from two sources, or in one frame."""
    stated = reading.clauses
    keys = {mark.said: mark for mark in reading.marks[::-1] if mark.kind == "cited"}
    cited = _cited_values(_sentences(reading))
    places = {place for pair in _beside(reading) for place in pair}
    if len({*cited.values()}) > 1:
        places |= {keys[key].start for key in cited}
    listed = {n for n, clause in enumerate(stated) if any(map(clause.holds, places))}
    for gold in (n for n, side in enumerate(sides) if Choice.GOLD in side):
        for other in (n for n, side in enumerate(sides) if Choice.GOLD not in side):
            if _are_opposed(reading, stated[gold], stated[other]):
                listed |= {gold, other}
    return listed


def _beside(reading: Reading) -> Iterator[tuple[int, int]]:
    """Yield where the gold and what stands beside it start: ``A or B``, ``both A and B``."""
    text, every = reading.text, [t for t in tokens(reading.text) if is_content(t)]
    cited = [mark for mark in reading.marks if mark.kind == "cited"]
    every = [t for t in every if not any(m.start <= t.start < m.end for m in cited)]
    for gold in (mark for mark in reading.marks if mark.counts and not mark.said):
        before = [token for token in every if token.end <= gold.start][-1:]
        after = [token for token in every if token.start >= gold.end][:1]
        lead = text[max(0, gold.start - _NEAR) : gold.start].rpartition(". ")[2]
        is_all = not re.search(
            r"\w",
            text[: before[0].start if before else gold.start]
            + text[after[0].end if after else gold.end :],
        )
        is_both = is_all or pattern(r"\b(?:%s)\b", "chosen.both").search(lead) is not None
        for other in before + after:
            between = text[gold.end : other.start] or text[other.end : gold.start]
            joint = _JOINT.search(between)
            if joint is None or pattern(r"\b(?:%s)\b", "chosen.no_rival").search(between):
                continue
            if re.search(r"\b(?:known|called|named)\b", lead):
                continue  # Another name of it.
            is_both |= any(m.start in range(*sorted((gold.start, other.start))) for m in cited)
            is_open = joint[0] in "/|" or joint[0].casefold() in ("or", "vs", "versus")
            is_name, is_named = (
                text[gold.start].isupper(),
                other.raw[0].isupper() or text[other.start - 1] == "-",
            )
            is_other = is_named or ((is_open or is_both) and not is_name)
            is_new = (
                is_open
                or is_both
                or (
                    is_name
                    and root(other.word) not in reading.asked
                    and not (
                        _VERB.search(between)
                        or _VERB.match(text[max(other.end, gold.end) :].lstrip())
                    )
                )
            )
            if is_other and is_new:
                yield gold.start, other.start


def _are_opposed(reading: Reading, gold: Clause, other: Clause) -> bool:
    """Return whether another clause says something in place of the gold, and else the same."""
    values = [mark for mark in other.marks if mark.kind == "value"]
    if gold.is_aside or other.is_aside or not all(value.counts for value in values):
        return False
    frame = Counter(token.word for token in gold.frame)
    said = [token for token in other.said if is_content(token)]
    left = Counter(token.word for token in said) - frame
    if frame - Counter(t.word for t in said) or not 0 < left.total() <= LONGEST:
        return False
    if frame.total() > 1:
        return True
    if bool(gold.cited) != bool(other.cited):
        return False  # An answer, and a fact that is cited to explain it.
    if reading.opening[0].isupper():
        named = [t for t in said if t.word in left]
        return all(t.is_name or reading.text[t.start - 1] == "-" for t in named) and any(
            t.raw[0].isupper() for t in named
        )
    is_short = reading.opening.islower() and bool(values) and left.total() <= 2
    return is_short or Counter(t.word for t in other.frame) == frame


def _by_order(reading: Reading, sides: Sequence[set[Choice]]) -> Choice:
    """Return which clause answers: the first that takes up the question, or says no more."""
    stated = reading.clauses
    place = next(n for n, side in enumerate(sides) if side == {Choice.GOLD})
    main, own = stated[place], [*map(reading.own, stated)]
    others = [n for n, side in enumerate(sides) if side == {Choice.OTHER}]
    if reading.is_chain and any(own[n] == own[place] > NOTHING for n in others if n > place):
        return Choice.UNSURE  # One of two is asked for: "He is from Oslo, his wife from Rome".
    opens = not main.cited and (
        not place or main.is_aside or reading.text[: main.start].rstrip().endswith(_OPENS)
    )
    is_first = own[place] == NOTHING or own[place] >= max(
        (own[n] for n in others if n > place), default=NOTHING
    )
    if opens and is_first and reading.is_bare(main):
        return Choice.GOLD
    if main.cited and any(not stated[n].cited and reading.is_bare(stated[n]) for n in others):
        return Choice.OTHER  # What is cited beside an answer only explains it.
    result = Choice.GOLD
    if main.is_aside and not reading.is_bare(main) and place - 1 in others:
        result = Choice.UNSURE  # It may only be spoken of: "a novelist (the poet is another)".
    for n in others:
        clause = stated[n]
        is_near = clause.sentence == main.sentence
        goes_on = reading.text[: clause.start].endswith(")") and is_near
        if clause.is_aside or goes_on:
            continue
        if n > place:
            if own[n] > own[place]:
                is_main = own[place] > NOTHING or reading.is_bare(main)
                result = Choice.UNSURE if is_main or not is_near else Choice.OTHER
        elif own[n] >= own[place]:
            is_step = reading.is_chain and own[n] > own[place] > NOTHING
            is_near = is_near and not main.is_aside
            if not is_step and (reading.is_bare(clause) or (own[n] > NOTHING and is_near)):
                return Choice.OTHER
            result = Choice.UNSURE if own[n] > NOTHING else result
    return result
