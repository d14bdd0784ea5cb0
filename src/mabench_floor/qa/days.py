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
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_OPTIONAL_YEAR = r"(?: (?P<year>[12]\d{3}))?"
_DAY_MONTH = re.compile(rf"\b{_DAY} (?:of )?{_MONTH},?{_OPTIONAL_YEAR}\b", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b{_MONTH} {_DAY}\b,?{_OPTIONAL_YEAR}\b", re.IGNORECASE)
_YEAR = re.compile(r"\b([12]\d{3})\b")
_AGO = re.compile(
    rf"\b(an?|\d{{1,9}}|{'|'.join(_COUNTS)}) ({'|'.join(DAYS)})s? ago\b", re.IGNORECASE
)
_LAST = re.compile(rf"\blast ({'|'.join((*_WEEKDAYS, *DAYS))})\b", re.IGNORECASE)
_YESTERDAY = re.compile(r"\byesterday\b", re.IGNORECASE)
# A larger number of days, weeks, months or years ago is taken for this one.
_MOST_COUNTED = 10_000
# How many sentences found for an event are read.
_READ = 10


def day_told(event: str, search: Search, topic: str = "") -> date | None:
    """Return the day in the best of the sentences found for an event that has one.

    Paragraphs that open with the event's own words come first, because they are about it.
    """
    places = [hit.place for hit in search.find(f"{topic} {event}", _READ)]
    about = [place for place in places if search.documents.opens_with(place, stems(event))]
    others = [place for place in places if place not in about]
    for place in about + others:
        day = day_of(search.sentences[place])
        if day:
            return day
    return None


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
    whole_days = dict(_whole_days(sentence.text, sentence.day))
    years: list[tuple[int, date]] = []
    if not sentence.day:
        years = [
            (year.start(), date(int(year.group()), 1, 1))
            for year in _YEAR.finditer(sentence.text)
            if year.end() not in whole_days  # Else it is the year of a whole day.
        ]
    return [day for _, day in sorted([*whole_days.items(), *years])]


def _whole_days(text: str, told: date | None) -> Iterator[tuple[int, date]]:
    """Yield where each day that is written with a month ends, and the day.

    A day without a year is in the year of ``told``; without that, it is left out.
    """
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        for match in pattern.finditer(text):
            if match["year"]:
                year = int(match["year"])
            elif told:
                year = told.year
            else:
                continue
            month = _MONTHS.index(match["month"].lower()) + 1
            try:
                written = date(year, month, int(match["day"]))
            except ValueError:  # No such day.
                continue
            yield match.end(), written


def _days_before(text: str, told: date) -> int:
    """Return how many days ago something happened, from words such as "two weeks ago"."""
    ago, last = _AGO.search(text), _LAST.search(text)
    if ago:
        return round(_count(ago.group(1).lower()) * DAYS[ago.group(2).lower()])
    if last:
        unit = last.group(1).lower()
        if unit in DAYS:
            return round(DAYS[unit])
        days_since = (told.weekday() - _WEEKDAYS.index(unit)) % len(_WEEKDAYS)
        return days_since or len(_WEEKDAYS)  # "Last Monday", on a Monday, is a week ago.
    return 1 if _YESTERDAY.search(text) else 0


def _count(word: str) -> int:
    """Return the number that a word means, "an" and "a" being one."""
    if word.isdigit():
        return min(int(word), _MOST_COUNTED)
    return _COUNTS.index(word) if word in _COUNTS else 1
