"""Infers answers that no sentence contains: durations, totals and comparisons."""

from __future__ import annotations

import re
from datetime import date

from mabench_floor.answer_types import NUMBER
from mabench_floor.qa.comparison import compared
from mabench_floor.qa.days import DAYS, day_told
from mabench_floor.qa.questions import asked_by
from mabench_floor.qa.search import Search
from mabench_floor.sentences import day_in

# Plain choices: the sentences whose numbers may be added up, and which are as good as the best.
_MOST_PARTS = 20
_AS_GOOD = 0.9
_UNIT = re.compile(rf"\bhow many ({'|'.join(DAYS)})s\b", re.IGNORECASE)
# What precedes two events, and between them.
_BETWEEN = tuple(
    (re.compile(rf"\b{opening} ", re.IGNORECASE), re.compile(rf",? {joint} ", re.IGNORECASE))
    for opening, joint in (("between", "and"), ("since", "when"), ("(?:before|after)", "did"))
)
_SINCE = re.compile(rf"{_UNIT.pattern}(?: ago| .{{0,300}}?\bsince\b)(.+)", re.IGNORECASE)
_TOTAL = re.compile(r"\b(?:total|altogether|combined)\b", re.IGNORECASE)
_WHOLE = re.compile(r"\d{1,3}(?:,?\d{3}){0,9}")


def inferred_answer(question: str, prompt: str, search: Search) -> str | None:
    """Return what follows from the sentences found for the parts of a question, or None.

    ``prompt`` may contain the present date, from which the time ``since`` something is counted.
    """
    return (
        _time_between(question, search)
        or _time_since(question, prompt, search)
        or _total(question, search)
        or compared(question, search)
    )


def _time_between(question: str, search: Search) -> str | None:
    """Return the time between the two events in a question; None if it names no two."""
    unit = _UNIT.search(question)
    if unit is None:
        return None
    for opening, joint in _BETWEEN:
        start = opening.search(question, unit.end())
        middle = joint.search(question, start.end() + 1) if start else None
        if start and middle and middle.end() < len(question):
            first, second = question[start.end() : middle.start()], question[middle.end() :]
            return _duration(unit[1], day_told(first, search), day_told(second, search))
    return None


def _time_since(question: str, prompt: str, search: Search) -> str | None:
    """Return the time from an event in a question to the date in the prompt; None without both."""
    asked = _SINCE.search(question)
    if asked is None:
        return None
    unit, event = asked.groups()
    return _duration(unit, day_told(event, search), day_in(prompt))


def _duration(unit: str, start: date | None, end: date | None) -> str | None:
    """Return the time between two days in a unit, such as "3 weeks"; None if one is unknown."""
    if not start or not end:
        return None
    count = round(abs((end - start).days) / DAYS[unit.lower()])
    plural = "" if count == 1 else "s"
    return f"{count} {unit.lower()}{plural}"


def _total(question: str, search: Search) -> str | None:
    """Return the answer to a question for a total, such as how many letters somebody wrote in all.

    It is the sum of the whole numbers in the sentences that fit the question about equally well; a
    sentence that is told twice counts once. None for other questions, or with fewer than two such
    numbers.
    """
    is_number = asked_by(question, search.lexicon.is_verb).kind == "number"
    if not is_number or not _TOTAL.search(question):
        return None
    hits = search.find(question, _MOST_PARTS)
    best = [hit.place for hit in hits if hit.score >= _AS_GOOD * hits[0].score]
    texts = {search.sentences[place].text for place in best}
    numbers = [match.group() for text in texts for match in NUMBER.finditer(text)]
    counts = [int(number.replace(",", "")) for number in numbers if _WHOLE.fullmatch(number)]
    return f"{sum(counts):,}" if len(counts) > 1 else None
