"""When a sentence says that something was: written dates, and days counted from the telling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from mabench_floor.sentences import Sentence, day_in

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
DAYS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_DAY_MONTH = re.compile(rf"\b{_DAY} (?:of )?{_MONTH},?(?: ([12]\d{{3}}))?\b", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b{_MONTH} {_DAY}\b,?(?: ([12]\d{{3}}))?\b", re.IGNORECASE)
_YEAR = re.compile(r"\b([12]\d{3})\b")
_AGO = re.compile(
    rf"\b(an?|\d{{1,9}}|{'|'.join(_COUNTS)}) ({'|'.join(DAYS)})s? ago\b", re.IGNORECASE
)
_LAST = re.compile(rf"\blast ({'|'.join((*_WEEKDAYS, *DAYS))})\b", re.IGNORECASE)
_YESTERDAY = re.compile(r"\byesterday\b", re.IGNORECASE)


def day_of(sentence: Sentence) -> date | None:
    """Return the day of what a sentence tells, or None.

    That is the date written in it (its year may be that of the telling, and a lone year stands
    for its first day), else the day of the telling less what is said to have passed since.
    """
    written = day_in(sentence.text) or next(_written(sentence.text, sentence.day), None)
    if written or not sentence.day:
        return written
    try:
        return sentence.day - timedelta(days=_days_before(sentence.text, sentence.day))
    except OverflowError:  # Before the year 1.
        return None


def days_written(sentence: Sentence) -> list[date]:
    """Return the days written in a sentence, in order; a lone year stands for its first day."""
    whole = dict(_whole_days(sentence.text, None))
    years = {
        year.start(): date(int(year.group()), 1, 1)
        for year in _YEAR.finditer(sentence.text)
        if year.end() not in whole
    }
    return [day for _, day in sorted([*whole.items(), *years.items()])]


def _written(text: str, told: date | None) -> Iterator[date]:
    yield from (day for _, day in _whole_days(text, told))
    if not told:
        yield from (date(int(year), 1, 1) for year in _YEAR.findall(text))


def _whole_days(text: str, told: date | None) -> Iterator[tuple[int, date]]:
    """Yield where days end that are written with a month, and the days."""
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        for match in pattern.finditer(text):
            day, month = sorted(match.group(1, 2), key=lambda part: not part.isdigit())
            number = _MONTHS.index(month.lower()) + 1
            year = int(match.group(3)) if match.group(3) else (told and told.year)
            if year and _is_day(year, number, int(day)):
                yield match.end(), date(year, number, int(day))


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _days_before(text: str, told: date) -> int:
    ago, last = _AGO.search(text), _LAST.search(text)
    if ago:
        return round(_count(ago.group(1).lower()) * DAYS[ago.group(2).lower()])
    if last and last.group(1).lower() in DAYS:
        return round(DAYS[last.group(1).lower()])
    if last:
        return (told.weekday() - _WEEKDAYS.index(last.group(1).lower()) - 1) % 7 + 1
    return 1 if _YESTERDAY.search(text) else 0


def _count(word: str) -> int:
    if word.isdigit():
        return min(int(word), 10_000)
    return _COUNTS.index(word) if word in _COUNTS else 1
