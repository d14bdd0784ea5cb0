"""Which of the values that a text states in answer to a question it settles on.

Where it states several in the same frame or side by side (``rivals``), one is settled on when a
conclusion, a later fact, a correction, or a closing or opening statement names it alone. Else
one clause answers and others may mention the gold: ``Delft, near Leiden`` is Delft.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from mabench.scoring.clauses import NUMBERED, RELATIVE, Clause, clauses, is_content
from mabench.scoring.lexicon import entries, pattern
from mabench.scoring.rivals import Span, rivals
from mabench.scoring.sameness.same import Mention
from mabench.scoring.sameness.wordings import is_place, stems_of
from mabench.scoring.standing import Standing, standing
from mabench.scoring.tokens import Token, tokens
from mabench.text.stems import is_function_word, stem

_NUMBERED_AFTER = re.compile(rf"[\s(\[,]*(?:according to |in )?{NUMBERED.pattern}", re.IGNORECASE)
_SUBJECT = re.compile(r",\s(?:is|was|are|were|has|had|[a-z]+ed)\b")
_NAME = re.compile(r"[A-Z][\w'.-]*(?: [A-Z][\w'.-]*)*")
_OPENS = tuple("(-\u2013\u2014:[")
_ARROWS = ("\u2192", "->", "=>")
_YEAR_DIGITS = 4


class Choice(StrEnum):
    """What a text that states a gold settles on."""

    GOLD = "gold"
    OTHER = "other"
    NONE = "none"
    UNSURE = "unsure"


def settles_on(text: str, gold: Sequence[Mention], question: str | None) -> Choice:
    """Return whether a text that states ``gold`` settles on it.

    Args:
        text: ``plain`` text.
        gold: where it asserts the gold.
        question: the question, whose words are no values.
    """
    asked = stems_of(question or "")
    stated = clauses(text, gold)
    others, listed = rivals(text, stated, gold, asked)
    if others:
        return _of_rivals(text, stated, gold, others, listed, asked)
    hedges = pattern(r"\b(?:%s)\b", "standing.hedges").findall(text)
    conflict = re.search(r"\b(?:contradict|conflict)", text)
    if len(hedges) > 1 or (conflict and has_other_value(text, gold, question)):
        return Choice.NONE
    reading = _AnswerText(text, stated, gold, asked, _target(question or ""))
    return reading.choice(" or " in (question or ""))


def _of_rivals(
    text: str,
    stated: Sequence[Clause],
    gold: Sequence[Mention],
    others: Sequence[Span],
    listed: set[int],
    asked: frozenset[str],
) -> Choice:
    """Return which of several values holds: the one that a clause with a cue names alone."""
    values = [{t.word for t in tokens(text[start:end])} for start, end in others]
    sides: list[set[Choice]] = []
    numbers: dict[str, set[Choice]] = {}
    for clause in stated:
        side = {Choice.GOLD for mention in gold if clause.holds(mention.start)}
        said = {token.word for token in clause.said}
        if any(clause.holds(start) for start, _ in others) or any(v <= said for v in values):
            side.add(Choice.OTHER)
        sides.append(side)
        if len(side) == 1:
            numbers |= dict.fromkeys(clause.cited, side)
    spans = [(Choice.GOLD, m.end) for m in gold] + [(Choice.OTHER, end) for _, end in others]
    for name, end in spans:
        if cited := _NUMBERED_AFTER.match(text, end):
            numbers[cited[1]] = {name}
    cues = [_cues(text, clause, asked) for clause in stated]
    every = [cues[place] for place in listed]
    shared = set.intersection(*every) if len(every) > 1 else set()  # They settle nothing.
    settled: set[Choice] = set()
    before: set[Choice] = set()
    for clause, side, said in zip(stated, sides, cues, strict=True):
        side = before if clause.is_aside and not side else side  # Of what is before the bracket.
        before = side
        if said - shared and not side:
            holders = [numbers[number] for number in clause.cited if number in numbers]
            side = holders[0] if len(holders) == 1 else side
        if said - shared and len(side) == 1:
            settled = side
    stating = [place for place, side in enumerate(sides) if side]
    for place in (*stating[-1:], *stating[:1]):
        if not settled and place not in listed and len(sides[place]) == 1:
            settled = sides[place]
    return next(iter(settled), Choice.NONE)


def _cues(text: str, clause: Clause, asked: frozenset[str]) -> set[str]:
    """Return the words of a clause that settle, but those of the question."""
    said = pattern(r"\b(?:%s)\b", "chosen.settles").findall(text, clause.start, clause.end)
    cues = {cue.casefold() for cue in said if not {*map(stem, cue.casefold().split())} <= asked}
    return cues | ({"->"} if text[: clause.start].rstrip().endswith(_ARROWS) else set())


class _AnswerText(NamedTuple):
    """A text without rivals, of which one clause answers the question."""

    text: str
    stated: Sequence[Clause]
    gold: Sequence[Mention]
    asked: frozenset[str]
    target: str = ""

    def choice(self, is_offered: bool) -> Choice:
        """Return whether a clause with the gold answers, or another; a question may offer two."""
        text, stated = self.text, self.stated
        held = [any(clause.holds(m.start) for m in self.gold) for clause in stated]
        cued = [bool(_cues(text, c, self.asked)) and text[c.start - 1] != "(" for c in stated]
        if not any(held) or any(map(min, held, cued)):
            return Choice.GOLD
        place = held.index(True)
        main = stated[place]
        if self._is_pair():
            return Choice.UNSURE
        if place and _SUBJECT.search(text, main.start, self.gold[0].start):
            return Choice.GOLD  # What stands before the apposition is the subject.
        rest = [self._rest(clause) for clause in stated]
        values = [self._values(*pair) for pair in zip(stated, rest, strict=True)]
        last = len(held) - held[::-1].index(True)
        if _is_opposite(main, self.asked) or any(
            values[n] and cued[n] and len(rest[n]) <= len(values[n])
            for n in range(last, len(stated))
        ):
            return Choice.OTHER
        # An answer by itself, another name of what is said before, or a closing statement.
        is_name = text[self.gold[0].start].isupper()
        bare = [all(t.is_name and (is_name or t.raw[0].isdigit()) for t in said) for said in rest]
        opens = not place or main.is_aside or text[: main.start].rstrip().endswith(_OPENS)
        closes = held[-1] and bare[-1] and stated[-1].sentence > stated[0].sentence
        if (bare[place] and opens) or closes:
            return Choice.GOLD
        return self._by_order(held, rest, values, is_offered)

    def _by_order(
        self,
        held: Sequence[bool],
        rest: Sequence[Sequence[Token]],
        values: Sequence[Sequence[Token]],
        is_offered: bool,
    ) -> Choice:
        """Return whether a clause before or after that with the gold takes up the question."""
        place, opening = held.index(True), self.text[self.gold[0].start]
        main, head = self.stated[place], self.stated[0]
        own = [self._taken_up(clause) for clause in self.stated]
        known = {t.word for m in self.gold for t in tokens(self.text[m.start : m.end])}
        first = self.gold[0].start
        hangs = main.is_aside or (
            RELATIVE.match(self.text, main.start, main.end) is not None
            and not re.search(r"\b(?:is|was|are|were) (?:the )?$", self.text[main.start : first])
        )
        is_whole = self.text[head.end - 1] in ".!"
        if place and not rest[0] and ((is_offered and head.is_lead) or (hangs and is_whole)):
            return Choice.OTHER if any(map(is_content, head.said)) else Choice.GOLD
        result = Choice.GOLD
        for n, clause in enumerate(self.stated):
            if held[n] or clause.is_lead or clause.is_aside or not values[n]:
                continue
            is_near = clause.sentence == main.sentence
            is_alone = all(
                t in values[n] or t.word in known or (opening.isupper() and t.is_name)
                for t in rest[n]
            )
            if n > place:
                if own[n] and not own[place]:
                    result = Choice.OTHER if opening.isdigit() else Choice.UNSURE
            elif (n == 0 and is_alone and (hangs or own[place] <= own[n])) or (
                own[n] and own[place] <= own[n] and is_near and not main.is_aside
            ):
                return Choice.OTHER
            elif self.target in own[place] - own[n]:
                continue
            elif own[n] and (is_near or not own[n] < own[place]):
                result = Choice.UNSURE
        return result

    def _is_pair(self) -> bool:
        """Return whether all that is said is two names, and the second is no place of the first."""
        parts = self.text.strip(" .!").split(", ")
        said = self.text[self.gold[0].start : self.gold[0].end]
        if len(parts) != 2 or said not in parts or not all(map(_NAME.fullmatch, parts)):
            return False
        return not (is_place(parts[1]) or stems_of(parts[1]) <= self.asked)

    def _taken_up(self, clause: Clause) -> frozenset[str]:
        """Return the words of the question in a clause; who does a thing is as the doing."""
        said = {
            stem(t.word).removesuffix("er") for t in clause.said if not is_function_word(t.word)
        }
        return frozenset(said & {word.removesuffix("er") for word in self.asked})

    def _rest(self, clause: Clause) -> list[Token]:
        """Return the words of a clause that are neither the gold's nor the question's nor noise."""
        return [
            token
            for token in clause.said
            if is_content(token) and stem(token.word) not in self.asked
            if not any(m.start <= token.start < m.end for m in self.gold)
        ]

    def _values(self, clause: Clause, rest: Sequence[Token]) -> list[Token]:
        """Return the words of a clause that may be another value of the kind of the gold."""
        text = self.text
        known = {t.word for m in self.gold for t in tokens(text[m.start : m.end])}
        opening = tokens(text[self.gold[0].start :])[0].raw
        listed: list[Token] = []
        start = end = len(text)
        for token in reversed(rest):
            end = (
                end if text[token.end : start] == " " else token.end
            )  # Of a name, the last word's.
            start = token.start
            is_first = token == clause.said[0]
            if opening[0].isdigit():
                years = [len(raw) == _YEAR_DIGITS for raw in (token.raw, opening)]
                is_kind = token.raw.isdigit() and years[0] == years[1]
            elif opening[0].isupper():
                is_verb = is_first and token.word.endswith(("ly", "ed", "ing"))
                is_kind = token.raw[0].isupper() and not is_verb
            else:  # A word at the end may be a value.
                is_kind = token.raw.islower() or is_first
                is_kind &= not re.search(r"\w", text[token.end : clause.end])
            stands = standing(text[clause.start :], token.start - clause.start, end - clause.start)
            if is_kind and token.word not in known and stands >= Standing.ASKED:
                listed.append(token)
        return listed


def _target(question: str) -> str:
    """Return the first word of a question that says what is asked for."""
    return next((stem(t.word) for t in tokens(question)[1:] if not is_function_word(t.word)), "")


def _is_opposite(clause: Clause, asked: frozenset[str]) -> bool:
    """Return whether a clause says the opposite of what is asked: was born, not died."""
    said = {stem(token.word) for token in clause.said}
    for pair in entries("names.opposites"):
        sides = [{stem(word) for word in side.split()} for side in pair.split("/")]
        for one, other in (sides, sides[::-1]):
            if one & asked and other & said and not (one & said or other & asked):
                return True
    return False


def has_other_value(text: str, gold: Sequence[Mention], question: str | None) -> bool:
    """Return whether a text offers another value than the gold: words that nobody asked about."""
    asked = stems_of(question or "")
    others = [
        t
        for clause in clauses(text, gold)
        for t in _AnswerText(text, (), gold, asked)._rest(clause)
    ]
    if any(text[m.start].isupper() or text[m.start].isdigit() for m in gold):
        return any(t.is_name and not t.word.endswith(("ly", "ed", "ing")) for t in others)
    return len(others) >= max(len(gold), 1)
