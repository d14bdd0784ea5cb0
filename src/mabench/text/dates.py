"""Reads what is a date as a whole, in any usual form: a field of an export or of a benchmark.

Libraries of dates guess whether ``5/6/2023`` is in May or in June. Here it stays open, and who has
the other dates of its file decides, or asks. A date without a zone stays without. Dates within
prose are another matter: ``times`` finds them, in fewer forms that cannot be anything else.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import NamedTuple

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_LONGEST = 100  # Characters of a date.
_NUMBER = re.compile(r"\d{9,19}(?:\.\d{1,9})?")
# How many of a unit there are from 1973 to 2286, and how many make a second.
_SINCE_1970 = (
    (range(10**8, 10**10), 1),
    (range(10**11, 10**13), 10**3),
    (range(10**14, 10**16), 10**6),
    (range(10**17, 10**19), 10**9),
)
_CLOCK = (
    r"(?P<hour>\d{{1,2}}){sign}(?P<minute>\d\d)(?:{sign}(?P<second>\d\d)(?:[.,]\d{{1,9}})?)?"
    r"(?:\s?(?P<half>[aApP])\.?\s?[mM]\b\.?)?"
)
CLOCK = _CLOCK.format(sign="[:.]")
NUMERIC_DATE = (
    r"(?P<one>\d{4}|\d{1,2})(?P<sign>[./-])(?P<two>\d{1,2})(?P=sign)(?P<three>\d{4}|\d{1,2})"
)
# A clock with dots can be part of a date, and is looked for where there is none with colons.
_CLOCKS = tuple(
    re.compile(form)
    for form in (
        rf"(?:(?<=\d)T|(?<![\d:])){_CLOCK.format(sign=':')}",
        rf"(?:(?<=\d)T|(?<=[\s,])){_CLOCK.format(sign='[.]')}(?![\d.])",
    )
)
# A zone directly after a time of day; elsewhere such a number could be part of a date. Its name may
# follow in brackets, as in `+0200 (CEST)`.
_ZONE = re.compile(
    r"\s?\(?(?:(?:(?:utc|gmt)\s?)?(?P<sign>[+-])(?P<hours>\d\d?):?(?P<minutes>\d\d)?(?![\d:])"
    rf"|(?:utc|gmt|z)\b)\)?(?:\s\((?!(?:{'|'.join(_WEEKDAYS)})[a-z]*\))[a-z ]+\))?",
    re.IGNORECASE,
)
_UTC = re.compile(r"\s?(?:UTC|GMT)$")
_WEEKDAY = re.compile(rf"\(?\b(?P<name>{'|'.join(_WEEKDAYS)})[a-z]*\b\)?[.,]?", re.IGNORECASE)
# The words and signs that may be left between the parts of a date.
_FILLERS = re.compile(r"(?:\b(?:at|on|the|of)\b|[\s,;()|T-])*", re.IGNORECASE)
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DAY, _YEAR, _GAP = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<year>\d{4})", r"[\s,/.-]+(?:of\s+)?"
_NAMED_MONTHS = tuple(
    re.compile(rf"(?<![\w]){form}(?![\w])", re.IGNORECASE)
    for form in (
        rf"{_DAY}{_GAP}{_MONTH}{_GAP}{_YEAR}",  # 8 May 2023
        rf"{_MONTH}{_GAP}{_DAY}{_GAP}{_YEAR}",  # May 8, 2023
        rf"{_YEAR}{_GAP}{_MONTH}{_GAP}{_DAY}",  # 2023 May 8
    )
)
_NUMERIC = re.compile(rf"(?<!\d){NUMERIC_DATE}(?!\d)\.?")
# In mail, zones may have names, such as EST, and years two digits.
_OF_MAIL = re.compile(
    r"(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} (?:\d{4}|\d\d) \d\d:\d\d(?::\d\d)? "
    r"(?:[A-Z]{1,5}|[+-]\d{4})"
)


class DateOrder(StrEnum):
    """What ``5/6/23`` is: the fifth of June, or the sixth of May."""

    DAY_FIRST = "day-first"
    MONTH_FIRST = "month-first"


class OpenDate(NamedTuple):
    """A time whose day and month may be the one or the other."""

    one: int
    two: int
    year: int
    seconds: int  # Since midnight.
    text: str
    zone: timezone | None = None
    weekday: int | None = None  # The one that is named with it, from 0 for Monday.

    def moment(self, order: DateOrder) -> datetime:
        """Return the time, in its zone if it names one.

        Raises:
            ValueError: when there is no such day, or it has another weekday than the named one.
        """
        numbers = (self.one, self.two)
        day, month = numbers if order == DateOrder.DAY_FIRST else numbers[::-1]
        midnight = datetime(self.year, month, day, tzinfo=self.zone)
        if self.weekday not in (None, midnight.weekday()):
            raise ValueError("the day has another weekday")
        return midnight + timedelta(seconds=self.seconds)

    def possible_orders(self) -> set[DateOrder]:
        """Return the orders in which there is such a day, with the weekday that is named."""
        possible = set()
        for order in DateOrder:
            with suppress(ValueError, OverflowError):
                self.moment(order)
                possible.add(order)
        return possible


def read_date(value: object) -> datetime | OpenDate | None:
    """Return a time, or one whose order of day and month is open; None for what is no time.

    Numbers are seconds since 1970, or thousandths, millionths or billionths of one. Without a
    clock it is midnight.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = " ".join(str(value).split())
    if not text or len(text) > _LONGEST:
        return None
    try:
        return _since_1970(text) if _NUMBER.fullmatch(text) else _read_text(text)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def _since_1970(text: str) -> datetime | None:
    for span, per_second in _SINCE_1970:
        if int(float(text)) in span:
            return datetime.fromtimestamp(float(text) / per_second, UTC)
    return None


def _read_text(text: str) -> datetime | OpenDate | None:
    with suppress(ValueError):
        return datetime.fromisoformat(_UTC.sub("Z", text))
    for clock in _CLOCKS:
        if (date := _read_parts(text, clock)) is not None:
            return date
    return parsedate_to_datetime(text) if _OF_MAIL.fullmatch(text) else None


def _read_parts(text: str, clock_form: re.Pattern[str]) -> datetime | OpenDate | None:
    """Return the date that a text consists of; None if a part is missing, or more is left."""
    seconds, zone, weekday = 0, None, None
    if clock := clock_form.search(text):
        seconds, end = read_clock(clock), clock.end()
        if named_zone := _ZONE.match(text, end):
            zone, end = _read_zone(named_zone), named_zone.end()
        text = f"{text[: clock.start()]} {text[end:]}"
    if named_day := _WEEKDAY.search(text):
        weekday = _WEEKDAYS.index(named_day["name"].lower())
        text = f"{text[: named_day.start()]} {text[named_day.end() :]}"
    for form in (*_NAMED_MONTHS, _NUMERIC):
        match = form.search(text)
        if match and _FILLERS.fullmatch(f"{text[: match.start()]} {text[match.end() :]}"):
            day = _numeric_day(match) if form is _NUMERIC else _named_day(match)
            if isinstance(day, OpenDate):
                return day._replace(seconds=seconds, zone=zone, weekday=weekday)
            return day.replace(tzinfo=zone) + timedelta(seconds=seconds)
    return None


def _named_day(match: re.Match[str]) -> datetime:
    month = _MONTHS.index(match["month"].lower()) + 1
    return datetime(int(match["year"]), month, int(match["day"]))


def _numeric_day(match: re.Match[str]) -> datetime | OpenDate:
    """Return the day of a match of ``NUMERIC_DATE``; raises ``ValueError`` for none."""
    one, two, three = (int(match[name]) for name in ("one", "two", "three"))
    if len(match["one"]) == 4:
        return datetime(one, two, three)
    if len(match["three"]) == 1:
        raise ValueError("no year has one digit")
    year = three + 2000 if len(match["three"]) == 2 else three
    if one == two:
        return datetime(year, one, one)
    text = match["sign"].join((match["one"], match["two"], match["three"]))
    return OpenDate(one, two, year, 0, text)


def read_stamp(match: re.Match[str]) -> datetime | OpenDate:
    """Return the time of a match of ``NUMERIC_DATE`` and ``CLOCK``; raises ``ValueError``."""
    date, seconds = _numeric_day(match), read_clock(match)
    if isinstance(date, OpenDate):
        return date._replace(seconds=seconds)
    return date + timedelta(seconds=seconds)


def _read_zone(match: re.Match[str]) -> timezone:
    """Return a zone; raises ``ValueError`` for one that is a day away, or more."""
    if match["sign"] is None:
        return UTC
    distance = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
    return timezone(distance if match["sign"] == "+" else -distance)


def read_clock(match: re.Match[str]) -> int:
    """Return the seconds since midnight; raises ``ValueError`` for what no clock shows."""
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    half = (match["half"] or "").lower()
    if minute > 59 or second > 59 or hour > 23 or (half and not 1 <= hour <= 12):
        raise ValueError("no clock shows this")
    if half:
        hour = hour % 12 + 12 * (half == "p")
    return 3600 * hour + 60 * minute + second
