"""The clauses of a text, and what they state in answer to a question: a gold and other values.

Another value is stated in the same frame as the gold (``Fact 4 says A. Fact 9 says B``), side by
side with it (``A or B``), or is of the kind of the gold in a clause of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from mabench.scoring.alternatives import LONGEST, alternative_of, ends_at_slot, is_content, is_value
from mabench.scoring.lexicon import pattern, words
from mabench.scoring.sameness.kin import root
from mabench.scoring.sameness.same import Mention
from mabench.scoring.sameness.wordings import is_place, words_of
from mabench.scoring.standing import Standing, sentences, standing
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word

_MOST = 40  # Clauses that are compared.
_NUMBERED = re.compile(
    r"(?:fact|document|entry|statement|memory|record|item|line|no\.?|#)s?\s*(?:number )?#?(\d+)",
    re.IGNORECASE,
)
_LEADS = frozenset(":-\u2192")
_ASIDE = re.compile(
    r".?\(|(?:,\s|.?[\u2013\u2014]|-\s)(?:an?|the(?! other)|i\.?e|that is|also|aka|namely"
    r"|or rather|in other words|specifically)\b"
)
_TAIL = re.compile(r",\s(?=(?P<same>(?:\d+ )?[a-z])?)")
_RELATIVE = re.compile(r"\W{0,2}(?:who|whose)\b")
_REASON = re.compile(r"\b(?:because|since|as)\b", re.IGNORECASE)
_JOINTS = frozenset({"and", "or", "but", "so", "then", "now", "also"})
_LINK = re.compile(r"\bof\b|['\u2019]s\b")
NOTHING = -99  # Behind the last word of a question.


# What a text that states a gold settles on.
Choice = StrEnum("Choice", "GOLD OTHER NONE UNSURE")


class Clause(NamedTuple):
    """A clause: where, in which sentence, its words but those of whom it cites, their numbers.

    One that leads up to the next is no statement, and one in brackets only explains.
    """

    start: int
    end: int
    sentence: int
    said: tuple[Token, ...]
    cited: frozenset[str]
    is_lead: bool
    is_aside: bool

    def holds(self, place: int) -> bool:
        """Return whether a place is in it."""
        return self.start <= place < self.end


def clauses(text: str, kept: Sequence[Mention] = ()) -> list[Clause]:
    """Return the first clauses of ``plain`` text; nothing that is kept is cut in two."""
    cites = pattern(
        r"(?:\b(?:in |per |from |by )?(?:%s)\b[:,]?\s*)(?:\b(?:%s)\b:?)?(?:\s+that\b)?",
        *("chosen.sources", "chosen.verbs"),
    )
    every = tokens(text)
    starts = [token.start for token in every]
    listed: list[Clause] = []
    for sentence, bounds in enumerate(sentences(text)[:_MOST]):
        for start, end in _parts(text, *bounds, sentence, kept):
            numbers = [*_NUMBERED.finditer(text, start, end)]
            spans = [match.span() for match in (*cites.finditer(text, start, end), *numbers)]
            said = [
                token
                for token in every[bisect_left(starts, start) : bisect_left(starts, end)]
                if not any(a <= token.start < b for a, b in spans)
            ]
            cited = frozenset(match[1] for match in numbers)
            cited = cited or frozenset(text[a:b].strip() for a, b in spans)
            is_lead = text[end : end + 1] in _LEADS and not text[:end].endswith("\n")
            is_aside = _ASIDE.match(text, max(0, start - 2))
            if said or cited:
                listed.append(
                    Clause(start, end, sentence, tuple(said), cited, is_lead, bool(is_aside))
                )
    return listed[:_MOST]


def _parts(
    text: str, first: int, last: int, sentence: int, kept: Sequence[Mention]
) -> list[tuple[int, int]]:
    """Return where the clauses of a sentence start and end."""
    found = islice(pattern(r"%s", "chosen.cuts").finditer(text, first, last), _MOST)
    cuts = {cut.span() for cut in found}
    comma = None if sentence else _TAIL.search(text, first, last)
    if comma and is_value(text[first : comma.start()]):
        tail, *rest = (part.strip(" .!?") for part in text[comma.end() : last].split(","))
        is_city = is_place(tail) and not (rest and is_place(rest[0]))  # London, England
        if comma["same"] or (is_value(tail) and not is_city):
            cuts.add(comma.span())
    bounds = [
        cut
        for cut in sorted(cuts)[:_MOST]
        if not any(m.start < cut[1] and cut[0] < m.end for m in kept)
    ]
    starts = [first, *(end for _, end in bounds)]
    return list(zip(starts, [*(start for start, _ in bounds), last], strict=True))


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
    is_chain = len(_LINK.findall(question or "")) > 1
    return Reading(text, clauses(text, gold), gold, asked, frozenset(known), opening, is_chain)


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
        return max((self.asked.get(root(t.word), NOTHING) for t in clause.said), default=NOTHING)

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

    def parallel(self, gold: Clause, other: Clause) -> set[str]:
        """Return what another clause says in place of the gold, and else the same; none if not."""
        values = {token.word for token in self.values(other) if not self.opening[0].islower()}
        if values and gold.cited and other.cited and gold.cited.isdisjoint(other.cited):
            return values
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
