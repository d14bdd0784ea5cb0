"""Answers about two that a question names: which comes first, has more or fits better."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from mabench.text.stems import content_words
from mabench_floor.answer_types import NAME, NUMBER
from mabench_floor.likeness import likeness, same_meaning
from mabench_floor.qa.pairs.dates import day_of, days_written
from mabench_floor.qa.search import Search
from mabench_floor.sentences import stems

_DEPTH = 10
_EITHER = re.compile(r"\A(?>(.+?)[,:])\s*+(.+?),? or ([^,?]+)", re.DOTALL)
_OF_TWO = re.compile(r"\A(?>(?:of|between|from|out of) (.+?) and )(.+?), ", re.IGNORECASE)
_WHOLE = re.compile(r"(?:[,:] |\bbetween )([^,:?]{1,60}?),? or (?:the )?([^,?]{1,60})\?\s*\Z")
_OR = re.compile(r",? or (?:the )?|(?<=\bof )(?=[^\W_a-z])")
_FIRST = re.compile(r"\b(?:first|earlier|earliest|older|oldest|before|sooner)\b", re.IGNORECASE)
_LAST = re.compile(
    r"\b(?:last|later|latest|younger|youngest|newer|newest|after|recent(?:ly)?)\b", re.IGNORECASE
)
_MORE = re.compile(
    r"\b(?:more|most|larger|largest|bigger|biggest|higher|highest|taller|tallest|longer|longest"
    r"|greater|greatest)\b",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"\b(?:fewer|fewest|less|least|smaller|smallest|lower|lowest|shorter|shortest)\b"
)
WHETHER = re.compile(
    r"\A\W*(?:is|are|was|were|do|does|did|has|have|had|can|could)\b", re.IGNORECASE
)
_DIED = re.compile(r"\b(?:die|dies|died|death)\b", re.IGNORECASE)


class Named(NamedTuple):
    """One of two that a question names: the sentences told of it, and if they open with it."""

    name: str
    places: range
    is_subject: bool


def which_of_two(question: str, search: Search) -> str | None:
    """Return which of two that a question offers comes first or last, has more, or fits better.

    None where the question offers no two.
    """
    if WHETHER.match(question) and " or " not in question:
        return None
    early, late = _FIRST.search(question), _LAST.search(question)
    two = _offered(question, search)
    if two and (early or late):
        died = bool(_DIED.search(question))
        ages = [_age(each, died, search) for each in two if each.is_subject]
        if len(ages) == len(two) and None not in ages:
            first, second = (age for age in ages if age)
            return two[(first > second) != bool(late)].name
    asked = _EITHER.search(question)
    if asked and (early or late):
        about, *options = asked.groups()
        days = [day_told(option, search, about) for option in options]
        if None not in days:
            first, second = (day for day in days if day)
            return options[(first > second) != bool(_LAST.search(about))].strip()
    return _better_of_two(question, two, search) if two else None


def _better_of_two(question: str, two: tuple[Named, Named], search: Search) -> str | None:
    """Return which of two has more or less of what is asked, else which the question fits."""
    more, less = _MORE.search(question), _LESS.search(question)
    if more or less:
        first, second = (_count(each, question, search) for each in two)
        if first != second:
            return two[(first < second) == bool(more)].name
    elif " or " not in question and not _OF_TWO.match(question):
        return None
    left = content_words(question) - content_words(" ".join(each.name for each in two))
    return max(two, key=lambda each: _support(each, left, search)).name


def _offered(question: str, search: Search) -> tuple[Named, Named] | None:
    """Return the two names that "or" joins, or "of" and "and"."""
    whole = _OF_TWO.match(question) or _WHOLE.search(question)
    if whole:
        two = tuple(about(name.removeprefix("the "), question, search) for name in whole.groups())
        if all(each.is_subject for each in two):
            return two[0], two[1]
    for joint in _OR.finditer(question):
        if joint.group():
            left = [match.group() for match in NAME.finditer(question[: joint.start()])]
            right = [match.group() for match in NAME.finditer(question[joint.end() :])]
            pair = left[-1:] + right[:1]
        else:
            pair = [
                match.group()
                for part in question[joint.start() :].split(" and ")[:2]
                for match in [NAME.search(part)]
                if match
            ]
        if len(pair) == 2:
            return about(pair[0], question, search), about(pair[1], question, search)
    return None


def about(name: str, question: str, search: Search) -> Named:
    """Return where a name is told of: the paragraph that opens with it, else the best."""
    documents = search.documents
    heads = documents.about(stems(name))
    found = heads or [hit.place for hit in search.find(name, 1)]
    if not found:
        return Named(name, range(0), is_subject=False)
    start = int(documents.starts[min(found, key=lambda head: len(documents.opening(head)))])
    if heads and name in (title := documents.subject(start)) and title in question:
        name = title  # All of it, as in "Mills of the Past" for "Mills".
    return Named(name, range(start, int(documents.ends[start])), is_subject=bool(heads))


def _age(named: Named, died: bool, search: Search) -> date | None:
    """Return the first day that is told of one, the second where its death is asked for."""
    days = [day for place in named.places for day in days_written(search.sentences[place])]
    return next(iter(days[died:] or days), None)


def _count(named: Named, question: str, search: Search) -> float:
    """Return the number nearest to the words of the question, else how many names are told."""
    asked = content_words(question) - content_words(named.name)
    meant = asked.union(*(same_meaning(word) for word in asked))
    best, count = 0, 0.0
    for place in named.places:
        sentence = search.sentences[place]
        shared = len(meant.intersection(sentence.words))
        numbers = [n.group().replace(",", "") for n in NUMBER.finditer(sentence.text)]
        plain = [float(number) for number in numbers if number.replace(".", "", 1).isdecimal()]
        if plain and shared > best:
            best, count = shared, max(plain)
    if best:
        return count
    return float(sum(len(search.documents.names_in(place)) for place in named.places))


def _support(named: Named, words: frozenset[str], search: Search) -> float:
    """Return how much of ``words`` is told of one."""
    told = {word for place in named.places for word in search.sentences[place].words}
    return sum(
        search.index.rarity(word) * max((likeness(word, other) for other in told), default=0.0)
        for word in sorted(words)
    )


def day_told(event: str, search: Search, about: str = "") -> date | None:
    """Return the day of the best of the sentences found for ``event`` that tells one.

    Paragraphs that open with the event's own words come first: they are about it.
    """
    places = [found.place for found in search.find(f"{about} {event}", _DEPTH)]
    places.sort(key=lambda place: not search.documents.opens_with(place, stems(event)))
    return next((day for p in places if (day := day_of(search.sentences[p]))), None)
