"""Which of the values that a text states in answer to a question it settles on.

The first of these decides. A value that is all of the first sentence. What the text says of two
values (``conflict``). Of values that it lists side by side or in one frame, the one that its
closing or opening clause states alone. Else the clause that takes up the question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from mabench.scoring.conflict import Choice, which_of_two
from mabench.scoring.lexicon import pattern
from mabench.scoring.reading import LONGEST, NOTHING, Clause, Mark, Reading, is_content, read
from mabench.scoring.sameness.kin import root
from mabench.scoring.sameness.same import Mention
from mabench.scoring.standing import Standing, sentences
from mabench.scoring.tokens import tokens

_NEAR = 60  # Characters between two values that stand side by side.
_JOINT = re.compile(r"\bor\b|\band\b|[/|&]|\bvs\b|\bversus\b", re.IGNORECASE)
_CORRECTS = pattern(r"(?:^|[\W_])(?:%s)(?=\W)", "label.corrections")
_ALIAS = re.compile(r"\b(?:known as|called|named)\b[^.;\n]{0,40}\Z")  # Another name of it.
_OPENS = ("-", "\u2013", "\u2014", "(", ":", "[")


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
    if said := _opens_with(reading) or which_of_two(reading):
        return said
    values = [mark for mark in reading.marks if mark.kind == "value"]
    golds = [mark for mark in values if mark.counts and not mark.said]
    if not golds and len(values) > len(gold):
        return Choice.OTHER
    sides = [_side(clause, golds or values) for clause in reading.clauses]
    if Choice.GOLD not in sides:
        return Choice.UNSURE  # It is said behind all clauses that are read.
    between = [text[a.end : b.start] for a, b in pairwise(reading.clauses)]
    more = any(c.frame or c.cited or c.is_aside for c in reading.clauses)
    if between == [", "] and all(sides) and not more:
        return Choice.UNSURE  # "Munich, Bavaria": either may say more of the other.
    if listed := _listed(reading, sides):
        stating = [n for n, side in enumerate(sides) if side]
        ends = (sides[n] for n in (stating[-1], stating[0]) if n not in listed)
        return next(ends, None) or Choice.NONE
    return _by_order(reading, sides) if Choice.OTHER in sides else Choice.GOLD


def _opens_with(reading: Reading) -> Choice | None:
    """Return what a text says alone in its first sentence, if it only goes on to explain that."""
    text, parts = reading.text, [*sentences(reading.text), (0, 0)]
    alone = [_alone(reading, *part) for part in parts[:2]]
    if alone[0] is None or alone[1] or parts[1] == (0, 0) or _CORRECTS.search(text, parts[1][0]):
        return None
    return Choice.OTHER if alone[0].said else Choice.GOLD


def _alone(reading: Reading, start: int, end: int) -> Mark | None:
    """Return the value that a part of a text consists of, if it does."""
    marks = [mark for mark in reading.marks if start <= mark.start < end]
    if len(marks) != 1 or not marks[0].counts:
        return None
    left = reading.text[start : marks[0].start] + reading.text[marks[0].end : end]
    is_alone = all(token.article for token in tokens(left))
    return marks[0] if is_alone and not {*left} & {*"-?"} else None


def _side(clause: Clause, golds: Sequence[Mark]) -> Choice | None:
    """Return what a clause states: the gold, whatever else it mentions, or another value."""
    if any(clause.holds(mark.start) for mark in golds):
        return Choice.GOLD
    is_other = not clause.is_lead and any(mark.counts for mark in clause.marks)
    return Choice.OTHER if is_other else None


def _listed(reading: Reading, sides: Sequence[Choice | None]) -> set[int]:
    """Return the clauses that list values: side by side, from two sources, or in one frame."""
    stated = reading.clauses
    places = {place for pair in _beside(reading) for place in pair}
    listed = {n for n, clause in enumerate(stated) if any(map(clause.holds, places))}
    others = [n for n, c in enumerate(stated) if sides[n] is not Choice.GOLD and not c.is_lead]
    for gold in (n for n, side in enumerate(sides) if side is Choice.GOLD):
        for other in others:
            if _are_opposed(reading, stated[gold], stated[other]):
                listed |= {gold, other}
    return listed


def _beside(reading: Reading) -> Iterator[tuple[int, int]]:
    """Yield where the gold and what stands beside it start: ``A or B``, ``both A and B``."""
    text = reading.text
    every = [t for t in tokens(text) if is_content(t)]
    taken = [m for m in reading.marks if m.kind == "cited" or (m.said and not m.counts)]
    every = [t for t in every if not any(m.start <= t.start < m.end for m in taken)]
    values = [mark for mark in reading.marks if mark.counts]
    is_all = all(any(m.start <= t.start < m.end for m in values) for t in every)
    for gold in (mark for mark in values if not mark.said):
        before = [token for token in every if token.end <= gold.start][-1:]
        after = [token for token in every if token.start >= gold.end][:1]
        lead = text[max(0, gold.start - _NEAR) : gold.start]
        if _ALIAS.search(lead):
            continue
        is_both = is_all or bool(pattern(r"\b(?:%s)\b", "chosen.both").search(lead))
        for other in before + after:
            between = text[gold.end : other.start] or text[other.end : gold.start]
            joint = _JOINT.search(between)
            is_name = other.raw[0].isupper() or text[other.start - 1] == "-"
            is_alike = is_name or not text[gold.start].isupper()
            is_both = is_both or any(gold.end <= m.start < other.start for m in taken)
            are_names = text[gold.start].isupper() and root(other.word) not in reading.asked
            if joint and is_alike and (is_both or are_names or joint[0] not in ("and", "&")):
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


def _by_order(reading: Reading, sides: Sequence[Choice | None]) -> Choice:
    """Return which clause answers: the first that takes up the question, or says no more."""
    text, stated = reading.text, reading.clauses
    place, own = sides.index(Choice.GOLD), [*map(reading.own, stated)]
    main, lead = stated[place], text[: stated[place].start].rstrip()
    others = [n for n, side in enumerate(sides) if side is Choice.OTHER]
    others = [n for n in others if not stated[n].is_aside]
    if any(_ALIAS.search(text[: mark.start][-_NEAR:]) for mark in main.marks if not mark.said):
        return Choice.GOLD
    later = [n for n in others if n > place and not text[: stated[n].start].endswith(")")]
    beside = {own[place]} - {NOTHING} if reading.is_chain else set()  # One of two is asked for.
    takes_up = any(own[n] > own[place] or own[n] in beside for n in later)
    opens = not (place and not main.is_aside and not lead.endswith(_OPENS)) and not main.cited
    if opens and reading.is_bare(main) and not (takes_up and own[place] > NOTHING):
        return Choice.GOLD
    for n in (n for n in others if n < place and own[n] >= own[place]):
        if reading.is_chain and own[n] > own[place]:
            continue  # A step.
        is_near = own[n] > NOTHING and stated[n].sentence == main.sentence
        if is_near or reading.is_bare(stated[n]):
            return Choice.OTHER
        takes_up |= own[n] > NOTHING
    is_near = any(stated[n].sentence == main.sentence for n in later)
    if takes_up and is_near and own[place] == NOTHING and not reading.is_bare(main):
        return Choice.OTHER
    return Choice.UNSURE if takes_up else Choice.GOLD
