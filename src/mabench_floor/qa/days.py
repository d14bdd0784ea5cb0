"""Finds when something happened: days in a sentence, or days relative to when it was said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from mabench_floor.qa.search import Search
from mabench_floor.sentences import HistorySentence, day_in, stems

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
# How many sentences found for an event are read.
_READ = 10


def day_told(event: str, search: Search, topic: str = "") -> date | None:
    """Return the day in the best of the sentences found for an event that has one.

    Paragraphs that open with the event's own words come first, because they are about it.
    """
    places = [hit.place for hit in search.find(f"{topic} {event}", _READ)]
    places.sort(key=lambda place: not search.documents.opens_with(place, stems(event)))
    return next((day for p in places if (day := day_of(search.sentences[p]))), None)


def day_of(sentence: HistorySentence) -> date | None:
    """Return the day of what a sentence says; None if it has none.

    That is the date in the sentence. A date without a year may take the year in which it was said;
    a year alone means its first day. Without a date, it is the day on which it was said, less the
    time that is said to have passed since.
    """
    written = day_in(sentence.text) or next(iter(days_written(sentence)), None)
    if written or not sentence.day:
        return written
    try:
        return sentence.day - timedelta(days=_days_before(sentence.text, sentence.day))
    except OverflowError:  # Before the year 1.
        return None


def days_written(sentence: HistorySentence) -> list[date]:
    """Return the days written in a sentence, in order; a year alone means its first day.

    In a dated chat, a day may lack its year, and a year alone is not a day.
    """
    whole = dict(_whole_days(sentence.text, sentence.day))
    years = {
        year.start(): date(int(year.group()), 1, 1)
        for year in ([] if sentence.day else _YEAR.finditer(sentence.text))
        if year.end() not in whole
    }
    return [day for _, day in sorted([*whole.items(), *years.items()])]


def _whole_days(text: str, told: date | None) -> Iterator[tuple[int, date]]:
    """Yield the days that are written with a month, and where each ends."""
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
    """Return how many days ago something happened, from words such as "two weeks ago"."""
    ago, last = _AGO.search(text), _LAST.search(text)
    if ago:
        number, unit = ago.group(1).lower(), ago.group(2).lower()
        count = _COUNTS.index(number) if number in _COUNTS else 1
        return round((min(int(number), 10_000) if number.isdigit() else count) * DAYS[unit])
    if last:
        unit = last.group(1).lower()
        weekday = _WEEKDAYS.index(unit) if unit in _WEEKDAYS else 0
        return round(DAYS[unit]) if unit in DAYS else (told.weekday() - weekday - 1) % 7 + 1
    return 1 if _YESTERDAY.search(text) else 0
