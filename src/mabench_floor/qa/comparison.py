"""Answers about two that a question names: which comes first or has more, what they share."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from mabench.text.stems import content_words, tokens
from mabench_floor.answer_types import NAME, NUMBER
from mabench_floor.likeness import likeness, same_meaning
from mabench_floor.qa.dates import day_of, days_written
from mabench_floor.qa.search import Hit, Search
from mabench_floor.qa.spans import weighed_spans
from mabench_floor.sentences import stems

# Plain choices.
_DEPTH = 10
_OPENING = 4  # Sentences about one that are read for what it shares with another.
_LIKELY = 3  # Answers for either of two that are held against each other.
_ALIKE = 0.7
_FEW = 2  # So many words that are asked of both must all be told, of more words half.
_SAME_LAND = 4  # Letters that the name of a country and its adjective have in common.
_EITHER = re.compile(r"\A(?>(.+?)[,:])\s*+(.+?),? or ([^,?]+)", re.DOTALL)
_OF_TWO = re.compile(r"\A(?>(?:of|between|from|out of) (.+?) and )(.+?), ", re.IGNORECASE)
_WHOLE = re.compile(r"(?:[,:] |\bbetween )([^,:?]{1,60}?),? or (?:the )?([^,?]{1,60})\?\s*\Z")
_JOINT = re.compile(r",? or (?:the )?")
_FIRST = re.compile(r"\b(?:first|earlier|earliest|older|oldest|before|sooner)\b", re.IGNORECASE)
_LAST = re.compile(
    r"\b(?:last|later|latest|younger|youngest|newer|newest|after|recent(?:ly)?)\b", re.IGNORECASE
)
_MORE = re.compile(r"\b(?:more|most|(?:larg|bigg|high|tall|long|great)(?:er|est))\b", re.IGNORECASE)
_LESS = re.compile(r"\b(?:fewer|fewest|less|least|(?:small|low|short)(?:er|est))\b", re.IGNORECASE)
_WHETHER = re.compile(
    r"\A\W*(?:is|are|was|were|do|does|did|has|have|had|can|could)\b", re.IGNORECASE
)
_DIED = re.compile(r"\b(?:die|dies|died|death)\b", re.IGNORECASE)
_SHARED = re.compile(r"\b(?:same|one|common|share an?|shared?) ([a-z]+)", re.IGNORECASE)
_BOTH = re.compile(r"\b(?:both|in common|share)\b|\b(?:are|were|do|did) (?=[^\W_a-z])")
_WH = re.compile(r"\b(?:what|which)\b", re.IGNORECASE)
_NATION = frozenset(["country", "nationality", "nation", "origin"])
# Countries whose adjective begins otherwise.
_LANDS = tuple(
    frozenset(line.split())
    for line in """american states usa
british britain kingdom uk english england scottish scotland welsh wale wales
french france
polish poland
danish denmark
dutch netherland netherlands
swiss switzerland
filipino philippine philippines""".splitlines()
)
_CAPITALISED = re.compile(r"[^\W\d_a-z][^\W\d_]+")


class Named(NamedTuple):
    """What a question names: the sentences about it, and whether they open with the name."""

    name: str
    places: range
    is_subject: bool


def compared(question: str, search: Search) -> str | None:
    """Return the answer to a question that compares two, None where it does not.

    That is the first of two, or what has more, or what the question fits better; whether two
    agree; or what the paragraphs about both have in common.
    """
    if " or " in question or _OF_TWO.match(question):
        return _which_of_two(question, search)
    if _WHETHER.match(question):
        return _whether_two_agree(question, search)
    return _shared_by_two(question, search)


def _which_of_two(question: str, search: Search) -> str | None:
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
        topic, *options = asked.groups()
        days = [day_told(option, search, topic) for option in options]
        if None not in days:
            first, second = (day for day in days if day)
            return str(options[(first > second) != bool(_LAST.search(topic))].strip())
    return _better_of_two(question, two, search) if two else None


def _better_of_two(question: str, two: tuple[Named, Named], search: Search) -> str | None:
    """Return which of two has more or less of what is asked, else which the question fits."""
    more, less = _MORE.search(question), _LESS.search(question)
    if more or less:
        first, second = (_count(each, question, search) for each in two)
        if first != second:
            return two[(first < second) == bool(more)].name
    left = content_words(question) - content_words(" ".join(each.name for each in two))
    return max(two, key=lambda each: _support(each, left, search)).name


def _offered(question: str, search: Search) -> tuple[Named, Named] | None:
    """Return the two names that "or" joins, or "of" and "and"."""
    whole = _OF_TWO.match(question) or _WHOLE.search(question)
    if whole:
        names = (name.removeprefix("the ") for name in whole.groups())
        first, second = (_about(name, search, question) for name in names)
        if first.is_subject and second.is_subject:
            return first, second
    for joint in _JOINT.finditer(question):
        left, right = question[: joint.start()], question[joint.end() :]
        pair = NAME.findall(left)[-1:] + NAME.findall(right)[:1]
        if len(pair) == 2:
            return _about(pair[0], search, question), _about(pair[1], search, question)
    return None


def _about(name: str, search: Search, question: str = "") -> Named:
    """Return where a name is told of: the paragraph that opens with it, else the best.

    The name is whole where it is part of a title in the question: "Mills of Ness" for "Mills".
    """
    documents = search.documents
    heads = documents.about(stems(name))
    best = heads or [hit.place for hit in search.find(name, 1)]
    if not best:
        return Named(name, range(0), is_subject=False)
    start = int(documents.starts[min(best, key=lambda head: len(documents.opening(head)))])
    title = search.sentences[start].text
    if heads and name in title and title in question:
        name = title
    return Named(name, range(start, int(documents.ends[start])), is_subject=bool(heads))


def _age(named: Named, died: bool, search: Search) -> date | None:
    """Return the first day that is told of it, the second where its death is asked for."""
    days = [day for place in named.places for day in days_written(search.sentences[place])]
    return next(iter(days[died:] or days), None)


def _count(named: Named, question: str, search: Search) -> float:
    """Return the largest number in the sentence that says most of the question."""
    asked = content_words(question) - content_words(named.name)
    meant = asked.union(*(same_meaning(word) for word in asked))
    best, count = 0, 0.0
    for sentence in (search.sentences[place] for place in named.places):
        shared = len(meant.intersection(sentence.words))
        numbers = [match.group().replace(",", "") for match in NUMBER.finditer(sentence.text)]
        plain = [float(number) for number in numbers if number.replace(".", "", 1).isdecimal()]
        if plain and shared > best:
            best, count = shared, max(plain)
    return count


def _support(named: Named, words: frozenset[str], search: Search) -> float:
    """Return how much of ``words`` is told of it."""
    told = _words_of(named, search)
    return sum(
        search.index.rarity(word) * max((likeness(word, other) for other in told), default=0.0)
        for word in sorted(words)
    )


def _words_of(named: Named, search: Search) -> set[str]:
    return {word for place in named.places for word in search.sentences[place].words}


def day_told(event: str, search: Search, topic: str = "") -> date | None:
    """Return the day of the best of the sentences found for ``event`` that tells a day.

    Paragraphs that open with the event's own words come first: they are about it.
    """
    places = [hit.place for hit in search.find(f"{topic} {event}", _DEPTH)]
    places.sort(key=lambda place: not search.documents.opens_with(place, stems(event)))
    return next((day for p in places if (day := day_of(search.sentences[p]))), None)


def _whether_two_agree(question: str, search: Search) -> str | None:
    """Return "yes" or "no": whether what is told of two names is the same.

    Asked whether they share something of a kind ("the same employer"), each is asked for its own,
    and the best answers are held against each other; countries are told by any name or adjective
    near the name. Asked whether both are something, each is looked for beside it.
    """
    names = [
        name for part in question.partition(" ")[2].split(" and ") for name in NAME.findall(part)
    ]
    if len(names) < 2:
        return None
    first, second = names[:2]
    said = question[question.rfind(second) + len(second) :]
    if not stems(said):  # "Are both Ann Lee and Bo Ek Welsh?" has a word too many in its last name.
        second, _, said = second.rpartition(" ")
    two = [_about(name, search) for name in (first, second)]
    shared = _SHARED.search(question)
    if shared and shared.group(1) in _NATION:
        lands = [_lands(each, search) for each in two]
        agree = any(_same_land(a, b) for a in lands[0] for b in lands[1])
    elif shared:
        rest = " ".join(word for word in question.split()[1:] if word.islower())
        answers = [
            _answers(f"Which {shared.group(1)} {each.name} {rest}?", each, search) for each in two
        ]
        agree = bool(answers[0] & answers[1])
    else:
        agree = all(_is_told(each, said, search) for each in two)
    return "yes" if agree else "no"


def _lands(named: Named, search: Search) -> set[str]:
    """Return the capitalised words in the first sentences about it, its own name left out."""
    own = set(tokens(named.name))
    texts = [search.sentences[place].text for place in named.places[:2]]
    words = {word for text in texts for word in _CAPITALISED.findall(text)}
    return {w.lower() for w in words if w.lower() not in own and not search.lexicon.is_common(w)}


def _same_land(one: str, other: str) -> bool:
    """Return whether two words in lower case, or their stems, may stand for the same country."""
    alike = one[:_SAME_LAND] == other[:_SAME_LAND]
    return alike or any(one in land and other in land for land in _LANDS)


def _answers(question: str, named: Named, search: Search) -> frozenset[tuple[str, ...]]:
    """Return the words of the likeliest answers to a question about one name."""
    words = set(stems(named.name))
    starts = search.documents.starts
    hits = [
        hit
        for hit in search.find(question, _DEPTH)
        if search.stand_in(words, int(starts[hit.place]), hit.place + 1) == words
    ]
    spans = [span for span, _ in weighed_spans(question, hits, search)]
    names = [span for span in spans if NAME.search(span)] or spans
    return frozenset(tuple(tokens(name)) for name in names[:_LIKELY])


def _is_told(named: Named, said: str, search: Search) -> bool:
    """Return whether ``said`` is told of it: its names, and half of its other words."""
    words, told = stems(said), _words_of(named, search)
    names = {word for name in NAME.finditer(said) for word in stems(name.group())}
    lands = {word for word in names if any(_same_land(word, other) for other in told)}
    right = [word in lands or any(likeness(word, w) >= _ALIKE for w in told) for word in words]
    enough = len(words) if len(words) <= _FEW else len(words) / 2
    return names <= told | lands and sum(right) >= enough


def _shared_by_two(question: str, search: Search) -> str | None:
    """Return what the paragraphs about two names both tell that answers the question."""
    before, joint, after = question.partition(" and ")
    names = NAME.findall(before)[-1:], NAME.findall(after)[:1]
    if not (joint and all(names) and _BOTH.search(question) and _WH.search(question)):
        return None
    two = [_about(name, search) for pair in names for name in pair]
    if not all(each.is_subject for each in two) or two[0].places == two[1].places:
        return None
    told = [
        weighed_spans(question, [Hit(place, 1.0) for place in each.places[:_OPENING]], search)
        for each in two
    ]
    common = [
        (weight * other, min(one, another, key=len))
        for one, weight in told[0]
        for another, other in told[1]
        if (a := content_words(one)) and (b := content_words(another)) and (a <= b or b <= a)
    ]
    return max(common)[1] if common else None
