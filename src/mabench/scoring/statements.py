"""What the clauses of a text state in answer to a question: a gold and other values.

Another value is stated in the same frame as the gold (``Fact 4 says A. Fact 9 says B``), side by
side with it (``A or B``), or is of the kind of the gold in a clause of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from mabench.scoring.alternatives import LONGEST, alternative_of, ends_at_slot, is_content
from mabench.scoring.clauses import Clause, clauses
from mabench.scoring.lexicon import words
from mabench.scoring.sameness.kin import root
from mabench.scoring.sameness.same import Mention
from mabench.scoring.sameness.wordings import words_of
from mabench.scoring.standing import Standing, standing
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word

_RELATIVE = re.compile(r"\W{0,2}(?:who|whose)\b")
_REASON = re.compile(r"\b(?:because|since|as)\b", re.IGNORECASE)
_JOINTS = frozenset({"and", "or", "but", "so", "then", "now", "also"})
_LINK = re.compile(r"\bof\b|['\u2019]s\b|(?<=\w\s)(?:where|whose|who)\b")
NOTHING = -99  # Behind the last word of a question.


# What a text that states a gold settles on.
Choice = StrEnum("Choice", "GOLD OTHER NONE UNSURE")


def asks_by_steps(question: str | None) -> bool:
    """Return whether a question asks for something of something of another."""
    return len(_LINK.findall(question or "")) > 1


def read_statements(
    text: str, gold: Sequence[Mention], question: str | None, name: str = ""
) -> Reading:
    """Return the clauses of ``plain`` text, to find what they state beside the gold.

    Words of the question and of the gold's name are no other values.
    """
    asked: dict[str, int] = {}
    for token in sorted(tokens(question or ""), key=lambda token: token.is_name):
        if not is_function_word(token.word):
            asked.setdefault(root(token.word), -len(asked))
    known = {token.word for m in gold for token in tokens(text[m.start : m.end])} | words_of(name)
    opening = tokens(text[gold[0].start : gold[0].end])[0].raw
    if any(t.raw == opening.lower() for t in tokens(plain(name))):  # It only opens a sentence.
        opening = opening.lower()
    stated, is_chain = clauses(text, gold), asks_by_steps(question)
    return Reading(text, stated, gold, asked, frozenset(known), opening, is_chain)


class Reading(NamedTuple):
    """A text with its clauses, where it says the gold, and the words that the question asks by."""

    text: str
    stated: Sequence[Clause]
    gold: Sequence[Mention]
    asked: Mapping[str, int]  # The place of each, from 0 down.
    known: frozenset[str]  # Words that are no other value.
    opening: str  # The first word of the gold.
    is_chain: bool  # Whether the question asks for something of something of another.

    def held(self, clause: Clause) -> list[Mention]:
        """Return where a clause says the gold."""
        return [mention for mention in self.gold if clause.holds(mention.start)]

    def own(self, clause: Clause) -> int:
        """Return the place of the first word of the question that a clause says, from 0 down."""
        said = [t for t in clause.said if not any(m.start <= t.start < m.end for m in self.gold)]
        return max((self.asked.get(root(token.word), NOTHING) for token in said), default=NOTHING)

    def is_bare(self, clause: Clause) -> bool:
        """Return whether a clause says a value and nothing else, but what is asked."""
        rest = self.rest(clause)
        is_kind = self.opening[0].islower() or all(token.is_name for token in rest)
        return is_kind and len(self.values(clause)) == len(rest)

    def rest(self, clause: Clause) -> list[Token]:
        """Return the words of a clause that are neither the gold's nor the question's nor noise."""
        return [
            token
            for token in clause.said
            if is_content(token) and root(token.word) not in self.asked
            if not any(m.start <= token.start < m.end for m in self.gold)
        ]

    def values(self, clause: Clause) -> list[Token]:
        """Return the words of a clause that may be another value of the kind of the gold."""
        runs: list[list[Token]] = []  # Words that follow one another stand alike.
        for token in self.rest(clause):
            is_first = token == clause.said[0]
            if self.opening[0].isdigit():
                is_kind = self._is_number_like_gold(token)
            elif self.opening[0].isupper():
                is_verb = is_first and token.word.endswith(("ly", "ed", "ing"))
                is_kind = token.raw[0].isupper() and not is_verb
            else:  # A word at the end may be a value.
                is_kind = token.raw.islower() or (is_first and token.raw.isalpha())
                is_kind &= not re.search(r"\w", self.text[token.end : clause.end])
                is_kind &= not token.word.endswith(("ly", "ed")) and self._is_in_slot(clause, token)
            if is_kind and token.word not in self.known:
                goes_on = runs and self.text[runs[-1][-1].end : token.start] == " "
                runs = [*runs[:-1], [*runs[-1], token]] if goes_on else [*runs, [token]]
        begin = 0 if clause.is_aside else clause.start
        text, listed = self.text[begin:], list[Token]()
        for run in runs:
            end = run[-1].end
            for token in clause.said:  # Words that are known may belong to its name.
                follows = token.is_name and self.text[end : token.start] == " "
                end = token.end if follows else end
            if standing(text, run[0].start - begin, end - begin) >= Standing.ASKED:
                listed += run
        return listed

    def _is_in_slot(self, clause: Clause, token: Token) -> bool:
        """Return whether a word, with those that belong to it, stands where a value may."""
        start, before = token.start, [t for t in clause.said if t.start < token.start]
        while before and is_content(before[-1]) and self.text[before[-1].end : start] == " ":
            start = before.pop().start
        is_first = {t.word for t in before if not t.article} <= _JOINTS
        return is_first or ends_at_slot(self.text[clause.start : start])

    def _is_number_like_gold(self, token: Token) -> bool:
        years = {len(raw) == len("1999") for raw in (token.raw, self.opening)}
        noun = re.match(r" ([a-z]+)", self.text[token.end :])
        months = words("quantities.months")
        counts = noun is not None and not (is_function_word(noun[1]) or noun[1] in months)
        is_alike = not counts if len(self.known) > 1 else len(years) == 1  # A day, or a year.
        return token.raw.isdigit() and self.opening[0].isdigit() and is_alike

    def sides(self, offered: Sequence[Mention]) -> tuple[list[set[Choice]], set[int]]:
        """Return what each clause states, and which clauses list the gold and other values."""
        golds = [n for n, clause in enumerate(self.stated) if self.held(clause)]
        sides = [{Choice.GOLD} if n in golds else set() for n in range(len(self.stated))]
        listed: set[int] = set()
        reasoned = -1  # The sentence that goes on to give a reason, which offers nothing.
        rivals = [{t.word for t in tokens(self.text[m.start : m.end])} for m in offered]
        for n, clause in enumerate(self.stated):
            for mention in self.held(clause):
                if beside := alternative_of(
                    mention, self.text, clause.start, self.known, self.asked
                ):
                    listed.add(n)
                    rivals.append({token.word for token in tokens(beside)})
            between = self.text[self.stated[n - 1].end : clause.start] if n else ""
            if n and clause.sentence == self.stated[n - 1].sentence and _REASON.search(between):
                reasoned = clause.sentence
            if n in golds or clause.is_lead or clause.sentence == reasoned:
                continue
            labels = [self._label(place) for place in (n, golds[-1]) if self.is_chain]
            if n < golds[-1] and all(labels) and len(labels) > 1 and labels[0] != labels[1]:
                continue  # "Spouse: Ann. Citizenship: Norway"
            named = {token.word for token in self.values(clause)}
            new = named.difference(*({t.word for t in c.said} for c in self.stated[:n])) or named
            if named and self._goes_on(n, golds, new):
                continue
            for gold in golds:
                if left := self.parallel(self.stated[gold], clause):
                    listed |= {n, gold}
                    rivals.append(left)
            if named:
                sides[n].add(Choice.OTHER)
        for clause, side in zip(self.stated, sides, strict=True):
            said = {token.word for token in clause.said}
            if listed:
                side -= {Choice.OTHER}
            if any(rival <= said for rival in rivals):
                side.add(Choice.OTHER)
        return sides, listed

    def _goes_on(self, place: int, golds: Sequence[int], named: set[str]) -> bool:
        """Return whether what a clause names is a step to the gold: the text says more of it."""
        after = self.stated[place + 1 : place + 2]
        if self.is_chain and place + 1 in golds and _RELATIVE.match(self.text, after[0].start):
            return True
        return any(
            named <= {t.word for t in other.said}
            and (self.own(other) > NOTHING or other.said[0].word in named)
            for other in self.stated[place + 1 : golds[-1] + 1]
        )

    def _label(self, place: int) -> list[str]:
        """Return the words that lead up to a clause."""
        lead = self.stated[place - 1] if place else None
        return [t.word for t in lead.said if is_content(t)] if lead and lead.is_lead else []

    def parallel(self, gold: Clause, other: Clause) -> set[str]:
        """Return what another clause says in place of the gold, and else the same; none if not."""
        mentions = self.held(gold)
        frame = Counter(
            token.word
            for token in gold.said
            if is_content(token) and not any(m.start <= token.start < m.end for m in mentions)
        )
        said = [token for token in other.said if is_content(token)]
        left = Counter(token.word for token in said) - frame
        values = {token.word for token in self.values(other) if not self.opening[0].islower()}
        if values and gold.cited and other.cited and gold.cited.isdisjoint(other.cited):
            is_step = self.is_chain and frame and left.total() == len(said)
            return set() if is_step else values
        if gold.is_aside or other.is_aside:
            return set()
        filler = [token for token in said if token.word in left]
        if frame - Counter(t.word for t in said) or not 0 < left.total() <= LONGEST:
            return set()
        ends = filler[0], filler[-1]
        if min(standing(self.text, token.start, token.end) for token in ends) < Standing.REASON:
            return set()
        if frame.total() > 1:
            return set(left)
        if not frame and bool(gold.cited) != bool(other.cited):
            return set()  # An answer, and a fact that is cited to explain it.
        links, others = (
            {t.word for t in clause.said if not is_content(t) and not t.article}
            for clause in (gold, other)
        )
        if not frame and self.opening[0].islower() and others - links - _JOINTS:
            return set()  # "I found it in my memory" is said of what stands alone.
        is_kind = any(self._is_number_like_gold(token) for token in filler)
        if self.opening[0].isupper():
            named = [token.is_name or self.text[token.start - 1] == "-" for token in filler]
            is_kind = all(named) and any(token.raw[0].isupper() for token in filler)
        elif self.opening[0].islower():  # What somebody did is no thing.
            is_short = left.total() <= max(2, len(self.known))
            is_kind |= is_short and not any(token.raw[0].isdigit() for token in filler)
        return set(left) if is_kind else set()
