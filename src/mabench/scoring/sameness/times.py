"""Times of a text as days, first and last: whether it tells the time of a gold, or another.

``The Friday before 20 May 2023`` is 19 May 2023, the early 900s lie within the 10th century, and
what is only about right is never surely another time.

A time has a point, such as a day, a month or a century, and may have what is said before it: a
part (``early``), or how far before or after the point it is. A match of ``_TIME`` has groups for
all of these.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, timedelta
from typing import NamedTuple

from mabench.scoring.lexicon import alternatives, entries, remembered
from mabench.scoring.tokens import plain

_TIME = r"""
    (?P<vague> \b(?: about|around|approximately|roughly|circa|sometime(?:\ in)?|likely|probably )
        \ (?: the\ )? )?
    (?:                                             # Two weeks before 11 August
        (?: \b(?P<count>\d{1,2})\  )? \b(?P<unit>%(units)s)s?\ (?: of\ )?
        (?: (?P<before>before|prior\ to|preceding|(?:leading\ )?up\ to) | after | following )
        \ (?: the\ )?
      | \b(?P<edge>first|last|beginning|start|end|middle|early|mid|late)
        (?P<edge_week>\ week(?:end)?)? \ (?: of|in )\ (?: the\ )?   # The last week of September
      | \b(?P<week>week(?:end)?)\ of\ (?: the\ )?                   # The week of 3 May
    )?
    (?<![\d.]) (?: (?P<part>early|mid|late)[ -] )?
    (?:
        (?: (?P<day>\d{1,2})\  )? (?P<month>%(months)s)\b (?: ,?\ (?P<year>\d{4}) )?
      | (?P<century>\d{1,2})(?:st|nd|rd|th)\ century
      | (?P<decade>\d{2,3}0)s
      | (?P<only>\d{4})
    )\b (?![.,]\d) (?!\ BCE?\b)      # Years before Christ are no dates.
    """
_BRACKETS = re.compile(r"\([^()]*\)")
_DAY = timedelta(1)
_WEEK, _MONTH, _YEAR = 7, 31, 366  # Days, at most.
_FEWEST_OF_DECADE = 5 * _YEAR  # Days of a time that may say a decade; a single year does not.


@remembered()
def _time_pattern() -> re.Pattern[str]:
    """Return the pattern of a time: a point, and what is said before it."""
    parts = _parts()
    return re.compile(_TIME % parts, re.IGNORECASE | re.VERBOSE)


def _parts() -> dict[str, str]:
    """Return the words of ``_TIME``: units of time, and months."""
    weekdays, months = alternatives("times.weekdays"), alternatives("times.months")
    return {"units": f"day|week|weekend|month|year|{weekdays}", "months": months}


class Time(NamedTuple):
    """The first and the last day of a time, and how many days earlier or later it may be."""

    first: date
    last: date
    early: int
    late: int


def same_time(gold: str, text: str) -> bool | None:
    """Return whether ``plain`` text tells the time of a gold, a time within it, or another.

    None if that is open: it tells no time, one that holds the gold's, one that is only about right,
    or several that differ. A day without a year is taken to be of the gold's year, or of the first
    that the text says.
    """
    golds, said = [*_time_pattern().finditer(plain(gold))], _find_times(text)
    if len(golds) != 1 or not said:
        return None
    years = [year for match in (golds[0], *said) if (year := _year_in(match))]
    known_year = years[0] if years else None
    wanted = _read_time(golds[0], known_year)
    times = [time for match in said if (time := _read_time(match, known_year))]
    if wanted is None or len(times) < len(said):
        return None
    if all(_are_apart(wanted, time) for time in times):
        return False
    closest = min(times, key=lambda time: time.last - time.first)
    if any(_are_apart(closest, time) for time in times):
        return None
    length = (closest.last - closest.first).days
    is_too_narrow = golds[0]["decade"] and length < _FEWEST_OF_DECADE
    is_within = wanted.first <= closest.first and closest.last <= wanted.last
    return True if is_within and not is_too_narrow else None


def _find_times(text: str) -> list[re.Match[str]]:
    """Return the times that a text tells, those in brackets only where there are no others.

    What is in brackets explains: ``13 May 2023 (the Saturday before the talk of 19 May 2023)``.
    """
    outside = [*_time_pattern().finditer(_BRACKETS.sub(" ", text))]
    return outside or [*_time_pattern().finditer(text)]


def _are_apart(one: Time, other: Time) -> bool:
    """Return whether two times have no day in common, however far off they may be."""
    return _is_before(one, other) or _is_before(other, one)


def _is_before(one: Time, other: Time) -> bool:
    """Return whether a time ends before another begins, as late or early as they may be."""
    return (other.first - one.last).days > one.late + other.early


def _year_in(match: re.Match[str]) -> int | None:
    """Return the year that a match of ``_TIME`` says; None without one."""
    year = match["only"] or match["year"]
    return int(year) if year else None


def _read_time(match: re.Match[str], year: int | None) -> Time | None:
    """Return the days of a match of ``_TIME``, which without a year is of the one that is given.

    None if its year is not known, or there is no such day.
    """
    with suppress(ValueError, OverflowError):
        if span := _span(match, year):
            return _refine(match, *span)
    return None


def _span(match: re.Match[str], year: int | None) -> tuple[date, date] | None:
    """Return the days of the point of a match: a century, a decade, a year, a month or a day.

    ``year`` is that of a point that says none. The 1900s are the century, not its first decade.
    """
    if match["century"]:
        return _months(1200 * (int(match["century"]) - 1), 1200)
    if match["decade"]:
        decade = int(match["decade"])
        return _months(12 * decade, 120 if decade % 100 else 1200)
    known = _year_in(match) or year
    if known is None:
        return None
    if not match["month"]:
        return _months(12 * known, 12)
    first, last = _months(12 * known + entries("times.months").index(match["month"].lower()), 1)
    if match["day"]:
        first = last = first.replace(day=int(match["day"]))
    return first, last


def _refine(match: re.Match[str], first: date, last: date) -> Time:
    """Return a time with what is said before its point: a part of it, or some weeks before.

    ``first`` and ``last`` are the days of the point.
    """
    length = (last - first).days + 1
    slack = _slack_of_vague(length) if match["vague"] else 0
    early = late = 0
    if match["unit"]:
        first, last = _beside(match, first, last)
        week = _WEEK if match["unit"].lower() == "week" else 0
        early, late = (week, 0) if match["before"] else (0, week)
    elif match["week"]:  # Which day a week begins with is not known.
        first, last = first - _WEEK * _DAY, last + _WEEK * _DAY
    part = (match["part"] or match["edge"] or "").lower()
    if part and length > 1:
        # The first days of a month may be no whole week. "Early" is the first four tenths, and its
        # bounds are no closer than a quarter of that.
        size = _WEEK + 1 if match["edge_week"] else length * 4 // 10
        first, last = _part_of(part, size, first, last)
        slack += size // 4
    return Time(first, last, slack + early, slack + late)


def _slack_of_vague(length: int) -> int:
    """Return by how many days a time of some days may be off that is only about right."""
    if length == 1:
        return _WEEK
    return _MONTH if length <= _MONTH else _YEAR


def _part_of(part: str, size: int, first: date, last: date) -> tuple[date, date]:
    """Return the days of the beginning or the end of a time, of some size in days, or its middle.

    The middle is what is left without three quarters of the size at either end.
    """
    if part in ("early", "first", "beginning", "start"):
        return first, first + (size - 1) * _DAY
    if part in ("late", "last", "end"):
        return last - (size - 1) * _DAY, last
    edge = size * 3 // 4 * _DAY
    return first + edge, last - edge


def _beside(match: re.Match[str], first: date, last: date) -> tuple[date, date]:
    """Return the days of a unit some number of units before or after other days.

    Months and years are those of the calendar; a week is seven days. Of Wednesday, 15 May 2024:
    ``two months before`` is March, ``a week after`` 16 to 22 May, ``two Fridays after`` 24 May.
    """
    unit, count = match["unit"].lower(), int(match["count"] or 1)
    sign, start = (-1, first) if match["before"] else (1, last)
    if unit in ("month", "year"):
        months_each = 12 if unit == "year" else 1
        month = 12 * first.year + first.month - 1  # Since the year 0.
        start_of_unit = month - month % months_each
        return _months(start_of_unit + sign * count * months_each, months_each)
    if unit == "week":  # The nearest and the farthest of its seven days.
        near, far = start + sign * (7 * count - 6) * _DAY, start + sign * 7 * count * _DAY
        return min(near, far), max(near, far)
    if unit == "day":
        day = start + sign * count * _DAY
        return day, day
    weekday = entries("times.weekdays").index("saturday" if unit == "weekend" else unit)
    # From 1 to 7: the same weekday is a week away.
    days_to_first = (sign * (weekday - start.weekday())) % 7 or 7
    day = start + sign * (days_to_first + 7 * (count - 1)) * _DAY
    return day, day + _DAY if unit == "weekend" else day


def _months(first: int, count: int) -> tuple[date, date]:
    """Return the first and the last day of a number of months, counted from the year 0."""
    begin, end = (date(month // 12, month % 12 + 1, 1) for month in (first, first + count))
    return begin, end - _DAY
