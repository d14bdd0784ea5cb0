"""Spans of the sentences found that may answer a question, and how well each would."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from mabench.agents.floor.qa.candidates import spans_in
from mabench.agents.floor.qa.evidence import Sighting
from mabench.agents.floor.qa.questions import Asked, asked_by
from mabench.agents.floor.qa.search import Hit, Search
from mabench.text.stems import tokens


def best_spans(question: str, hits: Sequence[Hit], search: Search) -> list[str]:
    """Return spans of the sentences found that may answer ``question``, the best first.

    A span is a date or number where the question asks for one, else any name or noun phrase. It
    counts by what speaks for it where it stands, and the more, the more sentences hold it.
    """
    votes: defaultdict[str, float] = defaultdict(float)
    forms: dict[str, tuple[float, str]] = {}
    whole = asked_by(question, search.lexicon.is_verb)
    for hit in hits:
        sentence = search.sentences[hit.place].text
        asked = _left_to_say(whole, hit, search)
        seen = Sighting.of(sentence, asked, hit, hits[0].score, search)
        for span in spans_in(sentence, asked, search.lexicon):
            vote = math.exp(seen.weight(span))
            key = " ".join(tokens(span.text))
            votes[key] += vote
            forms[key] = max(forms.get(key, (0.0, "")), (vote, span.text))
    return [forms[key][1] for key in sorted(votes, key=lambda key: -votes[key])]


def _left_to_say(asked: Asked, hit: Hit, search: Search) -> Asked:
    """Return what is left of a question after the sentence that led to a hit."""
    if hit.start is None:
        return asked
    left = asked.words.difference(search.sentences[hit.start].words)
    return asked._replace(words=left.union(hit.name)) if left else asked
