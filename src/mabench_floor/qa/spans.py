"""Spans of the sentences found that may answer a question, and how well each would."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from mabench.text.stems import tokens
from mabench_floor.qa.candidates import Span, spans_in
from mabench_floor.qa.evidence import Sighting
from mabench_floor.qa.holders import holder_of
from mabench_floor.qa.questions import Asked, asked_by
from mabench_floor.qa.search import Hit, Search


def weighed_spans(question: str, hits: Sequence[Hit], search: Search) -> list[tuple[str, float]]:
    """Return spans that may answer a question, and the share of the votes for each, best first.

    A span is a date or number where the question asks for one, else any name or noun phrase. It
    counts by what speaks for it where it stands, and the more, the more sentences hold it.
    """
    votes: defaultdict[str, float] = defaultdict(float)
    forms: dict[str, tuple[float, str]] = {}
    for seen, span in sightings(question, hits, search):
        vote = math.exp(seen.weight(span))
        key = " ".join(tokens(span.text))
        votes[key] += vote
        forms[key] = max(forms.get(key, (0.0, "")), (vote, span.text))
    total = math.fsum(votes.values())
    best = sorted(votes, key=lambda key: -votes[key])
    return [(forms[key][1], votes[key] / total) for key in best]


def sightings(
    question: str, hits: Sequence[Hit], search: Search
) -> Iterator[tuple[Sighting, Span]]:
    """Yield each span of the sentences found, with the sentence that it stands in."""
    holder = holder_of(question, search.lexicon.is_verb)
    whole = asked_by(question, search.lexicon.is_verb)
    whole = whole._replace(holder=holder.noun, held=holder.words & whole.words)
    for hit in hits:
        asked = _left_to_say(whole, hit, search)
        seen = Sighting.of(asked, whole, hit, hits[0].score, search)
        for span in spans_in(seen.text, asked, search.lexicon):
            yield seen, span


def _left_to_say(asked: Asked, hit: Hit, search: Search) -> Asked:
    """Return what is left of a question after the sentence that led to a hit."""
    if hit.start is None:
        return asked
    left = asked.words.difference(search.sentences[hit.start].words)
    return asked._replace(words=left.union(hit.name, asked.held)) if left else asked
