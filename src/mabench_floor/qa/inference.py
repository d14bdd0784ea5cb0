"""Answers that no sentence holds: spans of time, totals, and what follows from comparing two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from mabench.text.stems import content_words
from mabench_floor.answer_types import NAME, NUMBER
from mabench_floor.likeness import likeness
from mabench_floor.qa.questions import asked_by
from mabench_floor.qa.search import Search
from mabench_floor.sentences import Sentence, day_in, stems

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_DAY_MONTH = re.compile(rf"\b{_DAY} (?:of )?{_MONTH},?(?: ([12]\d{{3}}))?\b", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b{_MONTH} {_DAY}\b,?(?: ([12]\d{{3}}))?\b", re.IGNORECASE)
_YEAR = re.compile(r"\b([12]\d{3})\b")
_AGO = re.compile(
    rf"\b(an?|\d{{1,9}}|{'|'.join(_COUNTS)}) ({'|'.join(_DAYS)})s? ago\b", re.IGNORECASE
)
_LAST = re.compile(rf"\blast ({'|'.join((*_WEEKDAYS, *_DAYS))})\b", re.IGNORECASE)
_YESTERDAY = re.compile(r"\byesterday\b", re.IGNORECASE)
# Plain choices: the sentences whose numbers may be added up, and which are as good as the best.
_MOST_PARTS = 20
_AS_GOOD = 0.9
_UNIT = re.compile(rf"\bhow many ({'|'.join(_DAYS)})s\b", re.IGNORECASE)
# What stands before two events, and between them.
_BETWEEN = tuple(
    (re.compile(rf"\b{opening} ", re.IGNORECASE), re.compile(rf",? {joint} ", re.IGNORECASE))
    for opening, joint in (("between", "and"), ("since", "when"), ("(?:before|after)", "did"))
)
_SINCE = re.compile(rf"{_UNIT.pattern}(?: ago| .{{0,300}}?\bsince\b)(.+)", re.IGNORECASE)
_TOTAL = re.compile(r"\b(?:total|altogether|combined)\b", re.IGNORECASE)
_WHOLE = re.compile(r"\d{1,3}(?:,?\d{3}){0,9}")
_READ = 10
_ALIKE = 0.7
_EITHER = re.compile(r"\A(?>(.+?)[,:])\s*+(?:the )?(.+?),? or (?:the )?([^,?]+)", re.DOTALL)
_OF_TWO = re.compile(r"\AOf (?>(.+?) and )([^,]++),([^?]+)")  # "Of Ann and Bo, who is older?"
_EARLIEST = re.compile(r"\b(?:first|earlier|earliest|older|oldest|before|sooner)\b", re.IGNORECASE)
_LATEST = re.compile(
    r"\b(?:last|later|latest|younger|youngest|newer|newest|after|recent(?:ly)?)\b", re.IGNORECASE
)
_DIED = re.compile(r"\b(?:die|dies|died|death)\b", re.IGNORECASE)
_WHETHER = re.compile(
    r"\A\W*(?:is|are|was|were|do|does|did|has|have|had|can|could)\b", re.IGNORECASE
)
_BOTH = re.compile(r"\Aare both\b", re.IGNORECASE)


def inferred_answer(question: str, prompt: str, search: Search) -> str | None:
    """Return what follows from the sentences found for the parts of ``question``, or None.

    ``prompt`` may hold the present date, from which a time that passed ``since`` is counted.
    """
    return (
        _time_between(question, search)
        or _time_since(question, prompt, search)
        or _total(question, search)
        or _compared(question, search)
    )


def _time_between(question: str, search: Search) -> str | None:
    unit = _UNIT.search(question)
    for opening, joint in _BETWEEN if unit else ():
        start = opening.search(question, unit.end() if unit else 0)
        end = joint.search(question, start.end() + 1) if start else None
        if unit and start and end and end.end() < len(question):
            first, second = question[start.end() : end.start()], question[end.end() :]
            return _duration(unit[1], _day_told(first, search), _day_told(second, search))
    return None


def _time_since(question: str, prompt: str, search: Search) -> str | None:
    asked = _SINCE.search(question)
    return asked and _duration(asked.group(1), _day_told(asked.group(2), search), day_in(prompt))


def _duration(unit: str, start: date | None, end: date | None) -> str | None:
    if not start or not end:
        return None
    count = round(abs((end - start).days) / _DAYS[unit.lower()])
    return f"{count} {unit.lower()}{'s' * (count != 1)}"


def _total(question: str, search: Search) -> str | None:
    """Add up the numbers that sentences about equally to the point tell."""
    is_number = asked_by(question, search.lexicon.is_verb).kind == "number"
    if not is_number or not _TOTAL.search(question):
        return None
    hits = search.find(question, _MOST_PARTS)
    best = [hit.place for hit in hits if hit.score >= _AS_GOOD * hits[0].score]
    texts = sorted({search.sentences[place].text for place in best})
    numbers = [match.group() for text in texts for match in NUMBER.finditer(text)]
    counts = [int(number.replace(",", "")) for number in numbers if _WHOLE.fullmatch(number)]
    return f"{sum(counts):,}" if len(counts) > 1 else None


def _compared(question: str, search: Search) -> str | None:
    """Return which of two comes first or last, or whether two agree; None for other questions."""
    if either := _EITHER.search(_OF_TWO.sub(r"\3, \1 or \2", question)):
        topic, first, second = (part.strip() for part in either.groups())
        late = _LATEST.search(topic)
        days = _day(first, topic, search), _day(second, topic, search)
        if (late or _EARLIEST.search(topic)) and days[0] and days[1]:
            return second if (days[0] > days[1]) != bool(late) else first
    is_asked = _WHETHER.match(question) and " or " not in question
    return _whether_two_agree(question, search) if is_asked else None


def _day_told(event: str, search: Search, topic: str = "") -> date | None:
    """Return the day of the best of the sentences found for ``event`` that tells a day.

    Paragraphs that open with the event's own words come first: they are about it.
    """
    places = [hit.place for hit in search.find(f"{topic} {event}", _READ)]
    places.sort(key=lambda place: not search.documents.opens_with(place, stems(event)))
    return next((day for p in places if (day := _day_of(search.sentences[p]))), None)


def _day(name: str, topic: str, search: Search) -> date | None:
    """Return the first day told in the paragraph about a name; of its death, the second."""
    days = [day for sentence in _sentences_about(name, search) for day in _days_written(sentence)]
    died = _DIED.search(topic) is not None
    return next(iter(days[died:] or days), None) or _day_told(name, search, topic)


def _sentences_about(name: str, search: Search) -> Sequence[Sentence]:
    """Return the sentences of the shortest-headed paragraph that opens with a name."""
    documents = search.documents
    heads = documents.about(stems(name))
    start = min(heads, key=lambda head: len(documents.opening(head)), default=None)
    return () if start is None else search.sentences[start : int(documents.ends[start])]


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
    if _BOTH.match(question):
        told = [_sentences_about(name, search) for name in (first, second)]
        words = [{word for sentence in own for word in sentence.words} for own in told]
        agree = all(_is_like(word, own) for word in stems(said) for own in words)
    else:
        asked = content_words(question)
        asked = asked.difference(*(stems(name) for name in (first, second)))
        mentioned = [_names_beside(asked, name, search) for name in (first, second)]
        agree = not mentioned[0].isdisjoint(mentioned[1])
    return "yes" if agree else "no"


def _names_beside(asked: frozenset[str], name: str, search: Search) -> set[str]:
    """Return the stems of names in the sentences about ``name`` that say most of ``asked``."""
    sentences = _sentences_about(name, search)
    said = [sum(_is_like(word, sentence.words) for word in asked) for sentence in sentences]
    names = {
        word
        for sentence, number in zip(sentences, said, strict=True)
        if number == max(said)
        for found in NAME.findall(sentence.text)
        for word in stems(found)
    }
    return names.difference(stems(name))


def _is_like(word: str, others: Iterable[str]) -> bool:
    return any(likeness(word, other) >= _ALIKE for other in others)


def _day_of(sentence: Sentence) -> date | None:
    """Return the day of what a sentence tells, or None.

    That is the date written in it (its year may be that of the telling, and a lone year stands
    for its first day), else the day of the telling less what is said to have passed since.
    """
    written = day_in(sentence.text) or next(iter(_days_written(sentence)), None)
    if written or not sentence.day:
        return written
    try:
        return sentence.day - timedelta(days=_days_before(sentence.text, sentence.day))
    except OverflowError:  # Before the year 1.
        return None


def _days_written(sentence: Sentence) -> list[date]:
    """Return the days written in a sentence, in order; a lone year stands for its first day.

    In a dated chat a day may lack its year, and a lone year is none.
    """
    whole = dict(_whole_days(sentence.text, sentence.day))
    years = {
        year.start(): date(int(year.group()), 1, 1)
        for year in ([] if sentence.day else _YEAR.finditer(sentence.text))
        if year.end() not in whole
    }
    return [day for _, day in sorted([*whole.items(), *years.items()])]


def _whole_days(text: str, told: date | None) -> Iterator[tuple[int, date]]:
    """Yield where days end that are written with a month, and the days."""
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        for match in pattern.finditer(text):
            day, month = sorted(match.group(1, 2), key=lambda part: not part.isdigit())
            year = int(match.group(3)) if match.group(3) else (told and told.year)
            try:
                written = date(year or 0, _MONTHS.index(month.lower()) + 1, int(day))
            except ValueError:  # No year, or no such day.
                continue
            yield match.end(), written


def _days_before(text: str, told: date) -> int:
    ago, last = _AGO.search(text), _LAST.search(text)
    if ago:
        number, unit = ago.group(1).lower(), ago.group(2).lower()
        count = _COUNTS.index(number) if number in _COUNTS else 1
        return round((min(int(number), 10_000) if number.isdigit() else count) * _DAYS[unit])
    if last:
        unit = last.group(1).lower()
        weekday = _WEEKDAYS.index(unit) if unit in _WEEKDAYS else 0
        return round(_DAYS[unit]) if unit in _DAYS else (told.weekday() - weekday - 1) % 7 + 1
    return 1 if _YESTERDAY.search(text) else 0
