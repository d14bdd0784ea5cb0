"""The order of day and month in an export: what its dates tell, or what a user is asked for.

Whether ``5/6/23`` is in May or June is told by the other dates of the same file, or asked for once;
it is never guessed. ``mabench.text.dates`` reads each date.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from mabench.errors import DataError, UsageError
from mabench.formats import Item
from mabench.text.dates import DateOrder, OpenDate


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
