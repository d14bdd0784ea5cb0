"""The skill: answers a question with a span of the sentences that say most of it."""

from __future__ import annotations

from datetime import date
from functools import cached_property

from mabench.contract.interfaces import Answer, Query
from mabench.text.stems import content_words
from mabench_floor.answer_types import NAME
from mabench_floor.qa.bridges import MOST, described
from mabench_floor.qa.inference import inferred_answer
from mabench_floor.qa.phrases import whole_phrase
from mabench_floor.qa.questions import asked_by
from mabench_floor.qa.search import Hit, Search
from mabench_floor.qa.spans import spans_of_all, weighed_spans
from mabench_floor.sentences import sentences_in, stems
from mabench_floor.skill import History

_DEPTH = 14  # Sentences that are read,
_SHOWN = 10  # and reported.
_EVIDENCE = 3  # Sentences after the span, where they are asked for.
_LIKELY = 3  # How many answers are considered for the name of what a question describes.
_SURE = 0.5  # Share of the votes that such an answer must have.
_AS_GOOD = 0.9
_REPLACED = 2  # Words in which two sentences differ where one thing is another.
_OLDER = 0.7  # What a sentence counts for beside one as good that was said after it.


class SearchSkill:
    """Answers a question with a span of the history, and reports what it was read from.

    Sentences stand in the answer where no span is found, or where the history is asked for
    evidence: then they follow the span, on lines of their own.
    """

    def __init__(self, history: History) -> None:
        self._history = history

    def answer(self, query: Query) -> Answer | None:
        """Return what follows from the history, else the best span of it."""
        question = min(query.question, query.search_query, key=len)
        inferred = inferred_answer(question, query, self._search)
        bridged, read = self._bridged(question)
        wordings = dict.fromkeys([question, bridged])
        readings = [(each, hits) for each in wordings if (hits := self._best_hits(each))]
        if not readings:
            return None
        places = dict.fromkeys(hit.place for _, hits in reversed(readings) for hit in hits)
        found = (self._search.sentences[place].text for place in list(places)[:_SHOWN])
        evidence = list(dict.fromkeys([*read, *found]))
        if inferred is not None:
            return Answer(inferred, retrieved=evidence)
        spans = [
            self._whole(span, question, list(places))
            for span in spans_of_all(readings, self._search)[:1]
        ]
        shown = evidence[:_EVIDENCE] if self._history.evidence or not spans else []
        return Answer("\n".join([*spans, *shown]), retrieved=evidence)

    def _whole(self, span: str, question: str, places: list[int]) -> str:
        """Return the phrase that a span is part of in the best sentence that holds it."""
        asked = asked_by(question, self._search.lexicon.is_verb)
        texts = (self._search.sentences[place].text for place in places)
        text = next((text for text in texts if span in text), "")
        return whole_phrase(span, text, question, asked, self._search)

    def _bridged(self, question: str) -> tuple[str, list[str]]:
        """Put names in place of the descriptions in a question, the innermost first.

        Returns the question, and the sentences that the names were read from.
        """
        read: list[str] = []
        for _ in range(MOST):
            inner = described(question)
            named = self._name_of(inner.asked) if inner else None
            if not inner or not named:
                break
            name, sentence = named
            question = f"{inner.before}{name}{inner.after}"
            read.append(sentence)
        return question, read

    def _name_of(self, asked: str) -> tuple[str, str] | None:
        """Return the name that answers a question about a description, and where it stands."""
        hits = self._best_hits(asked)
        named = {word for name in NAME.finditer(asked, 1) for word in stems(name.group())}
        if not hits or not named.issubset(self._told(hits[0])):
            return None
        known = content_words(asked)
        spans = weighed_spans([(asked, hits)], self._search)[:_LIKELY]
        names = [
            span
            for span, votes in spans
            if votes >= _SURE and not span.islower() and not content_words(span) & known
        ]
        return (names[0], self._search.sentences[hits[0].place].text) if names else None

    def _told(self, hit: Hit) -> set[str]:
        """Return the stems of a sentence and of what stands before it in its paragraph."""
        return {*self._search.sentences[hit.place].words, *self._search.told_before(hit.place)}

    def _best_hits(self, question: str) -> list[Hit]:
        """Return sentences that say more than the question, the best first.

        Among dated ones about as good as the best, what was said last counts most. Of two in
        passages that are just as good, the later comes first, and one that says the same of
        another thing is left out.
        """
        asked = set(stems(question))
        sentences = self._search.sentences
        hits = self._search.find(question, _DEPTH)
        hits = [hit for hit in hits if not asked.issuperset(sentences[hit.place].words)]
        if self._history.passages:
            hits.sort(key=lambda hit: (-hit.score, -hit.place))
            hits = [hit for n, hit in enumerate(hits) if not self._superseded(hit, hits[:n])]
        best = [hit for hit in hits if hit.score >= _AS_GOOD * hits[0].score]
        if not any(sentences[hit.place].day for hit in best):
            return hits
        best.sort(key=lambda hit: sentences[hit.place].day or date.min, reverse=True)
        top = hits[0].score
        dated = [hit._replace(score=top * _OLDER**rank) for rank, hit in enumerate(best)]
        return dated + [hit for hit in hits[len(best) :] if hit.score <= dated[-1].score]

    def _superseded(self, hit: Hit, others: list[Hit]) -> bool:
        """Return whether one of the others says the same, but for a word, just as well."""
        words = {*self._search.sentences[hit.place].words}
        return any(
            other.score == hit.score
            and len(words.symmetric_difference(self._search.sentences[other.place].words))
            <= _REPLACED
            for other in others
        )

    @cached_property
    def _search(self) -> Search:
        return Search(sentences_in(self._history.text))


def learn(history: History) -> SearchSkill:
    """Index the sentences of ``history``, once a question asks for it."""
    return SearchSkill(history)
