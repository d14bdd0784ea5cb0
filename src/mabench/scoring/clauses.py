"""The clauses of a text: what each says, whom it cites, and whether it only explains."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from mabench.scoring.lexicon import pattern, words
from mabench.scoring.sameness.same import Mention
from mabench.scoring.sameness.wordings import is_place
from mabench.scoring.standing import sentences
from mabench.scoring.tokens import Token, tokens
from mabench.text.stems import is_function_word

MOST = 40  # Clauses that are compared.
LONGEST = 6  # Words of a value.
_NUMBERED = re.compile(r"(?:fact|document|entry|statement|line|no\.?|#)s?\s*#?(\d+)", re.IGNORECASE)
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
    for sentence, bounds in enumerate(sentences(text)[:MOST]):
        for start, end in _parts(text, *bounds, sentence, kept):
            spans = [match.span() for match in cites.finditer(text, start, end)]
            said = [
                token
                for token in every[bisect_left(starts, start) : bisect_left(starts, end)]
                if not any(a <= token.start < b for a, b in spans)
            ]
            cited = frozenset(match[1] for match in _NUMBERED.finditer(text, start, end))
            cited = cited or frozenset(text[a:b].strip() for a, b in spans)
            is_lead = text[end : end + 1] in _LEADS and not text[:end].endswith("\n")
            is_aside = _ASIDE.match(text, max(0, start - 2))
            if said or cited:
                listed.append(
                    Clause(start, end, sentence, tuple(said), cited, is_lead, bool(is_aside))
                )
    return listed[:MOST]


def _parts(
    text: str, first: int, last: int, sentence: int, kept: Sequence[Mention]
) -> list[tuple[int, int]]:
    """Return where the clauses of a sentence start and end."""
    found = islice(pattern(r"%s", "chosen.cuts").finditer(text, first, last), MOST)
    cuts = {cut.span() for cut in found}
    comma = None if sentence else _TAIL.search(text, first, last)
    if comma and _is_value(text[first : comma.start()]):
        tail = text[comma.end() : last].strip(" .!?")
        if comma["same"] or (_is_value(tail) and not is_place(tail)):
            cuts.add(comma.span())
    bounds = [
        cut
        for cut in sorted(cuts)[:MOST]
        if not any(m.start < cut[1] and cut[0] < m.end for m in kept)
    ]
    starts = [first, *(end for _, end in bounds)]
    return list(zip(starts, [*(start for start, _ in bounds), last], strict=True))


def is_content(token: Token) -> bool:
    """Return whether a word may belong to a value: it is no function word and no noise."""
    noise = words("chosen.says", "standing.passes")
    return not (is_function_word(token.word) or token.word in noise)


def _is_value(text: str) -> bool:
    """Return whether a text is a value by itself, with no more than a preposition before it."""
    said = [t for t in tokens(text) if not t.article and t.word not in words("names.small")]
    return 0 < len(said) <= LONGEST and not any(is_function_word(t.word) for t in said)
