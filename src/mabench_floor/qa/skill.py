"""The skill that answers a question with a span from the sentences that fit it best."""

from __future__ import annotations

from datetime import date
from functools import cached_property

from mabench.contract.interfaces import Answer, Query
from mabench_floor.qa.evidence import best_span
from mabench_floor.qa.inference import inferred_answer
from mabench_floor.qa.search import Hit, Search
from mabench_floor.sentences import sentences_in, stems
from mabench_floor.skill import History

# These numbers are plain choices. How many sentences are read, reported, and put after the span.
_DEPTH = 14
_REPORTED = 10
_EVIDENCE = 3
_AS_GOOD = 0.9
# In how many words two sentences differ if one of them replaces a thing by another.
_REPLACED = 2
# The weight of a sentence relative to one that fits equally well and is later.
_OLDER = 0.7


class SearchSkill:
    """Answers a question with a span of the history, and reports the sentences that it came from.

    Sentences are in the answer if there is no span, or if the history asks for evidence: then they
    follow the span, on lines of their own.
    """

    def __init__(self, history: History) -> None:
        self._history = history

    @property
    def reads_passages(self) -> bool:
        """Whether it reads passages found for one question, rather than a whole history."""
        return self._history.passages

    def answer(self, query: Query) -> Answer | None:
        """Return what can be inferred from the history, else the best span in it."""
        question = min(query.question, query.search_query, key=len)
        inferred = inferred_answer(question, query, self.search)
        hits = self.best_hits(question)
        if not hits:
            return None
        evidence = list(dict.fromkeys(self.search.sentences[hit.place].text for hit in hits))
        if inferred is not None:
            return Answer(inferred, retrieved=evidence[:_REPORTED])
        span = best_span(question, hits, self.search)
        lines = [span] if span else []
        if self._history.evidence or not span:
            lines += evidence[:_EVIDENCE]
        return Answer("\n".join(lines), retrieved=evidence[:_REPORTED])

    def best_hits(self, question: str) -> list[Hit]:
        """Return sentences that say more than the question, the best first.

        Among dated sentences that fit about equally well, later ones come first. So do later
        passages that fit equally well. A sentence that says the same about another thing is left
        out.
        """
        asked = set(stems(question))
        sentences = self.search.sentences
        found = self.search.find(question, _DEPTH)
        hits = [hit for hit in found if not asked.issuperset(sentences[hit.place].words)]
        if self._history.passages:
            hits.sort(key=lambda hit: (-hit.score, -hit.place))
            hits = [hit for n, hit in enumerate(hits) if not self._superseded(hit, hits[:n])]
        return self._latest_first(hits) if hits else []

    def _latest_first(self, hits: list[Hit]) -> list[Hit]:
        """Put later sentences first among those that fit about as well as the best, if dated.

        They get scores in this order. Others are left out if they now fit better than the last.
        """
        sentences, top = self.search.sentences, hits[0].score
        best = [hit for hit in hits if hit.score >= _AS_GOOD * top]
        others = [hit for hit in hits if hit.score < _AS_GOOD * top]
        if not any(sentences[hit.place].day for hit in best):
            return hits
        best.sort(key=lambda hit: sentences[hit.place].day or date.min, reverse=True)
        dated = [hit._replace(score=top * _OLDER**rank) for rank, hit in enumerate(best)]
        return dated + [hit for hit in others if hit.score <= dated[-1].score]

    def _superseded(self, hit: Hit, others: list[Hit]) -> bool:
        """Return whether a later sentence says the same but for one word, and fits as well."""
        words = set(self.search.sentences[hit.place].words)
        for other in others:
            different = words.symmetric_difference(self.search.sentences[other.place].words)
            if other.score == hit.score and len(different) <= _REPLACED:
                return True
        return False

    @cached_property
    def search(self) -> Search:
        """The search over the history, made when a question first needs it."""
        return Search(sentences_in(self._history.text))


learn = SearchSkill
