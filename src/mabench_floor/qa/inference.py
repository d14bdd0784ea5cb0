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
    for opening, joint in _BETWEEN if unit else ():
        start = opening.search(question, unit.end() if unit else 0)
        end = joint.search(question, start.end() + 1) if start else None
        if unit and start and end and end.end() < len(question):
            first, second = question[start.end() : end.start()], question[end.end() :]
            return _duration(unit[1], day_told(first, search), day_told(second, search))
    return None


def _time_since(question: str, prompt: str, search: Search) -> str | None:
    asked = _SINCE.search(question)
    return asked and _duration(asked.group(1), day_told(asked.group(2), search), day_in(prompt))


def _duration(unit: str, start: date | None, end: date | None) -> str | None:
    if not start or not end:
        return None
    count = round(abs((end - start).days) / DAYS[unit.lower()])
    return f"{count} {unit.lower()}{'s' * (count != 1)}"


def _total(question: str, search: Search) -> str | None:
    """Return the sum of the numbers in the sentences that fit about equally well."""
    is_number = asked_by(question, search.lexicon.is_verb).kind == "number"
    if not is_number or not _TOTAL.search(question):
        return None
    hits = search.find(question, _MOST_PARTS)
    best = [hit.place for hit in hits if hit.score >= _AS_GOOD * hits[0].score]
    texts = sorted({search.sentences[place].text for place in best})
    numbers = [match.group() for text in texts for match in NUMBER.finditer(text)]
    counts = [int(number.replace(",", "")) for number in numbers if _WHOLE.fullmatch(number)]
    return f"{sum(counts):,}" if len(counts) > 1 else None
