"""Which of the values that a text states in answer to a question it settles on.

One rule for short answers, labels and options (``settled``): the last clause that concludes or
corrects decides, else a value that opens the text by itself, else the closing or opening clause,
where it states one value and lists none. Of a short answer the other values are found first, in
the same frame as the gold or side by side with it; where there is none, the clause that takes up
the question answers it, and others may mention the gold: ``Delft, near Leiden`` is Delft.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeVar

from mabench.scoring.clauses import LONGEST, MOST, NUMBERED, Clause, clauses, is_content
from mabench.scoring.lexicon import pattern, words
from mabench.scoring.sameness.same import Mention
from mabench.scoring.standing import Standing, standing
from mabench.scoring.tokens import Token, tokens
from mabench.text.stems import is_function_word, stem

_NUMBERED_AFTER = re.compile(rf"[\s(\[,]*(?:according to |in )?{NUMBERED.pattern}", re.IGNORECASE)
_DASHES = ("-", "\u2013", "\u2014")
_OPENS = (*_DASHES, "(", ":", "[")
_ARROWS = ("\u2192", "->", "=>")
_POSSESSIVES = frozenset({"its", "his", "her", "their"})
_YEAR_DIGITS = 4
_WINDOW = 80
_NOTHING = -99  # Behind the last word of a question.
_SOURCE = re.compile(
    r"\b(?:(?:according to|in|per|by|from) )?(?:the )?(?:fact|document|entry|statement)s?\s#?\d+"
)
_LISTED = re.compile(r",\s(?P<other>[A-Z][\w.'-]*(?: [A-Z][\w'-]*)?)\W*$")
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
        cues = {
            cue.casefold() for cue in said if not {*map(stem, cue.casefold().split())} <= {*asked}
        }
        cues |= {"->"} if text[: clause.start].rstrip().endswith(_ARROWS) else set()
        every.append(cues | (every[-1] if n and stated[n - 1].is_lead else set()))
    return every


def settles_on(
    text: str, gold: Sequence[Mention], question: str | None, offered: Sequence[Mention] = ()
) -> Choice:
    """Return whether a text that states ``gold`` settles on it.

    Args:
        text: ``plain`` text.
        gold: where it asserts the gold.
        question: the question, whose words are no values.
        offered: where it says what the question offers beside the gold.
    """
    reading = _reading(text, gold, question, offered)
    stated = reading.stated
    sides, listed = reading.sides()
    if not any(Choice.OTHER in side for side in sides):
        return Choice.GOLD
    is_pair = len(sides) == 2 and text[stated[0].end : stated[1].start] == ", "
    is_pair &= all(reading.is_bare(c) and reading.own(c) == _NOTHING for c in stated)
    if is_pair and not any(clause.is_aside for clause in stated):
        return Choice.UNSURE  # Either may say more of the other.
    cues = cues_of(text, stated, reading.asked)
    every = [cues[n] for n in listed]
    shared = set.intersection(*every) if len(every) > 1 else set()  # They settle nothing.
    cued = {n for n, said in enumerate(cues) if said - shared}
    reading.refer(sides, cued)
    both = listed | {n for n, side in enumerate(sides) if len(side) > 1}
    if both:
        return settled(sides, cued, both) or (Choice.NONE if listed else Choice.UNSURE)
    cued = {
        n for n in cued if sides[n] == {Choice.GOLD} or (sides[n] and reading.is_bare(stated[n]))
    }
    if cued:
        return settled(sides, cued) or Choice.NONE
    return reading.by_order(sides)


def has_other_value(text: str, gold: Sequence[Mention], question: str | None) -> bool:
    """Return whether a text offers another value than the gold: words that nobody asked about."""
    reading = _reading(text, gold, question)
    others = [token for clause in reading.stated for token in reading.rest(clause)]
    if any(text[m.start].isupper() or text[m.start].isdigit() for m in gold):
        return any(t.is_name and not t.word.endswith(("ly", "ed", "ing")) for t in others)
    return len(others) >= max(len(gold), 1)


def _reading(
    text: str, gold: Sequence[Mention], question: str | None, offered: Sequence[Mention] = ()
) -> _Reading:
    asked: dict[str, int] = {}
    for token in tokens(question or ""):
        if not is_function_word(token.word):
            asked.setdefault(_root(token), -len(asked))
    known = {token.word for m in gold for token in tokens(text[m.start : m.end])}
    opening = tokens(text[gold[0].start :])[0].raw if gold else ""
    return _Reading(text, clauses(text, gold), gold, offered, asked, frozenset(known), opening)


def _root(token: Token) -> str:
    """Return what is common to a doing, who does it and the state of it."""
    return re.sub("(?:er|or|ship)$", "", stem(token.word))


class _Reading(NamedTuple):
    """A text with its clauses, where it says the gold, and the words that the question asks by."""

    text: str
    stated: Sequence[Clause]
    gold: Sequence[Mention]
    offered: Sequence[Mention]
    asked: Mapping[str, int]
    known: frozenset[str]
    opening: str

    def held(self, clause: Clause) -> list[Mention]:
        return [mention for mention in self.gold if clause.holds(mention.start)]

    def sides(self) -> tuple[list[set[Choice]], set[int]]:
        """Return what each clause states, and which clauses list the gold and other values."""
        golds = [n for n, clause in enumerate(self.stated) if self.held(clause)]
        sides = [{Choice.GOLD} if n in golds else set() for n in range(len(self.stated))]
        listed: set[int] = set()
        rivals = [
            {token.word for token in tokens(self.text[m.start : m.end])}
            for m in self.offered
            if standing(self.text, m.start, m.end) >= Standing.ASKED
        ]
        for n, clause in enumerate(self.stated):
            for mention in self.held(clause):
                if beside := self._beside(mention, clause):
                    listed.add(n)
                    rivals.append({t.word for t in tokens(self.text[slice(*beside)])})
            is_telling = not (n in golds or clause.is_lead or self._is_step(n, golds[-1]))
            for gold in golds if is_telling else ():
                if left := self._parallel(self.stated[gold], clause):
                    listed |= {n, gold}
                    rivals.append(left)
            if is_telling and self.values(clause):
                sides[n].add(Choice.OTHER)
        for clause, side in zip(self.stated, sides, strict=True):
            said = {token.word for token in clause.said}
            if listed:
                side -= {Choice.OTHER}
            if any(rival <= said for rival in rivals):
                side.add(Choice.OTHER)
        return sides, listed

    def _is_step(self, place: int, last: int) -> bool:
        """Return whether the text goes on from what a clause says, to the gold."""
        named = {token.word for token in self.values(self.stated[place])}
        return bool(named) and any(
            named <= {t.word for t in clause.said} and self.own(clause) > _NOTHING
            for clause in self.stated[place + 1 : last + 1]
        )

    def refer(self, sides: list[set[Choice]], cued: Collection[int]) -> None:
        """Give clauses that say of a numbered fact, or of what a bracket explains, its value."""
        numbers: dict[str, set[Choice]] = {}
        for clause, side in zip(self.stated, sides, strict=True):
            numbers |= dict.fromkeys(clause.cited, side) if len(side) == 1 else {}
        for mention in self.gold:
            if cited := _NUMBERED_AFTER.match(self.text, mention.end):
                numbers[cited[1]] = {Choice.GOLD}
        before: set[Choice] = set()
        for n, clause in enumerate(self.stated):
            if clause.is_aside and not sides[n]:
                sides[n] = before
            before = sides[n]
            holders = [numbers[number] for number in clause.cited if number in numbers]
            if n in cued and not sides[n] and len(holders) == 1:
                sides[n] = holders[0]

    def by_order(self, sides: Sequence[set[Choice]]) -> Choice:
        """Return which clause answers: the first that takes up the question, or says no more."""
        golds = [n for n, side in enumerate(sides) if side == {Choice.GOLD}]
        place, main = golds[0], self.stated[golds[0]]
        opens = not place or main.is_aside or self.text[: main.start].rstrip().endswith(_OPENS)
        is_last = golds[-1] == len(sides) - 1 and self.stated[-1].sentence > self.stated[0].sentence
        if (opens and self.is_bare(main)) or (is_last and self.is_bare(self.stated[-1])):
            return Choice.GOLD
        own = self._taken_up()
        result = Choice.GOLD
        for n, clause in enumerate(self.stated):
            goes_on = self.text[: clause.start].endswith(")") and clause.sentence == main.sentence
            if sides[n] != {Choice.OTHER} or clause.is_aside:
                continue
            if n > place and not goes_on:
                if own[n] > own[place]:
                    is_main = own[place] > _NOTHING or self.is_bare(main)
                    result = Choice.UNSURE if is_main else Choice.OTHER
            elif n < place and own[n] >= own[place]:
                is_near = clause.sentence == main.sentence and not main.is_aside
                if self.is_bare(clause) or (own[n] > _NOTHING and is_near):
                    return Choice.OTHER
                result = Choice.UNSURE if own[n] > _NOTHING else result
        return result

    def _taken_up(self) -> list[int]:
        """Return for each clause the first word of the question that it says, from 0 down."""
        own: list[int] = []
        before = _NOTHING
        for clause in self.stated:
            here = self.own(clause)
            if self.text[: clause.start].endswith(")"):  # It goes on behind a bracket.
                here = max(here, before)
            before = before if clause.is_aside else here
            own.append(here)
        return own

    def own(self, clause: Clause) -> int:
        return max(
            (self.asked.get(_root(token), _NOTHING) for token in clause.said), default=_NOTHING
        )

    def is_bare(self, clause: Clause) -> bool:
        """Return whether a clause says a value and nothing else, but what is asked."""
        rest = self.rest(clause)
        return not rest or (all(t.is_name for t in rest) and len(self.values(clause)) == len(rest))

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
        start = end = len(self.text)
        for token in reversed(self.rest(clause)):
            end = end if self.text[token.end : start] == " " else token.end  # Of a whole name.
            start = token.start
            is_first = token == clause.said[0]
            if self.opening[0].isdigit():
                years = [len(raw) == _YEAR_DIGITS for raw in (token.raw, self.opening)]
                is_kind = token.raw.isdigit() and years[0] == years[1]
            elif self.opening[0].isupper():
                is_verb = is_first and token.word.endswith(("ly", "ed", "ing"))
                is_kind = token.raw[0].isupper() and not is_verb
            else:  # A word at the end may be a value.
                is_kind = token.raw.islower() or is_first
                is_kind &= not re.search(r"\w", self.text[token.end : clause.end])
            stands = standing(self.text[clause.start :], start - clause.start, end - clause.start)
            if is_kind and token.word not in self.known and stands >= Standing.ASKED:
                listed.append(token)
        return listed

    def _parallel(self, gold: Clause, other: Clause) -> set[str]:
        """Return what another clause says in place of the gold, and else the same; none if not."""
        is_new_name = self.text[: gold.start].rstrip().endswith(_DASHES)  # Of what is before it.
        goes_on = gold.said and gold.said[0].word in _POSSESSIVES
        if gold.is_aside or other.is_aside or goes_on:
            return set()
        if is_new_name and gold.sentence == other.sentence and other.start < gold.start:
            return set()
        if gold.cited and other.cited and gold.cited != other.cited and self.is_bare(other):
            return {token.word for token in self.values(other)}
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
        named = [token.is_name or self.text[token.start - 1] == "-" for token in filler]
        is_kind = not self.opening[0].isdigit() or any(t.raw[0].isdigit() for t in filler)
        if self.opening[0].isupper():
            is_kind = all(named) and any(token.raw[0].isupper() for token in filler)
        return set(left) if is_kind else set()

    def _beside(self, gold: Mention, clause: Clause) -> tuple[int, int] | None:
        """Return what stands beside a mention as its alternative: ``A or B``, ``both A and B``."""
        text, is_named = self.text, self.text[gold.start].isupper()
        line = text[clause.start : clause.end].split(",", MOST)
        if len(line) > 2 and is_named and all(map(_is_name, line)):
            return clause.start, clause.end
        start = max(clause.start, gold.start - _WINDOW)
        sides = text[start : gold.start], text[gold.end :][:_WINDOW]
        before, after = (_SOURCE.sub(lambda cited: " " * len(cited[0]), side) for side in sides)
        lead = text[max(0, gold.start - _WINDOW) : gold.start].rpartition(". ")[2]
        is_both = pattern(r"\b(?:%s)\b", "chosen.both").search(lead) or (before, after) != sides
        if is_both and is_named and (listed := _LISTED.match(after)):
            return gold.end + listed.start("other"), gold.end + listed.end("other")
        for match, base in ((_AFTER.match(after), gold.end), (_BEFORE.search(before), start)):
            if match is None or pattern(r"(?-i:(?:%s)\b)", "chosen.no_rival").match(match["other"]):
                continue
            other, joint = match["other"], match["joint"].casefold()
            span = base + match.start("other"), base + match.end("other")
            is_own = any(m.start <= span[0] and span[1] <= m.end for m in self.gold)
            if is_own or re.search(
                r"\b(?:known|called|named) (?:as )?", match.string[: match.end()]
            ):
                continue
            if text[gold.start].isdigit() and joint in ("and", "or", "/"):
                is_rival = other[0].isdigit()
            elif joint == "or" or joint[0] in "/|v" or is_both:
                is_rival = other[0].isupper() or not is_named
            else:
                is_rival = other[0].isupper() and is_named
                is_rival &= _root(tokens(other)[0]) not in self.asked
            if is_rival and standing(text, *span) >= Standing.ASKED:
                return span
        return None


def _is_name(text: str) -> bool:
    said = [token for token in tokens(text) if not token.article]
    named = [token.is_name or token.word in words("names.small") for token in said]
    return 0 < len(said) <= LONGEST and all(named) and not is_function_word(said[0].word)
