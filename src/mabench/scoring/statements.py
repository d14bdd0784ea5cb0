"""What a text states in answer to a question: the gold, other values, and where it lists them.

Another value is stated in the same frame as the gold (``Fact 4 says A. Fact 9 says B``), side by
side with it (``A or B``), or is of the kind of the gold in a clause of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from mabench.scoring.clauses import LONGEST, NUMBERED, Clause, clauses, is_content
from mabench.scoring.lexicon import pattern
from mabench.scoring.sameness.same import Mention
from mabench.scoring.sameness.wordings import words_of
from mabench.scoring.standing import Standing, standing
from mabench.scoring.tokens import Token, tokens
from mabench.text.stems import is_function_word, stem

_NUMBERED_AFTER = re.compile(rf"[\s(\[,]*(?:according to |in )?{NUMBERED.pattern}", re.IGNORECASE)
_DASHES = ("-", "\u2013", "\u2014")
_POSSESSIVES = frozenset({"its", "his", "her", "their"})
_YEAR_DIGITS = 4
_WINDOW = 80
NOTHING = -99  # Behind the last word of a question.
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


class Choice(StrEnum):
    """What a text that states a gold settles on."""

    GOLD = "gold"
    OTHER = "other"
    NONE = "none"
    UNSURE = "unsure"


def read_statements(
    text: str,
    gold: Sequence[Mention],
    question: str | None,
    offered: Sequence[Mention] = (),
    name: str = "",
) -> Reading:
    """Return a ``plain`` text as clauses, to find what they state in answer to a question.

    Args:
        text: the text.
        gold: where it asserts the gold.
        question: the question, whose words are no values.
        offered: where it says what the question offers beside the gold.
        name: the gold, whose words are no other value.
    """
    asked: dict[str, int] = {}
    for token in sorted(tokens(question or ""), key=lambda token: token.is_name):
        if not is_function_word(token.word):
            asked.setdefault(_root(token), -len(asked))
    known = {token.word for m in gold for token in tokens(text[m.start : m.end])}
    known |= words_of(name)
    opening = tokens(text[gold[0].start :])[0].raw if gold else ""
    return Reading(text, clauses(text, gold), gold, offered, asked, frozenset(known), opening)


def _root(token: Token) -> str:
    """Return what is common to a doing, who does it and the state of it."""
    return re.sub("(?:er|or|ship)$", "", stem(token.word))


class Reading(NamedTuple):
    """A text with its clauses, where it says the gold, and the words that the question asks by."""

    text: str
    stated: Sequence[Clause]
    gold: Sequence[Mention]
    offered: Sequence[Mention]
    asked: Mapping[str, int]
    known: frozenset[str]
    opening: str

    def held(self, clause: Clause) -> list[Mention]:
        """Return where a clause says the gold."""
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
            named <= {t.word for t in clause.said} and self.own(clause) > NOTHING
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

    def own(self, clause: Clause) -> int:
        """Return the place of the first word of the question that a clause says, from 0 down."""
        return max(
            (self.asked.get(_root(token), NOTHING) for token in clause.said), default=NOTHING
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
        is_cited = gold.cited and other.cited and gold.cited != other.cited
        own = {token.word for token in self.values(other)} if is_cited else set()
        if own and self.is_bare(other):
            return own
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
        elif self.opening[0].islower():  # What somebody did is no thing.
            is_dated = any(token.raw[0].isdigit() for token in filler)
            is_kind = is_dated or left.total() <= max(2, len(self.known))
        return set(left) if is_kind else set()

    def _beside(self, gold: Mention, clause: Clause) -> tuple[int, int] | None:
        """Return what stands beside a mention as its alternative: ``A or B``, ``both A and B``."""
        text, is_named = self.text, self.text[gold.start].isupper()
        start = max(clause.start, gold.start - _WINDOW)
        sides = text[start : gold.start], text[gold.end :][:_WINDOW]
        before, after = (_SOURCE.sub(lambda cited: " " * len(cited[0]), side) for side in sides)
        lead = text[max(0, gold.start - _WINDOW) : gold.start].rpartition(". ")[2]
        is_both = pattern(r"\b(?:%s)\b", "chosen.both").search(lead) or (before, after) != sides
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
