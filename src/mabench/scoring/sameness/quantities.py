"""Quantities and times of a text, made comparable.

``rewritten`` gives every quantity one way of writing: ``February 5th, 1922`` becomes ``5 february
1922``, ``$1.5M`` becomes ``1500000 dollar``, ``sixteenth`` becomes ``16th``, ``six km`` becomes ``6
kilometre``. ``same_measure`` compares units.

``rewritings`` has the patterns of what is rewritten, in their order, and says for each what makes
the new text: one of the functions here whose names begin with ``_write``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from mabench.scoring.lexicon import alternatives, either, entries, remembered
from mabench.scoring.sameness.rewritings import DIGITS, WORDS, Rewriting
from mabench.scoring.sameness.units import currencies, measures, names_by_writing

if TYPE_CHECKING:
    from mabench.scoring.tokens import Token

_ROUNDING_ERROR = 1e-6  # Share by which two quantities in the same unit may be off, by rounding.
_CONVERSION_ERROR = 0.01  # The same in different units: 10 km are 6.2 miles.
_MOST_DAYS, _MOST_MONTHS = 31, 12
_THOUSAND = 1000


class _ReadyRewriting(NamedTuple):
    """A rewriting that is ready for use: its cues in lower case, and what replaces the pattern."""

    cues: Sequence[str]
    pattern: re.Pattern[str]
    replacement: str | Callable[[re.Match[str]], str]


class _Quantity(NamedTuple):
    """A quantity in the base unit of its kind, its last unit, and how many words say it."""

    amount: float
    kind: str
    unit: str
    length: int


def _table(name: str) -> dict[str, str]:
    """Return what each word of a list of pairs, such as ``hundred:1e2``, stands for."""
    return dict(entry.split(":") for entry in entries(f"quantities.{name}"))


@remembered()
def _numbers() -> dict[str, int]:
    """Return the numbers below twenty, and the tens, by their words."""
    tens = enumerate(entries("quantities.tens"), start=2)
    units = {word: value for value, word in enumerate(entries("quantities.units"))}
    return units | {word: 10 * value for value, word in tens}


@remembered()
def _ordinals() -> dict[str, int]:
    """Return the same numbers by the words of their ordinals."""
    return dict(zip(entries("quantities.ordinals"), _numbers().values(), strict=False))


@remembered()
def _scales() -> dict[str, Decimal]:
    """Return what a scale such as ``thousand`` multiplies by."""
    return {word: Decimal(size) for word, size in _table("scales").items()}


@remembered()
def _all_scales() -> dict[str, Decimal]:
    """Return the scales and their short forms, ``k`` and ``bn``."""
    return _scales() | {word: Decimal(size) for word, size in _table("short_scales").items()}


@remembered()
def small_number() -> str:
    """Return the pattern of a number below a hundred, in words."""
    tens, units = alternatives("quantities.tens"), alternatives("quantities.units")
    return rf"(?:(?:{tens})(?:[ -](?:{_low()}))?|{units})"


def _low() -> str:
    """Return the pattern of a number from one to nine, in words."""
    return either(entries("quantities.units")[1:10])


_CURRENCIES, _UNITS = currencies(), names_by_writing()
# A number and a unit, and what joins it to the one before: "5 foot ", "and 6 inch ".
_NUMBER_AND_UNIT = re.compile(
    rf"(?<![\d.])(?:and )?(?<![\d.])(?P<number>\d+(?:\.\d+)?) (?P<unit>{'|'.join(measures())})s? "
)


def rewritten(text: str) -> str:
    """Return ``text`` with every quantity in one way of writing.

    Args:
        text: without accents (``tokens.plain``); case plays no part and stays elsewhere.
    """
    text = _rewrite_by(_steps_for_words(), text)
    return _rewrite_by(_steps_for_digits(), text) if re.search(r"\d", text) else text


def _rewrite_by(steps: Sequence[_ReadyRewriting], text: str) -> str:
    """Return ``text`` with what each step finds replaced, one step after the other."""
    lower = text.lower()
    for step in steps:
        if any(cue in lower for cue in step.cues):  # Far faster than to search.
            text = step.pattern.sub(step.replacement, text)
            lower = text.lower()
    return text


@remembered()
def _parts() -> dict[str, str]:
    """Return the parts of patterns by the names that ``rewritings`` has for them, ``%(small)s``."""
    tens, ordinals = alternatives("quantities.tens"), alternatives("quantities.ordinals")
    scales, small = either(_scales()), small_number()
    months = entries("times.months")
    return {
        "low": _low(),
        "tens": tens,
        "ordinals": ordinals,
        "small": small,
        # An ordinal below a hundred, and a number of hundreds, thousands and so on.
        "last": rf"(?:(?:{tens})[ -])?(?:{ordinals})",
        "scaled": rf"(?:{small}[ -]|an? )?(?:{scales})(?:[ -](?:{scales}))*",
        "scale": either(_all_scales()),
        # Any word that may be of a number.
        "counts": either([*_numbers(), *_ordinals(), *_scales()]),
        "weekdays": alternatives("times.weekdays"),
        "months": either(name[:3] for name in months),
        # What is between a day that is told from a message and the day of that: "yesterday (message
        # of 8 May)".
        "spoken": rf"\b[^.\n]{{0,60}}?\bmessages?\b[^.\n\d]{{0,30}}?"
        rf"(?=\d{{1,2}} (?:{either(months)})\b)",
        "month": rf"(?P<month>{either(f'{m[:3]}(?:{m[3:]})?' for m in months)}|sept)\b\.?",
        "day": r"(?P<day>\d{1,2})(?:st|nd|rd|th)?",
        "of_year": r"(?:,? ?-?(?:(?:of|in) )?(?:the year )?(?P<year>\d{3,4})\b)?",
        "currency": "|".join(map(re.escape, _CURRENCIES)),
        "units": "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True)),
    }


@remembered()
def _steps_for_words() -> list[_ReadyRewriting]:
    return _prepare(WORDS)


@remembered()
def _steps_for_digits() -> list[_ReadyRewriting]:
    return _prepare(DIGITS)


def _prepare(rewritings: Sequence[Rewriting]) -> list[_ReadyRewriting]:
    """Return rewritings ready for use: with the names in their cues and patterns filled in."""
    parts = _parts()
    return [
        _ReadyRewriting(
            cues=[each for cue in step.cues for each in (cue % parts).split("|")],
            pattern=re.compile(step.pattern % parts, re.IGNORECASE),
            replacement=_MAKERS.get(step.made, step.made),
        )
        for step in rewritings
    ]


def same_measure(wanted: Sequence[Token], said: Sequence[Token]) -> tuple[int, int] | None:
    """Return how many words of each, from the first, say the same quantity; None if they do not.

    Where their units differ, they may be off by a hundredth.
    """
    one, other = _read_quantity(wanted), _read_quantity(said)
    if not one.amount or one.kind != other.kind:
        return None
    near = _ROUNDING_ERROR if one.unit == other.unit else _CONVERSION_ERROR
    is_same = abs(one.amount - other.amount) <= near * one.amount
    return (one.length, other.length) if is_same else None


def _read_quantity(said: Sequence[Token]) -> _Quantity:
    """Return the quantity that words open with, of one unit or several: ``5 feet 6 inches``.

    Without one, all of it is empty.
    """
    text = " ".join(token.word for token in said) + " "
    amount, kind, unit, end = 0.0, "", "", 0
    while found := _NUMBER_AND_UNIT.match(text, end):
        known = measures()[found["unit"]]
        if kind not in ("", known.kind):
            break
        amount, kind = amount + float(found["number"]) * known.size, known.kind
        unit, end = found["unit"], found.end()
    return _Quantity(amount, kind, unit, length=text[:end].count(" "))


def in_digits(run: str) -> str:
    """Return in digits what the words of a number say: 2500 of ``two thousand five hundred``.

    A hundred or a dozen multiplies the words before it; a thousand or more also ends their group,
    which is added to the total. An ordinal keeps its ending: ``21st``.
    """
    said = re.split(r"[ -]", run.lower())
    total = group = 0
    for word in said:
        scale = int(_scales().get(word, 0))
        if not scale:
            group += _numbers().get(word, _ordinals().get(word, 0))
        elif scale < _THOUSAND:
            group = max(group, 1) * scale
        else:
            total, group = total + max(group, 1) * scale, 0
    number = total + group
    return f"{number}{_ordinal_ending(number) if said[-1] in _ordinals() else ''}"


def _ordinal_ending(number: int) -> str:
    """Return what follows the digits of an ordinal: 1st, 2nd, 3rd, 4th, but 11th and 112th."""
    if 10 < number % 100 < 20:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _write_number(match: re.Match[str]) -> str:
    """Return a number in digits; of a year in two parts, ``nineteen ninety``, each by itself."""
    runs = [run for run in match.groups() if run] or [match[0]]
    return "".join(map(in_digits, runs))


def _write_decade(match: re.Match[str]) -> str:
    """Return a decade of the twentieth century in digits: ``1960s`` of ``sixt`` in ``sixties``."""
    return f"19{_numbers()[match[1].lower() + 'y']}s"


def _write_time(match: re.Match[str]) -> str:
    """Return a time behind noon by the clock of twelve hours: ``3:30 pm`` of ``15:30``."""
    return f"{int(match[1]) - 12}{match[2] or ''} pm"


def _write_digits(match: re.Match[str]) -> str:
    """Return the digits of a number without what groups them."""
    return re.sub(r"\D", "", match[0])


def _write_unit(match: re.Match[str]) -> str:
    """Return the name of a unit in short, behind a space."""
    return f" {_UNITS[match['unit'].lower()]}"


def _write_date(match: re.Match[str]) -> str:
    """Return a day of a month, or a month, and its year; of 12/31/1999 the month comes first.

    What is no date stays as it is. A pattern without a day finds a month, ``May 1999``.
    """
    said = match.groupdict()
    day_said, name, year = said.get("day"), said["month"].lower(), said["year"]
    day, month = int(day_said or 0), int(name) if name.isdigit() else _month_number(name)
    months = entries("times.months")
    if month > _MOST_MONTHS:
        day, month = month, day
    is_day = not day_said or day >= 1
    if not (1 <= month <= len(months) and is_day and day <= _MOST_DAYS):
        return match[0]
    return f"{day or ''} {months[month - 1]} {year or ''}".strip()


def _month_number(name: str) -> int:
    """Return the number of a month, from 1, by the first three letters of its name; 0 of none."""
    for number, month in enumerate(entries("times.months"), start=1):
        if month[:3] == name[:3]:
            return number
    return 0


def _write_amount(match: re.Match[str]) -> str:
    """Return a number with its scale as digits, and its currency behind it.

    A letter without a currency may be a unit: ``5m`` and ``5 m`` may be metres, but ``5k`` is
    thousands, and ``1.5m`` millions. Then all stays as it is.
    """
    scale, currency = match["scale"] or "", (match["sign"] or match["behind"] or "").lower()
    is_letter = scale in ("m", "b", "k") and not currency
    may_be_unit = is_letter and (match["gap"] or ("." not in match["number"] and scale != "k"))
    if may_be_unit or not (scale or currency):
        return match[0]
    amount = (Decimal(match["number"]) * _all_scales().get(scale.lower(), Decimal(1))).normalize()
    return f"{amount:f} {_CURRENCIES.get(currency, currency)}".strip()


# What rewritings call that which makes the new text.
_MAKERS: dict[str, Callable[[re.Match[str]], str]] = {
    "number": _write_number,
    "decade": _write_decade,
    "time": _write_time,
    "digits": _write_digits,
    "date": _write_date,
    "amount": _write_amount,
    "unit": _write_unit,
}
