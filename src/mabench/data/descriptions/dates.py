"""Reads the dates of a history's sessions, in any of the usual forms.

The dates of a history are read together: whether ``5/6/2023`` is in May or in June follows from its
weekday, or from other dates of the same history. A date that stays ambiguous is not read at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Literal, NamedTuple

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_LONGEST = 100  # Characters of a date.
_DAY_LONG = timedelta(days=1)
# Seconds since 1970 from 1973 to 2286; milliseconds are a thousand times that.
_SECONDS = range(10**8, 10**10)
_MILLISECONDS = range(10**11, 10**13)
_NUMBER = re.compile(r"\d{9,13}(?:\.\d{1,9})?")
_CLOCK = re.compile(
    r"(?<![\d:])(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d{1,9})?)?"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?",
    re.IGNORECASE,
)
# A zone directly after a time of day; elsewhere such a number could be part of a date.
_ZONE = re.compile(
    r"\s?(?:(?:utc|gmt)\s?)?(?P<sign>[+-])(?P<hours>\d\d?):?(?P<minutes>\d\d)?(?![\d:])"
    r"|\s?(?:utc|gmt|z)\b",
    re.IGNORECASE,
)
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
_YEAR_FIRST = re.compile(r"(?<!\d)(?P<year>\d{4})([/.-])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(?P<one>\d{1,2})([/.-])(?P<two>\d{1,2})\2(?P<year>\d{4})(?!\d)")

DayOrder = Literal["day first", "month first"]


class _Date(NamedTuple):
    """The parts of a date; ``numbers`` are day and month if their order is not known."""

    year: int
    month: int
    day: int
    numbers: tuple[int, int] | None
    weekday: int | None
    seconds: int  # Since midnight.
    zone: timezone

    def moment(self, order: DayOrder | None) -> datetime:
        """Return the time; raise a ``ValueError`` if there is no such day or no known order."""
        month, day = self.month, self.day
        if self.numbers is not None:
            if order is None:
                raise ValueError("day and month cannot be told apart")
            day, month = self.numbers if order == "day first" else self.numbers[::-1]
        midnight = datetime(self.year, month, day, tzinfo=self.zone)
        return midnight + timedelta(seconds=self.seconds)

    def possible_orders(self) -> set[DayOrder]:
        """Return the orders of day and month that give a valid date with the right weekday."""
        orders: set[DayOrder] = set()
        for order in ("day first", "month first"):
            try:
                day = self.moment(order)
            except ValueError:
                continue
            if self.weekday in (None, day.weekday()):
                orders.add(order)
        return orders


def read_dates(values: Sequence[object]) -> list[datetime | None]:
    """Return the times of a history's sessions; None for each that cannot be read.

    A time without a zone is in UTC, and one without a clock at midnight.
    """
    dates = [_read_date(value) for value in values]
    order = _order_of(date for date in dates if isinstance(date, _Date))
    return [_moment(date, order) for date in dates]


def _order_of(dates: Iterable[_Date]) -> DayOrder | None:
    """Return the only order of day and month that fits all dates; None if there is none."""
    common: set[DayOrder] = {"day first", "month first"}
    for date in dates:
        if date.numbers is not None and date.numbers[0] != date.numbers[1]:
            common &= date.possible_orders()
    return common.pop() if len(common) == 1 else None


def _moment(date: datetime | _Date | None, order: DayOrder | None) -> datetime | None:
    """Return the time of a date, given the order of day and month in the history."""
    if not isinstance(date, _Date):
        return date
    if date.numbers is not None and date.numbers[0] == date.numbers[1]:
        order = "day first"  # 5/5/2023 is the same day in both.
    try:
        return date.moment(order)
    except (ValueError, OverflowError):
        return None


def _read_date(value: object) -> datetime | _Date | None:
    """Return a time, or the parts of a date; None if the value is neither."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip()
    if len(text) > _LONGEST:
        return None
    try:
        if _NUMBER.fullmatch(text):
            return _since_1970(float(text))
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return _parse_parts(text)


def _since_1970(number: float) -> datetime | None:
    """Return the time for seconds or milliseconds since 1970; None for other numbers."""
    if int(number) in _SECONDS:
        return datetime.fromtimestamp(number, UTC)
    if int(number) in _MILLISECONDS:
        return datetime.fromtimestamp(number / 1000, UTC)
    return None


def _parse_parts(text: str) -> _Date | None:
    """Return the parts of a date in a text; None if one is missing, or other text is left."""
    seconds: int | None = 0
    zone, weekday = UTC, None
    clock = _CLOCK.search(text)
    if clock:
        seconds = _seconds(clock)
        end = clock.end()
        named_zone = _ZONE.match(text, end)
        if named_zone:
            offset, end = _offset(named_zone), named_zone.end()
            if abs(offset) >= _DAY_LONG:
                return None
            zone = timezone(offset)
        text = f"{text[: clock.start()]} {text[end:]}"
    if seconds is None:
        return None
    named_day = _WEEKDAY.search(text)
    if named_day:
        weekday = _WEEKDAYS.index(named_day["name"].lower())
        text = f"{text[: named_day.start()]} {text[named_day.end() :]}"
    for form in (*_NAMED_MONTHS, _YEAR_FIRST, _YEAR_LAST):
        match = form.search(text)
        if match and _FILLERS.fullmatch(f"{text[: match.start()]} {text[match.end() :]}"):
            fields = match.groupdict()
            year = int(fields["year"])
            if form is _YEAR_LAST:
                numbers = int(fields["one"]), int(fields["two"])
                return _Date(year, 0, 0, numbers, weekday, seconds, zone)
            named_month = fields["month"].lower()
            month = int(named_month) if named_month.isdecimal() else _MONTHS.index(named_month) + 1
            return _Date(year, month, int(fields["day"]), None, weekday, seconds, zone)
    return None


def _seconds(clock: re.Match[str]) -> int | None:
    """Return the seconds since midnight; None if there is no such time of day."""
    hour, minute, second = (int(clock[name] or 0) for name in ("hour", "minute", "second"))
    half = (clock["half"] or "").lower()
    if minute > 59 or second > 59 or hour > 23 or (half and not 1 <= hour <= 12):
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return 3600 * hour + 60 * minute + second


def _offset(match: re.Match[str]) -> timedelta:
    """Return the offset of a zone from UTC."""
    if match["sign"] is None:
        return timedelta(0)
    offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
    return offset if match["sign"] == "+" else -offset
