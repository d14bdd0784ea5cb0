"""The reader: decides what a query asks for by its form, and cuts the answer to the budget."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.agents.choices import UNKNOWN, as_answer, guess, offered
from mabench.agents.extractive.demonstrations import demonstrations_in, majority_value
from mabench.agents.floor.recommendation.dialogues import is_open_dialogue
from mabench.agents.extractive.options import best_option
from mabench.agents.extractive.recommendations import recommended
from mabench.agents.extractive.selection import best_statement
from mabench.agents.extractive.spans import answer_span
from mabench.agents.extractive.summaries import asks_for_summary, extract
from mabench.contract.interfaces import Passage, Query
from mabench.text import truncate_tokens


class ExtractiveReader:
    """Answers with pieces of the passages, chosen by the words that they share with the query.

    A baseline, not a competitor: it knows the forms in which questions come (options to choose
    from, an open dialogue, a summary, labelled demonstrations, a plain question) and nothing of
    what they are about.
    """

    def read(self, query: Query, passages: Sequence[Passage]) -> str:
        """Answer ``query`` from ``passages``, within ``query.max_tokens`` by the estimate."""
        answer = _answer(query, [passage.text for passage in passages])
        return truncate_tokens(answer or UNKNOWN, query.max_tokens)


def _answer(query: Query, texts: Sequence[str]) -> str:
    # The published search query drops a worked example, or adds the whole prompt.
    question = min(query.question, query.search_query, key=len)
    if options := offered(query):
        return as_answer(best_option(question, options, texts) or guess(options, query), query)
    if is_open_dialogue(query.question):
        return recommended(query.question, texts, query.max_tokens)
    if asks_for_summary(query):
        return extract(texts, query.max_tokens)
    if demonstrations := demonstrations_in(texts):
        return majority_value(question, demonstrations)
    statement = best_statement(question, texts)
    return answer_span(question, statement, query.max_tokens) if statement else ""
