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
        found = self._telling(question)
        if not found:
            return None
        sentences = (self._search.sentences[place].text for place, _ in found)
        evidence = list(dict.fromkeys(sentences))
        answer = inferred_answer(question, query, self._search)
        if answer is None:
            spans = best_spans(question, found, self._search)
            shown = [] if self._history.passages and spans else evidence[:_EVIDENCE]
            answer = "\n".join([*spans[:1], *shown])
        return Answer(answer, retrieved=evidence)

    def _telling(self, question: str) -> list[Hit]:
        """Return sentences that say more than the question, the best first.

        Among dated ones about as good as the best, what was said last counts most.
        """
        asked = set(stems(question))
        sentences = self._search.sentences
        found = self._search.find(question, _DEPTH)
        found = [f for f in found if not asked.issuperset(sentences[f.place].words)]
        best = [f for f in found if f.score >= _AS_GOOD * found[0].score]
        if not any(sentences[f.place].day for f in best):
            return found
        best.sort(key=lambda f: sentences[f.place].day or date.min, reverse=True)
        top = found[0].score
        dated = [Hit(f.place, top * _OLDER**rank) for rank, f in enumerate(best)]
        return dated + [f for f in found[len(best) :] if f.score <= dated[-1].score]

    @cached_property
    def _search(self) -> Search:
        return Search(sentences_in(self._history.text))


def learn(history: History) -> SearchSkill:
    """Index the sentences of ``history``, once a question asks for it."""
    return SearchSkill(history)
