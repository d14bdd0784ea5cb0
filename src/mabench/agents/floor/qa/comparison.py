"""Answers about two that a question names: which comes first or has more, whether they agree."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from mabench.agents.floor.answer_types import NAME, NUMBER
from mabench.agents.floor.likeness import likeness, same_meaning
from mabench.agents.floor.qa.dates import day_of, days_written
from mabench.agents.floor.qa.search import Search
from mabench.agents.floor.qa.spans import best_spans
from mabench.agents.floor.sentences import stems
from mabench.text.stems import content_words, tokens

_DEPTH = 10
_LIKELY = 3  # How many answers for either of two are held against each other.
_ALIKE = 0.7
_EITHER = re.compile(r"\A(?>(.+?)[,:])\s*+(.+?),? or ([^,?]+)", re.DOTALL)
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
_DIED = re.compile(r"\b(?:die|dies|died|death)\b", re.IGNORECASE)
_SHARED = re.compile(r"\b(?:same|one|common|share an?|shared?) ([a-z]+)", re.IGNORECASE)
_NATION = frozenset(["country", "nationality", "nation", "origin"])
_WHETHER = re.compile(
    r"\A\W*(?:is|are|was|were|do|does|did|has|have|had|can|could)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_a-z][^\W\d_]+")
_SAME_LAND = 4  # Letters that the name of a country and its adjective have in common.


class Named(NamedTuple):
    """One of two that a question names: the sentences told of it, and if they open with it."""

    name: str
    places: range
    is_subject: bool


def which_of_two(question: str, search: Search) -> str | None:
    """Return which of two that a question offers comes first or last, has more, or fits better.

    None where the question offers no two.
    """
    if _WHETHER.match(question) and " or " not in question:
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
    elif " or " not in question:
        return None
    left = content_words(question) - content_words(" ".join(each.name for each in two))
    return max(two, key=lambda each: _support(each, left, search)).name


def whether_two_agree(question: str, search: Search) -> str | None:
    """Say whether what is told of two names in ``question`` is the same.

    Asked whether they share one of a kind ("the same country"), each is asked for its own;
    asked whether both are something, each is looked for beside it.
    """
    if not _WHETHER.match(question) or " or " in question:
        return None
    parts = question.partition(" ")[2].split(" and ")
    names = [match.group() for part in parts for match in NAME.finditer(part)]
    if len(names) < 2:
        return None
    first, second = names[:2]
    said = question[question.rfind(second) + len(second) :]
    if not stems(said):  # "Are both Ann Lee and Bo Ek Welsh?" has a word too many in its last name.
        second, _, said = second.rpartition(" ")
    two = [_about(name, question, search) for name in (first, second)]
    shared = _SHARED.search(question)
    if shared and shared.group(1) not in _NATION:
        return _same_of_a_kind(first, second, shared, question, search)
    if shared:
        lands = [_lands(each, search) for each in two]
        agree = any(a[:_SAME_LAND] == b[:_SAME_LAND] for a in lands[0] for b in lands[1])
        return "yes" if agree else "no"
    both = all(_is_told(each, said, search) for each in two)
    return "yes" if both else "no"


def _offered(question: str, search: Search) -> tuple[Named, Named] | None:
    """Return the two names that "or" joins, or "of" and "and"."""
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
            return _about(pair[0], question, search), _about(pair[1], question, search)
    return None


def _about(name: str, question: str, search: Search) -> Named:
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


def _lands(named: Named, search: Search) -> set[str]:
    """Return the capitalised words in the first sentences about one, its own name left out."""
    own = set(tokens(named.name))
    texts = [search.sentences[place].text for place in named.places[:2]]
    words = {word.lower() for text in texts for word in _WORD.findall(text)}
    return {word for word in words if word not in own and not search.lexicon.is_common(word)}


def _is_told(named: Named, said: str, search: Search) -> bool:
    """Say whether ``said`` is told of one: its names, and half of its other words."""
    words = stems(said)
    needed = {word for name in NAME.finditer(said) for word in stems(name.group())}
    told = {word for place in named.places for word in search.sentences[place].words}
    found = [any(likeness(word, other) >= _ALIKE for other in told) for word in words]
    return needed <= told and 2 * sum(found) >= len(found)


def day_told(event: str, search: Search, about: str = "") -> date | None:
    """Return the day of the best of the sentences found for ``event`` that tells one.

    Paragraphs that open with the event's own words come first: they are about it.
    """
    places = [found.place for found in search.find(f"{about} {event}", _DEPTH)]
    places.sort(key=lambda place: not search.documents.opens_with(place, stems(event)))
    return next((day for p in places if (day := day_of(search.sentences[p]))), None)


def _same_of_a_kind(
    first: str, second: str, shared: re.Match[str], question: str, search: Search
) -> str:
    """Say whether the best answers for both names have a word in common."""
    kind, rest = shared.group(1), " ".join(w for w in question.split()[1:] if w.islower())
    told: list[frozenset[tuple[str, ...]]] = []
    for name in (first, second):
        single = f"Which {kind} {name} {rest}?"
        hits = [h for h in search.find(single, _DEPTH) if _mentions(name, h.place, search)]
        spans = best_spans(single, hits, search) if hits else []
        names = [span for span in spans if NAME.search(span)] or spans
        told.append(frozenset(tuple(tokens(name)) for name in names[:_LIKELY]))
    return "yes" if told[0] & told[1] else "no"


def _mentions(name: str, place: int, search: Search) -> bool:
    return set(stems(name)) <= {*search.sentences[place].words, *search.told_before(place)}
