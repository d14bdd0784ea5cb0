"""Every unit that rules know: what it measures, how much of it, and how it is written.

This is the only list of units. A rate has a time behind its unit (``12 oz a day``), so that it is
another quantity than the same without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Unit:
    """A unit: its name, how many of the kind's base unit it is, and its other ways of writing."""

    name: str
    kind: str  # What it measures.
    size: float
    written: tuple[str, ...] = ()

    @property
    def plural(self) -> str:
        """The name of several of it."""
        irregular = {"foot": "feet", "inch": "inches", "century": "centuries"}
        return irregular.get(self.name, f"{self.name}s")


def _units(kind: str, *rows: tuple[str, float, str]) -> Iterator[Unit]:
    return (Unit(name, kind, size, tuple(written.split())) for name, size, written in rows)


UNITS: tuple[Unit, ...] = (
    *_units("months", ("century", 1200, ""), ("decade", 120, ""), ("year", 12, "yr yrs")),
    *_units("months", ("month", 1, "")),
    *_units("days", ("fortnight", 14, ""), ("week", 7, ""), ("day", 1, "")),
    *_units("days", ("hour", 1 / 24, "hr hrs h"), ("minute", 1 / 1440, "min mins")),
    *_units("days", ("second", 1 / 86400, "sec secs")),
    *_units("metres", ("kilometre", 1000, "km kms"), ("metre", 1, "m"), ("mile", 1609.344, "mi")),
    *_units("metres", ("centimetre", 0.01, "cm"), ("millimetre", 0.001, "mm")),
    *_units("metres", ("yard", 0.9144, ""), ("foot", 0.3048, "ft"), ("inch", 0.0254, "")),
    *_units("kilograms", ("tonne", 1000, ""), ("kilogram", 1, "kg kgs kilo kilos")),
    *_units("kilograms", ("gram", 0.001, "g"), ("pound", 0.45359237, "lb lbs")),
    *_units("kilograms", ("stone", 6.35029318, ""), ("ounce", 0.0283495, "oz")),
    *_units("litres", ("litre", 1, "l"), ("millilitre", 0.001, "ml"), ("gallon", 3.785, "")),
    *_units(
        "megawatts", ("gigawatt", 1000, "gw"), ("megawatt", 1, "mw"), ("kilowatt", 0.001, "kw")
    ),
    *_units("square metres", ("hectare", 10000, "ha"), ("acre", 4046.86, "")),
    *_units("square metres", ("square kilometre", 1e6, "km² km2"), ("square metre", 1, "m² m2")),
    *_units("speed", ("kilometre per hour", 1, "km/h kph kmh"), ("mile per hour", 1.609344, "mph")),
    *_units("temperature", ("degree celsius", 1, "°c"), ("degree fahrenheit", 5 / 9, "°f")),
    *_units("percent", ("percent", 1, "")),
    *_units("dollars", ("dollar", 1, "$ usd")),
    *_units("euros", ("euro", 1, "€ eur")),
    *_units("pounds sterling", ("pound sterling", 1, "£ gbp")),
    *_units("yen", ("yen", 1, "¥ jpy")),
    *_units("rupees", ("rupee", 1, "₹ inr")),
)

MONEY = frozenset({"dollars", "euros", "pounds sterling", "yen", "rupees"})
_TIMES = "second|minute|hour|day|week|month|year"
_RATE = re.compile(rf"(?: (?:per|an?|each|every) |\s?/\s?)(?P<time>{_TIMES})s?\b", re.IGNORECASE)


@cache
def names_by_writing() -> dict[str, str]:
    """Return the name of each unit that follows a number, by its short ways of writing."""
    short = {w: unit for unit in UNITS if unit.kind not in MONEY for w in unit.written}
    plurals = {u.plural: u for u in UNITS if u.name in ("foot", "inch")}
    return {written: unit.name for written, unit in (short | plurals).items()}


@cache
def currencies() -> dict[str, str]:
    """Return what each sign or code of a currency stands for, in one word."""
    money = (unit for unit in UNITS if unit.kind in MONEY)
    return {written: unit.name.split()[0] for unit in money for written in unit.written}


@cache
def measures() -> dict[str, Unit]:
    """Return the units that may be summed and converted, by name."""
    return {unit.name: unit for unit in UNITS if " " not in unit.name and unit.kind not in MONEY}


def rate_behind(text: str, end: int) -> str | None:
    """Return the time by which what ends at a place is a rate: ``day`` of ``12 ounces a day``."""
    found = _RATE.match(text, end)
    return found["time"].lower() if found else None


def rates_in(text: str) -> set[str]:
    """Return the times by which a text tells rates."""
    return {found["time"].lower() for found in _RATE.finditer(text)}


def without_rates(text: str) -> str:
    """Return a text with spaces in the place of times by which it tells rates: ``a day``."""
    return _RATE.sub(lambda rate: " " * len(rate[0]), text)
