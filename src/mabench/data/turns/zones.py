"""Where the clocks stood of times without a zone: a time zone by name, and rows with it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from datetime import datetime, tzinfo
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from mabench.errors import UsageError, unknown


@cache
def find_zone(name: str) -> tzinfo:
    """Return a time zone by its name; raises ``UsageError``, with the nearest, for another."""
    known = available_timezones()
    if name not in known:
        raise UsageError(
            unknown("no time zone is named", name, known, "such as Europe/Berlin or UTC"),
            parameter="timezone",
        )
    return ZoneInfo(name)


def with_zone(fields: Mapping[str, Any], zone: tzinfo) -> dict[str, Any]:
    """Return the fields of a row with ``zone`` in each time without one, all else as it is.

    These are the times of turns and of questions, and up to when questions may know.
    """
    row = dict(fields)
    for name in ("context", "turns"):
        if isinstance(row.get(name), list):
            row[name] = [_turn_with_zone(turn, zone) for turn in row[name]]
    if isinstance(row.get("asked_after"), list):
        turns = row["context"] if isinstance(row.get("context"), list) else row.get("turns")
        ids = [turn.get("id") for turn in turns or () if isinstance(turn, Mapping)]
        turn_ids = {each for each in ids if isinstance(each, str)}
        row["asked_after"] = [_point_with_zone(it, turn_ids, zone) for it in row["asked_after"]]
    metadata = row.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(metadata.get("question_dates"), list):
        dates = [_time_with_zone(date, zone) for date in metadata["question_dates"]]
        row["metadata"] = {**metadata, "question_dates": dates}
    return row


def _turn_with_zone(turn: object, zone: tzinfo) -> object:
    if isinstance(turn, Mapping) and "time" in turn:
        return {**turn, "time": _time_with_zone(turn["time"], zone)}
    return turn


def _point_with_zone(point: object, turns: Container[str], zone: tzinfo) -> object:
    """Return up to when a question may know: a turn, a day to its end, or a time with its zone."""
    is_day = isinstance(point, str) and len(point) <= len("2024-05-03")
    is_turn = isinstance(point, str) and point in turns
    return point if is_day or is_turn else _time_with_zone(point, zone)


def _time_with_zone(value: object, zone: tzinfo) -> object:
    """Return a time without a zone with it; whatever else it is, as it is."""
    if not isinstance(value, str):
        return value
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return value
    return value if moment.tzinfo else moment.replace(tzinfo=zone).isoformat()
