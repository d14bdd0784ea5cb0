"""The clauses of a text: its sentences, cut where they go on to say something else."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from mabench.scoring.alternatives import is_value
from mabench.scoring.lexicon import pattern
from mabench.scoring.sameness.same import Mention
from mabench.scoring.sameness.wordings import is_place
from mabench.scoring.standing import sentences
from mabench.scoring.tokens import Token, tokens

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
            is_aside = _ASIDE.match(text, max(0, start - 2)) is not None
            opened = text.rfind("(", bounds[0], start)
            is_inside = opened > text.rfind(")", bounds[0], start)
            is_aside |= is_inside and bool(re.search(r"\w\s$", text[:opened]))
            if said or cited:
                listed.append(Clause(start, end, sentence, tuple(said), cited, is_lead, is_aside))
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
        is_city = is_place(tail) is not (bool(rest) and is_place(rest[0]))  # London, England
        if comma["same"] or (is_value(tail) and not is_city):
            cuts.add(comma.span())
    bounds = [
        cut
        for cut in sorted(cuts)[:_MOST]
        if not any(m.start < cut[1] and cut[0] < m.end for m in kept)
    ]
    starts = [first, *(end for _, end in bounds)]
    return list(zip(starts, [*(start for start, _ in bounds), last], strict=True))
