"""Which of the values that a text states in answer to a question it settles on.

Another value than the gold is stated in the same frame (``Fact 4 says A. Fact 9 says B``), side by
side with it (``A or B``), or is of its kind in a clause of its own. One rule for short answers,
labels and options (``settled``): the last clause that concludes or corrects decides, else the
closing or opening clause, where it states one value and lists none. Where a text lists no other
value beside a gold, the clause that takes up the question answers it, and others may mention the
gold: ``Delft, near Leiden`` is Delft.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeVar

from mabench.scoring.clauses import LONGEST, Clause, clauses, is_content
from mabench.scoring.lexicon import pattern
from mabench.scoring.sameness.same import Mention
from mabench.scoring.sameness.wordings import words_of
from mabench.scoring.standing import Standing, standing
from mabench.scoring.tokens import Token, tokens
from mabench.text.stems import is_function_word, stem

_YEAR_DIGITS = 4
_WINDOW = 80
_NOTHING = -99  # Behind the last word of a question.
_OPENS = ("-", "\u2013", "\u2014", "(", ":", "[")
_SOURCE = re.compile(
    r"\b(?:(?:according to|in|per|by|from) )?(?:the )?(?:fact|document|entry|statement)s?\s#?\d+"
)
_JOINT = (
    r"\s*+(?:\([^()\n]{0,40}\))?\s*+,?\s*+(?P<joint>\bor\b|\band\b|[/|;&]|\bvs\b\.?|\bversus\b)"
)
_HEDGE = (
    r",?\s*(?:(?:also|possibly|perhaps|maybe|probably|even|elsewhere|in|the|a|an|to|at|of),?\s+)"
    r"{0,3}[\"'(]?"
)
_AFTER = re.compile(
    rf"[\"')\].]{{0,3}}{_JOINT}{_HEDGE}(?P<other>[^\W_][\w'.-]*(?:\s+[^\W_][\w'.-]*)?)", re.I
)
_BEFORE = re.compile(
    rf"(?<![\w'.-])['._-]*+(?P<other>[^\W_][\w'.-]*)[\"')]{{0,2}}{_JOINT}{_HEDGE}$", re.I
)

Value = TypeVar("Value")


class Choice(StrEnum):
    """What a text that states a gold settles on."""

    GOLD = "gold"
    OTHER = "other"
    NONE = "none"
    UNSURE = "unsure"


def settled(
    sides: Sequence[set[Value]], cued: Collection[int], listed: Collection[int] = ()
) -> Value | None:
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


def cues_of(text: str, stated: Sequence[Clause], asked: Collection[str] = ()) -> list[set[str]]:
    """Return the words of each clause that conclude or correct, but those of the question."""
    every: list[set[str]] = []
    for n, clause in enumerate(stated):
        said = pattern(r"\b(?:%s)\b", "chosen.settles").findall(text, clause.start, clause.end)
        cues = {cue for cue in map(str.casefold, said) if not {*map(stem, cue.split())} <= {*asked}}
        cues |= {"->"} if text[: clause.start].rstrip().endswith(("->", "=>", "\u2192")) else set()
        every.append(cues | (every[-1] if n and stated[n - 1].is_lead else set()))
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
    reading = _read(text, gold, question, name)
    stated = reading.stated
    if not any(reading.held(clause) for clause in stated):
        return Choice.UNSURE  # It is said behind all clauses that are read.
    sides, listed = reading.sides(offered)
    if not any(Choice.OTHER in side for side in sides):
        return Choice.GOLD
    is_pair = len(sides) == 2 and text[stated[0].end : stated[1].start] == ", "
    if is_pair and all(reading.is_bare(c) and reading.own(c) == _NOTHING for c in stated):
        return Choice.UNSURE  # Either may say more of the other.
    cues = cues_of(text, stated, reading.asked)
    every = [cues[n] for n in listed]
    shared = set.intersection(*every) if every else set()  # They settle nothing.
    cued = {n for n, said in enumerate(cues) if said - shared}
    numbers: dict[str, set[Choice]] = {}
    for clause, side in zip(stated, sides, strict=True):
        numbers |= dict.fromkeys(clause.cited, side) if len(side) == 1 else {}
    for n in cued:  # "Fact 9 is the newest" says what fact 9 does.
        holders = [numbers[number] for number in stated[n].cited if number in numbers]
        sides[n] = holders[0] if len(holders) == 1 and not sides[n] else sides[n]
    both = listed | {n for n, side in enumerate(sides) if len(side) > 1}
    if both:
        return settled(sides, cued, both) or (Choice.NONE if listed else Choice.UNSURE)
    cued = {
        n for n in cued if sides[n] == {Choice.GOLD} or (sides[n] and reading.is_bare(stated[n]))
    }
    if cued:
        return settled(sides, cued) or Choice.NONE
    return _by_order(reading, sides)


def has_other_value(text: str, gold: Sequence[Mention], question: str | None) -> bool:
    """Return whether a text offers another value than the gold: words that nobody asked about."""
    reading = _read(text, gold, question)
    others = [token for clause in reading.stated for token in reading.rest(clause)]
    if reading.opening[0].islower():
        return len(others) >= len(gold)
    return any(t.is_name and not t.word.endswith(("ly", "ed", "ing")) for t in others)


def _by_order(reading: _Reading, sides: Sequence[set[Choice]]) -> Choice:
    """Return which clause answers: the first that takes up the question, or says no more."""
    golds = [n for n, side in enumerate(sides) if side == {Choice.GOLD}]
    place, main = golds[0], reading.stated[golds[0]]
    opens = not place or main.is_aside or reading.text[: main.start].rstrip().endswith(_OPENS)
    if opens and reading.is_bare(main):
        return Choice.GOLD
    own = list(map(reading.own, reading.stated))
    result = Choice.GOLD
    for n, clause in enumerate(reading.stated):
        goes_on = reading.text[: clause.start].endswith(")") and clause.sentence == main.sentence
        if sides[n] != {Choice.OTHER} or clause.is_aside:
            continue
        if n > place and not goes_on:
            if own[n] > own[place]:
                is_main = own[place] > _NOTHING or reading.is_bare(main)
                is_apart = clause.sentence != main.sentence
                result = Choice.UNSURE if is_main or is_apart else Choice.OTHER
        elif n < place and own[n] >= own[place]:
            is_near = clause.sentence == main.sentence and not main.is_aside
            if reading.is_bare(clause) or (own[n] > _NOTHING and is_near):
                return Choice.OTHER
            result = Choice.UNSURE if own[n] > _NOTHING else result
    return result


def _read(text: str, gold: Sequence[Mention], question: str | None, name: str = "") -> _Reading:
    asked: dict[str, int] = {}
    for token in sorted(tokens(question or ""), key=lambda token: token.is_name):
        if not is_function_word(token.word):
            asked.setdefault(_root(token), -len(asked))
    known = {token.word for m in gold for token in tokens(text[m.start : m.end])} | words_of(name)
    opening = tokens(text[gold[0].start : gold[0].end])[0].raw
    return _Reading(text, clauses(text, gold), gold, asked, frozenset(known), opening)


def _root(token: Token) -> str:
    """Return what is common to a doing, who does it and the state of it."""
    return re.sub("(?:er|or|ship)$", "", stem(token.word))


class _Reading(NamedTuple):
    """A text with its clauses, where it says the gold, and the words that the question asks by."""

    text: str
    stated: Sequence[Clause]
    gold: Sequence[Mention]
    asked: Mapping[str, int]  # The place of each, from 0 down.
    known: frozenset[str]  # Words that are no other value.
    opening: str  # The first word of the gold.

    def held(self, clause: Clause) -> list[Mention]:
        """Return where a clause says the gold."""
        return [mention for mention in self.gold if clause.holds(mention.start)]

    def own(self, clause: Clause) -> int:
        """Return the place of the first word of the question that a clause says, from 0 down."""
        return max((self.asked.get(_root(t), _NOTHING) for t in clause.said), default=_NOTHING)

    def is_bare(self, clause: Clause) -> bool:
        """Return whether a clause says a value and nothing else, but what is asked."""
        rest = self.rest(clause)
        return all(t.is_name for t in rest) and len(self.values(clause)) == len(rest)

    def rest(self, clause: Clause) -> list[Token]:
        """Return the words of a clause that are neither the gold's nor the question's nor noise."""
        return [
            token
            for token in clause.said
            if is_content(token) and _root(token) not in self.asked
            if not any(m.start <= token.start < m.end for m in self.gold)
        ]

    def values(self, clause: Clause) -> list[Token]:
        """Return the words of a clause that may be another value of the kind of the gold."""
        listed: list[Token] = []
        for token in self.rest(clause):
            is_first = token == clause.said[0]
            if self.opening[0].isdigit():
                years = {len(raw) == _YEAR_DIGITS for raw in (token.raw, self.opening)}
                is_kind = token.raw.isdigit() and len(years) == 1
            elif self.opening[0].isupper():
                is_verb = is_first and token.word.endswith(("ly", "ed", "ing"))
                is_kind = token.raw[0].isupper() and not is_verb
            else:  # A word at the end may be a value.
                is_kind = token.raw.islower() or is_first
                is_kind &= not re.search(r"\w", self.text[token.end : clause.end])
            if is_kind and token.word not in self.known:
                place = token.start - clause.start, token.end - clause.start
                if standing(self.text[clause.start :], *place) >= Standing.ASKED:
                    listed.append(token)
        return listed

    def sides(self, offered: Sequence[Mention]) -> tuple[list[set[Choice]], set[int]]:
        """Return what each clause states, and which clauses list the gold and other values."""
        golds = [n for n, clause in enumerate(self.stated) if self.held(clause)]
        sides = [{Choice.GOLD} if n in golds else set() for n in range(len(self.stated))]
        listed: set[int] = set()
        rivals = [{t.word for t in tokens(self.text[m.start : m.end])} for m in offered]
        for n, clause in enumerate(self.stated):
            for mention in self.held(clause):
                if beside := self.beside(mention, clause):
                    listed.add(n)
                    rivals.append({token.word for token in tokens(beside)})
            if n in golds or clause.is_lead:
                continue
            values = self.values(clause)
            named = {token.word for token in values}
            if (
                named
                and any(  # The text goes on from it to the gold.
                    named <= {t.word for t in other.said} and self.own(other) > _NOTHING
                    for other in self.stated[n + 1 : golds[-1] + 1]
                )
            ):
                continue
            for gold in golds:
                if left := self.parallel(self.stated[gold], clause):
                    listed |= {n, gold}
                    rivals.append(left)
            if values:
                sides[n].add(Choice.OTHER)
        for clause, side in zip(self.stated, sides, strict=True):
            said = {token.word for token in clause.said}
            if listed:
                side -= {Choice.OTHER}
            if any(rival <= said for rival in rivals):
                side.add(Choice.OTHER)
        return sides, listed

    def parallel(self, gold: Clause, other: Clause) -> set[str]:
        """Return what another clause says in place of the gold, and else the same; none if not."""
        if gold.is_aside or other.is_aside:
            return set()
        mentions = self.held(gold)
        frame = Counter(
            token.word
            for token in gold.said
            if is_content(token) and not any(m.start <= token.start < m.end for m in mentions)
        )
        said = [token for token in other.said if is_content(token)]
        left = Counter(token.word for token in said) - frame
        filler = [token for token in said if token.word in left]
        if frame - Counter(t.word for t in said) or not 0 < left.total() <= LONGEST:
            return set()
        if standing(self.text, filler[0].start, filler[-1].end) < Standing.REASON:
            return set()
        if frame.total() > 1:
            return set(left)
        if not frame and bool(gold.cited) != bool(other.cited):
            return set()  # An answer, and a fact that is cited to explain it.
        is_dated = any(token.raw[0].isdigit() for token in filler)
        if self.opening[0].isupper():
            named = [token.is_name or self.text[token.start - 1] == "-" for token in filler]
            is_kind = all(named) and any(token.raw[0].isupper() for token in filler)
        elif self.opening[0].islower():  # What somebody did is no thing.
            is_kind = is_dated or left.total() <= max(2, len(self.known))
        else:
            is_kind = is_dated
        return set(left) if is_kind else set()

    def beside(self, gold: Mention, clause: Clause) -> str | None:
        """Return what stands beside a mention as its alternative: ``A or B``, ``both A and B``."""
        text, is_named = self.text, self.text[gold.start].isupper()
        start = max(clause.start, gold.start - _WINDOW)
        sides = text[start : gold.start], text[gold.end :][:_WINDOW]
        before, after = (_SOURCE.sub("", side) for side in sides)
        lead = text[max(0, gold.start - _WINDOW) : gold.start].rpartition(". ")[2]
        is_both = pattern(r"\b(?:%s)\b", "chosen.both").search(lead) or (before, after) != sides
        for match in (_AFTER.match(after), _BEFORE.search(before)):
            if match is None or pattern(r"(?-i:(?:%s)\b)", "chosen.no_rival").match(match["other"]):
                continue
            said = {token.word for token in tokens(match["other"])}
            lead_in = match.string[: match.end()]
            if said <= self.known or re.search(r"\b(?:known|called|named) ", lead_in):
                continue  # Another name of it.
            other, joint = match["other"], match["joint"].casefold()
            if joint == "or" or joint[0] in "/|v" or is_both:
                is_rival = other[0].isupper() or not is_named
            else:
                is_rival = other[0].isupper() and is_named
                is_rival &= _root(tokens(other)[0]) not in self.asked
            if is_rival:
                return other
        return None
