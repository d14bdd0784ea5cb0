"""Finding facts: the skill."""

from __future__ import annotations

from functools import cached_property

from mabench.agents.extractive.kinds import wanted
from mabench.agents.floor.finding.search import Search
from mabench.agents.floor.finding.sentences import sentences_in
from mabench.agents.floor.finding.spans import best_spans
from mabench.agents.floor.skill import History
from mabench.agents.interfaces import Answer, Query
from mabench.text import estimate_tokens

_DEPTH = 10
_EVIDENCE = 3


class Finding:
    """Answers a question with a span of the history, and after it what it was read from."""

    def __init__(self, history: History) -> None:
        self._history = history

    def answer(self, query: Query) -> Answer | None:
        """Return the best span on a line of its own, then sentences within the budget."""
        question = min(query.question, query.search_query, key=len)
        found = self._search.find(question, _DEPTH)
        if not found:
            return None
        evidence = [self._search.sentences[place].text for place, _ in found]
        spans = best_spans(question, found, self._search)
        return Answer("\n".join([*spans[:1], *evidence[:_EVIDENCE]]), retrieved=evidence)

    @cached_property
    def _search(self) -> Search:
        return Search(sentences_in(self._history.text))


def learn(history: History) -> Finding:
    """Index the sentences of ``history``, once a question asks for it."""
    return Finding(history)
