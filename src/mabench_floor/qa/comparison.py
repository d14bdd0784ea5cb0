"""Answers about two that a question names: which comes first, and whether they agree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from mabench.text.stems import content_words
from mabench_floor.answer_types import NAME
from mabench_floor.likeness import likeness
from mabench_floor.qa.dates import day_of, days_written
from mabench_floor.qa.search import Search
from mabench_floor.sentences import stems

# Plain choices.
_DEPTH = 10
_ALIKE = 0.7
_EITHER = re.compile(r"\A(?>(.+?)[,:])\s*+(?:the )?(.+?),? or (?:the )?([^,?]+)", re.DOTALL)
_FIRST = re.compile(r"\b(?:first|earlier|earliest|older|oldest|before|sooner)\b", re.IGNORECASE)
_LAST = re.compile(
    r"\b(?:last|later|latest|younger|youngest|newer|newest|after|recent(?:ly)?)\b", re.IGNORECASE
)
_DIED = re.compile(r"\b(?:die|dies|died|death)\b", re.IGNORECASE)
_WHETHER = re.compile(
    r"\A\W*(?:is|are|was|were|do|does|did|has|have|had|can|could)\b", re.IGNORECASE
)
_BOTH = re.compile(r"\Aare both\b", re.IGNORECASE)


def compared(question: str, search: Search) -> str | None:
    """Return which of two comes first or last, or whether two agree; None for other questions."""
    if either := _EITHER.search(question):
        topic, first, second = (part.strip() for part in either.groups())
        late = _LAST.search(topic)
        days = _day(first, topic, search), _day(second, topic, search)
        if (late or _FIRST.search(topic)) and days[0] and days[1]:
            return second if (days[0] > days[1]) != bool(late) else first
    is_asked = _WHETHER.match(question) and " or " not in question
    return _whether_two_agree(question, search) if is_asked else None


def day_told(event: str, search: Search, topic: str = "") -> date | None:
    """Return the day of the best of the sentences found for ``event`` that tells a day.

    Paragraphs that open with the event's own words come first: they are about it.
    """
    places = [hit.place for hit in search.find(f"{topic} {event}", _DEPTH)]
    places.sort(key=lambda place: not search.documents.opens_with(place, stems(event)))
    return next((day for p in places if (day := day_of(search.sentences[p]))), None)


def _day(name: str, topic: str, search: Search) -> date | None:
    """Return the first day told in the paragraph about a name; of its death, the second."""
    days = [day for place in _places(name, search) for day in days_written(search.sentences[place])]
    died = _DIED.search(topic) is not None
    return next(iter(days[died:] or days), None) or day_told(name, search, topic)


def _places(name: str, search: Search) -> range:
    """Return the sentences of the shortest-headed paragraph that opens with a name."""
    documents = search.documents
    heads = documents.about(stems(name))
    if not heads:
        return range(0)
    start = min(heads, key=lambda head: len(documents.opening(head)))
    return range(start, int(documents.ends[start]))


def _whether_two_agree(question: str, search: Search) -> str | None:
    """Return "yes" or "no": whether the same is told of two names.

    Asked whether both are something, each is looked for what is said of it. Else they agree where
    the sentences about them that say most of the question hold a name in common.
    """
    names = [n for part in question.partition(" ")[2].split(" and ") for n in NAME.findall(part)]
    if len(names) < 2:
        return None
    first, second = names[:2]
    said = question[question.rfind(second) + len(second) :]
    if not stems(said):  # "Are both Ann Lee and Bo Ek Welsh?" has a word too many in its last name.
        second, _, said = second.rpartition(" ")
    told = [_words(name, search) for name in (first, second)]
    if _BOTH.match(question):
        agree = all(_is_told(said, words) for words in told)
    else:
        asked = content_words(question)
        asked = asked.difference(*(stems(name) for name in (first, second)))
        mentioned = [_names_beside(asked, name, search) for name in (first, second)]
        agree = not mentioned[0].isdisjoint(mentioned[1])
    return "yes" if agree else "no"


def _words(name: str, search: Search) -> set[str]:
    return {word for place in _places(name, search) for word in search.sentences[place].words}


def _names_beside(asked: frozenset[str], name: str, search: Search) -> set[str]:
    """Return the stems of names in the sentences about ``name`` that say most of ``asked``."""
    sentences = [search.sentences[place] for place in _places(name, search)]
    said = [sum(_is_like(word, sentence.words) for word in asked) for sentence in sentences]
    places = [p for p, n in zip(_places(name, search), said, strict=True) if n == max(said)]
    names = {word for place in places for own in search.documents.names_in(place) for word in own}
    return names.difference(stems(name))


def _is_told(said: str, told: set[str]) -> bool:
    return all(_is_like(word, told) for word in stems(said))


def _is_like(word: str, others: Iterable[str]) -> bool:
    return any(likeness(word, other) >= _ALIKE for other in others)
