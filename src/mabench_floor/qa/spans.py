"""Spans of the sentences found that may answer a question, and how well each would."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from mabench.text.stems import tokens
from mabench_floor.qa.candidates import spans_in
from mabench_floor.qa.evidence import Sighting
from mabench_floor.qa.holders import holder_of
from mabench_floor.qa.questions import Asked, asked_by
from mabench_floor.qa.search import Hit, Search

_HALF = 0.5
Reading = tuple[str, Sequence[Hit]]


def best_spans(question: str, hits: Sequence[Hit], search: Search) -> list[str]:
    """Return spans of the sentences found that may answer ``question``, the best first."""
    return spans_of_all([(question, hits)], search)


def spans_of_all(readings: Sequence[Reading], search: Search) -> list[str]:
    """Return spans that may answer a question, put in several wordings, the best first.

    A phrase comes before the best span where it holds that span and has half as many votes.
    """
    found = weighed_spans(readings, search)
    best, most = found[0] if found else ("", 0.0)
    longer = [each for each, votes in found[1:] if votes >= _HALF * most and _holds(each, best)]
    return list(dict.fromkeys([*longer[:1], *(span for span, _ in found)]))


def weighed_spans(readings: Sequence[Reading], search: Search) -> list[tuple[str, float]]:
    """Return spans that may answer a question, and the votes for each, the best first.

    A span is a date or number where the question asks for one, else any name or noun phrase. It
    counts by what speaks for it where it stands, and the more, the more sentences hold it. Each
    wording, with the sentences found for it, has one vote to divide among its spans.
    """
    votes: defaultdict[str, float] = defaultdict(float)
    forms: dict[str, tuple[float, str]] = {}
    for question, hits in readings:
        seen = list(_sightings(question, hits, search))
        total = math.fsum(vote for _, vote in seen)
        for text, vote in seen:
            key = " ".join(tokens(text))
            votes[key] += vote / total
            forms[key] = max(forms.get(key, (0.0, "")), (vote / total, text))
    best = sorted(votes, key=lambda key: -votes[key])
    return [(forms[key][1], votes[key]) for key in best]


def _holds(phrase: str, span: str) -> bool:
    """Say whether the words of ``span`` stand in ``phrase``, side by side."""
    return f" {' '.join(tokens(span))} " in f" {' '.join(tokens(phrase))} "


def _sightings(question: str, hits: Sequence[Hit], search: Search) -> list[tuple[str, float]]:
    """Return each span found, and the odds that its place gives it."""
    found: list[tuple[str, float]] = []
    is_verb = search.lexicon.is_verb
    holder = holder_of(question, is_verb)
    whole = asked_by(question, is_verb)._replace(holder=holder.noun, said=holder.said)
    for hit in hits:
        asked = _left_to_say(whole, hit, search)
        seen = Sighting.of(asked, whole, hit, hits[0].score, search)
        spans = spans_in(search.sentences[hit.place].text, asked, search.lexicon)
        found += [(span.text, math.exp(seen.weight(span))) for span in spans]
    return found


def _left_to_say(asked: Asked, hit: Hit, search: Search) -> Asked:
    """Return what is left of a question after the sentence that led to a hit."""
    if hit.start is None:
        return asked
    left = asked.words.difference(search.sentences[hit.start].words)
    return asked._replace(words=left.union(hit.name, asked.said & asked.words)) if left else asked
