"""Which of the values that a text states in answer to a question it settles on.

One rule for short answers, labels and options (``settled``): the last clause that concludes or
corrects decides, else the closing or opening clause, where it states one value and lists none.
Where a text lists no other value beside a gold, the clause that takes up the question answers it,
and others may mention the gold: ``Delft, near Leiden`` is Delft.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

from mabench.scoring.alternatives import is_content
from mabench.scoring.clauses import Clause
from mabench.scoring.lexicon import pattern
from mabench.scoring.sameness.same import Mention
from mabench.scoring.statements import NOTHING, Choice, Reading, read_statements
from mabench.text.stems import stem

_OPENS = ("-", "\u2013", "\u2014", "(", ":", "[")
_Value = TypeVar("_Value")


def settled(
    sides: Sequence[set[_Value]], cued: Collection[int], listed: Collection[int] = ()
) -> _Value | None:
    """Return the value that a text settles on; None where it settles on none.

    Args:
        sides: the values that each clause states.
        cued: the clauses with a word that concludes or corrects.
        listed: the clauses that list values, or say of one what another says of another.
    """
    stating = [n for n, side in enumerate(sides) if side]
    single = [n for n in stating if len(sides[n]) == 1]
    ends = [n for n in (*stating[-1:], *stating[:1]) if n in single and n not in listed]
    decisive = [n for n in single if n in cued][-1:] + ends
    return next(iter(sides[decisive[0]])) if decisive else None


def _cues_of(text: str, stated: Sequence[Clause], asked: Collection[str] = ()) -> list[set[str]]:
    """Return the words of each clause that conclude or correct, but those of the question."""
    every: list[set[str]] = []
    for n, clause in enumerate(stated):
        said = pattern(r"\b(?:%s)\b", "chosen.settles").findall(text, clause.start, clause.end)
        cues = {cue for cue in map(str.casefold, said) if not {*map(stem, cue.split())} <= {*asked}}
        cues |= {"->"} if text[: clause.start].rstrip().endswith(("->", "=>", "\u2192")) else set()
        before = stated[n - 1]  # "A later one, fact 9, says so"
        leads_up = n and (before.is_lead or not any(map(is_content, before.said)))
        every.append(cues | (every[-1] if leads_up else set()))
    return every


def settles_on(
    text: str,
    gold: Sequence[Mention],
    question: str | None,
    offered: Sequence[Mention] = (),
    name: str = "",
) -> Choice:
    """Return whether a text that states ``gold`` settles on it.

    Args:
        text: ``plain`` text.
        gold: where it asserts the gold.
        question: the question, whose words are no values.
        offered: where it says what the question offers beside the gold.
        name: the gold, whose words are no other value.
    """
    reading = read_statements(text, gold, question, name)
    stated = reading.stated
    if not any(reading.held(clause) for clause in stated):
        return Choice.UNSURE  # It is said behind all clauses that are read.
    sides, listed = reading.sides(offered)
    if not any(Choice.OTHER in side for side in sides):
        return Choice.GOLD
    is_pair = len(sides) == 2 and text[stated[0].end : stated[1].start] == ", "
    is_pair &= not any(clause.cited or clause.is_aside for clause in stated)
    if is_pair and all(reading.is_bare(c) and reading.own(c) == NOTHING for c in stated):
        return Choice.UNSURE  # Either may say more of the other.
    cues = _cues_of(text, stated, reading.asked)
    cued = {n for n, said in enumerate(cues) if said}
    for n, clause in enumerate(stated):  # A bracket says something of what is before it.
        sides[n] = sides[n - 1] if clause.is_aside and n and not sides[n] else sides[n]
    both = listed | {n for n, side in enumerate(sides) if len(side) > 1}
    if both:
        return settled(sides, cued, both) or (Choice.NONE if listed else Choice.UNSURE)
    newer = pattern(r"\b(?:%s)\b", "chosen.replaces")
    cued = {  # What only goes on, such as "so he left for Rome", settles nothing.
        n
        for n in cued
        if sides[n] == {Choice.GOLD}
        or (sides[n] and reading.is_bare(stated[n]))
        or (sides[n] and newer.search(text, stated[n].start, stated[n].end))
    }
    if cued:
        return settled(sides, cued) or Choice.NONE
    return _by_order(reading, sides)


def has_other_value(
    text: str, gold: Sequence[Mention], question: str | None, name: str = ""
) -> bool:
    """Return whether a text offers another value than the gold: words that nobody asked about."""
    reading = read_statements(text, gold, question, name)
    others = [token for clause in reading.stated for token in reading.rest(clause)]
    if reading.opening[0].islower():
        return len(others) >= len(gold)
    return any(t.is_name and not t.word.endswith(("ly", "ed", "ing")) for t in others)


def _by_order(reading: Reading, sides: Sequence[set[Choice]]) -> Choice:
    """Return which clause answers: the first that takes up the question, or says no more."""
    golds = [n for n, side in enumerate(sides) if side == {Choice.GOLD}]
    place, main = golds[0], reading.stated[golds[0]]
    own = list(map(reading.own, reading.stated))
    again = [n for n, side in enumerate(sides) if side == {Choice.OTHER} and n > place]
    if reading.is_chain and any(own[n] == own[place] > NOTHING for n in again):
        return Choice.UNSURE  # One of two is asked for: "He is from Oslo, his wife from Rome".
    opens = not main.cited and (
        not place or main.is_aside or reading.text[: main.start].rstrip().endswith(_OPENS)
    )
    if opens and reading.is_bare(main):
        return Choice.GOLD
    bare = [n for n, side in enumerate(sides) if side == {Choice.OTHER}]
    bare = [n for n in bare if not reading.stated[n].cited and reading.is_bare(reading.stated[n])]
    if main.cited and bare:
        return Choice.OTHER  # What is cited beside an answer only explains it.
    result = Choice.GOLD
    if main.is_aside and not reading.is_bare(main) and sides[place - 1] == {Choice.OTHER}:
        result = Choice.UNSURE  # It may only be spoken of: "a novelist (the poet is another)".
    for n, clause in enumerate(reading.stated):
        goes_on = reading.text[: clause.start].endswith(")") and clause.sentence == main.sentence
        if sides[n] != {Choice.OTHER} or clause.is_aside:
            continue
        if n > place and not goes_on:
            if own[n] > own[place]:
                is_main = own[place] > NOTHING or reading.is_bare(main)
                is_apart = clause.sentence != main.sentence
                result = Choice.UNSURE if is_main or is_apart else Choice.OTHER
        elif n < place and own[n] >= own[place]:
            is_near = clause.sentence == main.sentence and not main.is_aside
            is_step = reading.is_chain and own[n] > own[place] > NOTHING
            if not is_step and (reading.is_bare(clause) or (own[n] > NOTHING and is_near)):
                return Choice.OTHER
            result = Choice.UNSURE if own[n] > NOTHING else result
    return result
