"""The dates of a history's sessions, read together.

Whether ``5/6/2023`` is in May or in June follows from its weekday, or from other dates of the same
history. A date that stays ambiguous is not read at all. ``mabench.text.dates`` reads each one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from mabench.text.dates import DateOrder, OpenDate, read_date


def read_dates(values: Sequence[object]) -> list[datetime | None]:
    """Return the times of a history's sessions; None for each that cannot be read.

    A time without a zone is in UTC, and one without a clock at midnight.
    """
    dates = [read_date(value) for value in values]
    order = _order_of(date for date in dates if isinstance(date, OpenDate))
    return [_moment(date, order) for date in dates]


def _order_of(dates: Iterable[OpenDate]) -> DateOrder | None:
    """Return the only order of day and month that fits all dates; None if there is none."""
    common = {*DateOrder}
    for date in dates:
        common &= date.possible_orders()
    return common.pop() if len(common) == 1 else None


def _moment(date: datetime | OpenDate | None, order: DateOrder | None) -> datetime | None:
    """Return a time with its zone, given the order of day and month in the history."""
    if isinstance(date, OpenDate):
        date = None if order is None else date.moment(order)
    return date.replace(tzinfo=UTC) if date and date.tzinfo is None else date
