"""Whether two that a question names are alike, and what they have in common."""

from __future__ import annotations

import re
from functools import cache

from mabench.text.stems import content_words, stem, tokens
from mabench_floor.answer_types import NAME
from mabench_floor.likeness import likeness
from mabench_floor.qa.pairs.comparison import WHETHER, Named, about
from mabench_floor.qa.search import Hit, Search
from mabench_floor.qa.spans import best_spans, weighed_spans
from mabench_floor.sentences import stems

_DEPTH = 10
_LIKELY = 3  # How many answers for either of two are held against each other.
_ALIKE = 0.7
_FEW = 2  # So many words that are asked of both must all be told, of more words half.
_OPENING = 4  # Sentences about one that are read for what it shares with another.
_SHARED = re.compile(r"\b(?:same|one|common|share an?|shared?) ([a-z]+)", re.IGNORECASE)
_BOTH = re.compile(r"\b(?:both|in common|share)\b|\b(?:are|were|do|did) (?=[^\W_a-z])")
_WH = re.compile(r"\b(?:what|which)\b", re.IGNORECASE)
_NATION = frozenset(["country", "nationality", "nation", "origin"])
_WORD = re.compile(r"[^\W\d_a-z][^\W\d_]+")
_SAME_LAND = 4  # Letters that the name of a country and its adjective have in common.
# Countries whose adjective begins otherwise.
_LANDS = """
american states usa
british britain kingdom uk english england scottish scotland welsh wales
french france
dutch netherlands
greek greece
polish poland
swiss switzerland
danish denmark
filipino philippine philippines
"""


@cache
def _groups() -> tuple[frozenset[str], ...]:
    lines = _LANDS.strip().splitlines()
    return tuple(frozenset(form for w in line.split() for form in (w, stem(w))) for line in lines)


def _same_land(one: str, other: str) -> bool:
    """Say whether two words in lower case, or their stems, may stand for the same country."""
    if one[:_SAME_LAND] == other[:_SAME_LAND]:
        return True
    return any(one in group and other in group for group in _groups())


def shared_by_two(question: str, search: Search) -> str | None:
    """Return what the paragraphs about two names in ``question`` both tell that answers it."""
    if WHETHER.match(question) or " or " in question or not _WH.search(question):
        return None
    before, joint, after = question.partition(" and ")
    marked = _BOTH.search(question)
    names = [NAME.findall(before)[-1:], NAME.findall(after)[:1]]
    if not joint or not marked or not all(names):
        return None
    two = [about(name, question, search) for found in names for name in found]
    if not all(each.is_subject for each in two) or two[0].places == two[1].places:
        return None
    told = [_told_of(each, question, search) for each in two]
    common = [
        (weight * other, min(one, another, key=len))
        for one, weight in told[0]
        for another, other in told[1]
        if _overlap(one, another)
    ]
    return max(common)[1] if common else None


def _told_of(named: Named, question: str, search: Search) -> list[tuple[str, float]]:
    hits = [Hit(place, 1.0) for place in named.places[:_OPENING]]
    return weighed_spans([(question, hits)], search)


def _overlap(one: str, other: str) -> bool:
    """Say whether two spans are one thing: the words of the shorter are all in the longer."""
    words, others = content_words(one), content_words(other)
    return bool(words and others) and (words <= others or others <= words)


def whether_two_agree(question: str, search: Search) -> str | None:
    """Say whether what is told of two names in ``question`` is the same.

    Asked whether they share one of a kind ("the same country"), each is asked for its own;
    asked whether both are something, each is looked for beside it.
    """
    if not WHETHER.match(question) or " or " in question:
        return None
    parts = question.partition(" ")[2].split(" and ")
    names = [match.group() for part in parts for match in NAME.finditer(part)]
    if len(names) < 2:
        return None
    first, second = names[:2]
    said = question[question.rfind(second) + len(second) :]
    if not stems(said):  # "Are both Ann Lee and Bo Ek Welsh?" has a word too many in its last name.
        second, _, said = second.rpartition(" ")
    two = [about(name, question, search) for name in (first, second)]
    shared = _SHARED.search(question)
    if shared and shared.group(1) not in _NATION:
        return _same_of_a_kind(first, second, shared, question, search)
    if shared:
        lands = [_lands(each, search) for each in two]
        agree = any(_same_land(a, b) for a in lands[0] for b in lands[1])
        return "yes" if agree else "no"
    both = all(_is_told(each, said, search) for each in two)
    return "yes" if both else "no"


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
    lands = {word for word in needed if any(_same_land(word, other) for other in told)}
    enough = len(found) if len(found) <= _FEW else len(found) / 2
    return needed <= told | lands and sum(found) + len(lands - told) >= enough


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
