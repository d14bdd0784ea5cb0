"""The times of messages, as exports write them; one without a zone stays without.

Whether ``5/6/23`` is in May or June is told by the other dates of the same file, or asked for once;
it is never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from mabench.errors import DataError, UsageError
from mabench.formats import DateOrder, Item

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONGEST = 100  # Characters of a time.
_NUMBER = re.compile(r"\d{9,19}(?:\.\d{1,9})?")
# How many of a unit there are from 1973 to 2286, and how many make a second.
_SINCE_1970 = (
    (range(10**8, 10**10), 1),
    (range(10**11, 10**13), 10**3),
    (range(10**14, 10**16), 10**6),
    (range(10**17, 10**19), 10**9),
)
CLOCK = (
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d)(?:[.,]\d{1,9})?)?"
    r"(?:\s?(?P<half>[aApP])\.?\s?[mM]\b\.?)?"
)
NUMERIC_DATE = r"(?P<one>\d{1,4})(?P<sign>[./-])(?P<two>\d{1,2})(?P=sign)(?P<three>\d{1,4})"
_GAP = r"(?:,?\s+(?:at\s+)?|,|T)"
_ZONE = r"(?:\s?\(?(?P<zone>(?:UTC|GMT)\s?[+-]\d\d?(?::?\d\d)?|[+-]\d\d?(?::?\d\d)?|Z|UTC|GMT)\)?)?"
_OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d\d?):?(?P<minutes>\d\d)?")
_MONTH = r"(?P<month>[A-Za-z]{3,9})\.?"
_YEAR, _DAY = r"(?P<year>\d{4})", r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\.?"
_NUMERIC = re.compile(rf"{NUMERIC_DATE}\.?(?:{_GAP}{CLOCK}{_ZONE})?")
_NAMED = tuple(
    re.compile(rf"(?:[A-Za-z]{{3,9}},?\s+)?{date}(?:{_GAP}{CLOCK}{_ZONE})?")
    for date in (rf"{_DAY}[\s-]+{_MONTH},?[\s-]+{_YEAR}", rf"{_MONTH}\s+{_DAY},?\s+{_YEAR}")
)

_OF_MAIL = re.compile(r"[A-Z][a-z]{2},? .*\d:\d\d.*\d{4}|[A-Z][a-z]{2}, .*\d{4}.*\d:\d\d")


class OpenDate(NamedTuple):
    """A time whose day and month may be the one or the other."""

    one: int
    two: int
    year: int
    seconds: int  # Since midnight.
    text: str
    zone: timezone | None = None

    def moment(self, order: DateOrder) -> datetime:
        """Return the time, in its zone if it names one; raises ``ValueError`` for no such day."""
        numbers = (self.one, self.two)
        day, month = numbers if order == DateOrder.DAY_FIRST else numbers[::-1]
        midnight = datetime(self.year, month, day, tzinfo=self.zone)
        return midnight + timedelta(seconds=self.seconds)


def parse_time(value: object) -> datetime | OpenDate | None:
    """Return a time, or one whose order of day and month is open; None for what is no time."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = " ".join(str(value).split())
    if not text or len(text) > _LONGEST:
        return None
    try:
        if _NUMBER.fullmatch(text):
            return _since_1970(text)
        return _parse_text(text)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def _since_1970(text: str) -> datetime | None:
    for span, per_second in _SINCE_1970:
        if int(float(text)) in span:
            return datetime.fromtimestamp(float(text) / per_second, UTC)
    return None


def _parse_text(text: str) -> datetime | OpenDate | None:
    plain = re.sub(r"\s?(?:UTC|GMT)$", "Z", text)
    try:
        return datetime.fromisoformat(plain)
    except ValueError:
        pass
    if match := _NUMERIC.fullmatch(text):
        return _with_zone(numeric_date(match), match["zone"])
    for form in _NAMED:
        match = form.fullmatch(text)
        name = match["month"].lower()[:3] if match else ""
        if match and name in _MONTHS:
            month = _MONTHS.index(name) + 1
            moment = datetime(int(match["year"]), month, int(match["day"]))
            return _with_zone(moment + timedelta(seconds=read_clock(match)), match["zone"])
    return parsedate_to_datetime(text) if _OF_MAIL.match(text) else None


def numeric_date(match: re.Match[str]) -> datetime | OpenDate:
    """Return the time of a match of ``NUMERIC_DATE`` and ``CLOCK``; raises ``ValueError``."""
    one, two, three = (int(match[name]) for name in ("one", "two", "three"))
    seconds = read_clock(match)
    if len(match["one"]) == 4:
        return datetime(one, two, three) + timedelta(seconds=seconds)
    year = three + 2000 if len(match["three"]) <= 2 else three
    date = OpenDate(
        one, two, year, seconds, match["sign"].join((match["one"], match["two"], match["three"]))
    )
    return date.moment(DateOrder.DAY_FIRST) if one == two else date


def _with_zone(moment: datetime | OpenDate, named: str | None) -> datetime | OpenDate:
    if named is None:
        return moment
    zone, offset = UTC, _OFFSET.search(named)
    if offset:
        distance = timedelta(hours=int(offset["hours"]), minutes=int(offset["minutes"] or 0))
        zone = timezone(distance if offset["sign"] == "+" else -distance)
    if isinstance(moment, OpenDate):
        return moment._replace(zone=zone)
    return moment.replace(tzinfo=zone)


def read_clock(match: re.Match[str]) -> int:
    """Return the seconds since midnight; raises ``ValueError`` for what no clock shows."""
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    half = (match["half"] or "").lower()
    if minute > 59 or second > 59 or hour > 23 or (half and not 1 <= hour <= 12):
        raise ValueError("no clock shows this")
    if half:
        hour = hour % 12 + 12 * (half == "p")
    return 3600 * hour + 60 * minute + second


class OrderFinder:
    """Finds the order of day and month that all open dates of a file allow."""

    def __init__(self) -> None:
        self._impossible: dict[DateOrder, OpenDate] = {}
        self._latest: dict[DateOrder, datetime] = {}
        self._goes_back: set[DateOrder] = set()  # Those in which a message precedes the one before.
        self._first: OpenDate | None = None

    def see(self, date: datetime | OpenDate) -> None:
        """Take a time into account; those of a file are seen in its order."""
        if isinstance(date, OpenDate):
            self._first = self._first or date
        for order in DateOrder:
            if order in self._impossible:
                continue
            if isinstance(date, OpenDate):
                try:
                    moment = date.moment(order)
                except ValueError:
                    self._impossible[order] = date
                    continue
            else:
                moment = date
            if moment.tzinfo:
                moment = moment.astimezone(UTC).replace(tzinfo=None)
            if moment < self._latest.get(order, moment):
                self._goes_back.add(order)
            self._latest[order] = moment

    def find(self, file: str) -> DateOrder | None:
        """Return the order; None if no date was open.

        It is the only one in which all dates exist or, where they exist in both, in which each
        message is as late as the one before. Raises ``DataError`` where none is possible, and
        ``UsageError`` where it stays open.
        """
        if self._first is None:
            return None
        possible = [order for order in DateOrder if order not in self._impossible]
        if not possible:
            shown = " and ".join(repr(date.text) for date in self._impossible.values())
            raise DataError(f"{file}: {shown} are no dates of one order; correct one of them")
        if len(possible) == 1:
            return possible[0]
        forward = [order for order in possible if order not in self._goes_back]
        if len(forward) == 1:
            return forward[0]
        raise UsageError(
            f"{file}: {self._first.text!r} may be a day and a month, or a month and a day; say "
            f"which with `date_order`: {' or '.join(DateOrder)}"
        )


def find_order(
    dates: Iterable[datetime | OpenDate | None], file: str, given: DateOrder | None
) -> DateOrder:
    """Return the order that is given, or else that of the dates of a file; raises as ``find``."""
    if given is not None:
        return given
    finder = OrderFinder()
    for date in dates:
        if date is not None:
            finder.see(date)
    return finder.find(file) or DateOrder.DAY_FIRST


def resolve_time(
    moment: datetime | OpenDate | None, order: DateOrder | None, item: Item
) -> datetime | None:
    """Return a time that was parsed; raises ``DataError`` where the day does not exist."""
    if not isinstance(moment, OpenDate):
        return moment
    try:
        return moment.moment(order or DateOrder.DAY_FIRST)
    except ValueError as error:
        raise DataError(
            f"{item}: {moment.text!r} is no date, {(order or DateOrder.DAY_FIRST)}; correct it, or "
            "give the other `date_order`"
        ) from error
