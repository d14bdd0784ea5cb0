"""The skill: answers a question with a span of the sentences that say most of it."""

from __future__ import annotations

from datetime import date
from functools import cached_property

from mabench.agents.floor.qa.inference import inferred_answer
from mabench.agents.floor.qa.search import Hit, Search
from mabench.agents.floor.qa.spans import best_spans
from mabench.agents.floor.sentences import sentences_in, stems
from mabench.agents.floor.skill import History
from mabench.contract.interfaces import Answer, Query

_DEPTH = 10
_EVIDENCE = 3  # Sentences after the span; none from passages, which are reported anyway.
_AS_GOOD = 0.9
_OLDER = 0.7  # What a sentence counts for beside one as good that was said after it.


class SearchSkill:
    """Answers a question with a span of the history, and after it what it was read from.

    From passages it returns the span alone.
    """

    def __init__(self, history: History) -> None:
        self._history = history

    def answer(self, query: Query) -> Answer | None:
        """Return the best span on a line of its own, then sentences within the budget."""
        question = min(query.question, query.search_query, key=len)
        hits = self._best_hits(question)
        if not hits:
            return None
        sentences = (self._search.sentences[place].text for place, _ in hits)
        evidence = list(dict.fromkeys(sentences))
        answer = inferred_answer(question, query, self._search)
        if answer is None:
            spans = best_spans(question, hits, self._search)
            shown = [] if self._history.passages and spans else evidence[:_EVIDENCE]
            answer = "\n".join([*spans[:1], *shown])
        return Answer(answer, retrieved=evidence)

    def _best_hits(self, question: str) -> list[Hit]:
        """Return sentences that say more than the question, the best first.

        Among dated ones about as good as the best, what was said last counts most. Of two in
        passages that are just as good, the later comes first.
        """
        asked = set(stems(question))
        sentences = self._search.sentences
        hits = self._search.find(question, _DEPTH)
        hits = [hit for hit in hits if not asked.issuperset(sentences[hit.place].words)]
        if self._history.passages:
            hits.sort(key=lambda hit: (-hit.score, -hit.place))
        best = [hit for hit in hits if hit.score >= _AS_GOOD * hits[0].score]
        if not any(sentences[hit.place].day for hit in best):
            return hits
        best.sort(key=lambda hit: sentences[hit.place].day or date.min, reverse=True)
        top = hits[0].score
        dated = [Hit(hit.place, top * _OLDER**rank) for rank, hit in enumerate(best)]
        return dated + [hit for hit in hits[len(best) :] if hit.score <= dated[-1].score]

    @cached_property
    def _search(self) -> Search:
        return Search(sentences_in(self._history.text))


def learn(history: History) -> SearchSkill:
    """Index the sentences of ``history``, once a question asks for it."""
    return SearchSkill(history)
