"""Answers that no sentence holds: spans of time, which of two came first, whether two agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from mabench.agents.floor.answer_types import NAME, NUMBER, new_mentions
from mabench.agents.floor.qa.dates import DAYS, day_of
from mabench.agents.floor.qa.questions import Kind, asked_by
from mabench.agents.floor.qa.search import Search
from mabench.agents.floor.qa.spans import best_spans
from mabench.agents.floor.sentences import day_in, stems
from mabench.text.stems import content_words, tokens

_DEPTH = 10
_MOST_PARTS = 20
_LIKELY = 3  # How many answers for either of two are held against each other.
_AS_GOOD = 0.9
_UNIT = re.compile(rf"\bhow many ({'|'.join(DAYS)})s\b", re.IGNORECASE)
# What stands before two events, and between them.
_BETWEEN = tuple(
    (re.compile(rf"\b{opening} ", re.IGNORECASE), re.compile(rf",? {joint} ", re.IGNORECASE))
    for opening, joint in (("between", "and"), ("since", "when"), ("(?:before|after)", "did"))
)
_SINCE = re.compile(rf"{_UNIT.pattern}(?: ago| .{{0,300}}?\bsince\b)(.+)", re.IGNORECASE)
_EITHER = re.compile(r"\A(?>(.+?)[,:])\s*+(.+?),? or ([^,?]+)", re.DOTALL)
_FIRST = re.compile(r"\b(?:first|earlier|earliest|older|oldest|before|sooner)\b", re.IGNORECASE)
_LAST = re.compile(
    r"\b(?:last|later|latest|younger|youngest|newer|newest|after|recent(?:ly)?)\b", re.IGNORECASE
)
_SHARED = re.compile(r"\b(?:same|one|common|share an?|shared?) ([a-z]+)", re.IGNORECASE)
_TOTAL = re.compile(r"\b(?:total|altogether|combined)\b", re.IGNORECASE)
_WHOLE = re.compile(r"\d{1,3}(?:,?\d{3}){0,9}")
_WHETHER = re.compile(
    r"\A\W*(?:is|are|was|were|do|does|did|has|have|had|can|could)\b", re.IGNORECASE
)


def inferred_answer(question: str, prompt: str, search: Search) -> str | None:
    """Return what follows from the sentences found for the parts of ``question``, or None.

    ``prompt`` may hold the present date, from which a time that passed ``since`` is counted.
    """
    return (
        _time_between(question, search)
        or _time_since(question, prompt, search)
        or _total(question, search)
        or _which_of_two(question, search)
        or _whether_two_agree(question, search)
    )


def _time_between(question: str, search: Search) -> str | None:
    unit = _UNIT.search(question)
    if not unit:
        return None
    for opening, joint in _BETWEEN:
        start = opening.search(question, unit.end())
        end = joint.search(question, start.end() + 1) if start else None
        if start and end and end.end() < len(question):
            first, second = question[start.end() : end.start()], question[end.end() :]
            return _duration(unit[1], _day(first, search), _day(second, search))
    return None


def _time_since(question: str, prompt: str, search: Search) -> str | None:
    asked = _SINCE.search(question)
    if not asked:
        return None
    return _duration(asked.group(1), _day(asked.group(2), search), day_in(prompt))


def _duration(unit: str, start: date | None, end: date | None) -> str | None:
    if not start or not end:
        return None
    count = round(abs((end - start).days) / DAYS[unit.lower()])
    return f"{count} {unit.lower()}{'s' * (count != 1)}"


def _which_of_two(question: str, search: Search) -> str | None:
    asked = _EITHER.search(question)
    if not asked:
        return None
    about, *options = asked.groups()
    latest = bool(_LAST.search(about))
    days = [_day(option, search, about) for option in options]
    if not (latest or _FIRST.search(about)) or None in days:
        return None
    first, second = (day for day in days if day)
    return options[(first > second) != latest].strip()


def _day(event: str, search: Search, about: str = "") -> date | None:
    """Return the day of the best of the sentences found for ``event`` that tells one.

    Paragraphs that open with the event's own words come first: they are about it.
    """
    places = [found.place for found in search.find(f"{about} {event}", _DEPTH)]
    places.sort(key=lambda place: not search.opens_with(place, event))
    return next((day for p in places if (day := day_of(search.sentences[p]))), None)


def _total(question: str, search: Search) -> str | None:
    """Add up the numbers that sentences about equally to the point tell."""
    is_number = asked_by(question, search.lexicon.is_verb).kind is Kind.NUMBER
    if not is_number or not _TOTAL.search(question):
        return None
    found = search.find(question, _MOST_PARTS)
    told = {
        search.sentences[p].text for p, score, *_ in found if score >= _AS_GOOD * found[0].score
    }
    numbers = [match.group() for text in sorted(told) for match in NUMBER.finditer(text)]
    counts = [int(number.replace(",", "")) for number in numbers if _WHOLE.fullmatch(number)]
    return f"{sum(counts):,}" if len(counts) > 1 else None


def _whether_two_agree(question: str, search: Search) -> str | None:
    """Say whether what is told of two names in ``question`` is the same.

    Asked whether they share one of a kind ("the same country"), each is asked for its own;
    asked whether both are something, each is looked for beside it.
    """
    if not _WHETHER.match(question):
        return None
    parts = question.partition(" ")[2].split(" and ")
    names = [match.group() for part in parts for match in NAME.finditer(part)]
    if len(names) < 2 or " or " in question:
        return None
    first, second = names[:2]
    shared = _SHARED.search(question)
    if shared:
        return _same_of_a_kind(first, second, shared, question, search)
    said = stems(question[question.rfind(second) + len(second) :])
    if not said:  # "Are both Ann Lee and Bo Ek Welsh?" has a word too many in its last name.
        second, _, last = second.rpartition(" ")
        said = stems(last)
    if " both " in f" {question.lower()} " and second:
        both = all(_is_told(name, said, search) for name in (first, second))
        return "yes" if both else "no"
    asked = content_words(question)
    told = [
        set(_names_told(question.replace(other, ""), asked, search)) for other in (second, first)
    ]
    return "yes" if told[0] & told[1] else "no"


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


def _is_told(name: str, said: Sequence[str], search: Search) -> bool:
    """Say whether ``said`` stands in a sentence about ``name``."""
    question = f"{name} {' '.join(said)}"
    return any(
        set(said) <= set(search.sentences[hit.place].words) and _mentions(name, hit.place, search)
        for hit in search.find(question, _DEPTH)
    )


def _names_told(question: str, asked: frozenset[str], search: Search) -> Iterator[str]:
    for place, *_ in search.find(question, _DEPTH):
        for name in new_mentions(NAME, search.sentences[place].text, asked):
            yield name.group()
