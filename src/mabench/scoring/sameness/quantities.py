"""Quantities and times of a text, made comparable.

``rewritten`` gives every quantity one way of writing: ``February 5th, 1922`` becomes ``5 february
1922``, ``$1.5M`` becomes ``1500000 dollar``, ``sixteenth`` becomes ``16th``, ``six km`` becomes ``6
kilometre``. ``same_measure`` compares units.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from mabench.scoring.lexicon import alternatives, either, entries, remembered
from mabench.scoring.sameness.rewritings import DIGITS, WORDS
from mabench.scoring.sameness.units import currencies, measures, names_by_writing

if TYPE_CHECKING:
    from mabench.scoring.tokens import Token

_Step = tuple[Sequence[str], re.Pattern[str], str | Callable[[re.Match[str]], str]]


def _table(name: str) -> dict[str, str]:
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
_SUM = re.compile(
    rf"(?<![\d.])(?:and )?(?<![\d.])(?P<number>\d+(?:\.\d+)?) (?P<unit>{'|'.join(measures())})s? "
)


def rewritten(text: str) -> str:
    """Return ``text`` with every quantity in one way of writing.

    Args:
        text: without accents (``tokens.plain``); case plays no part and stays elsewhere.
    """
    for kind in ("words", "digits"):
        lower = text.lower()
        for cues, pattern, replacement in _steps(kind):
            if any(cue in lower for cue in cues):  # Far faster than to search.
                text = pattern.sub(replacement, text)
                lower = text.lower()
        if not re.search(r"\d", text):
            break
    return text


@remembered()
def _parts() -> dict[str, str]:
    """Return what the names in the patterns of rewritings stand for."""
    tens, ordinals = alternatives("quantities.tens"), alternatives("quantities.ordinals")
    scales, small = either(_scales()), small_number()
    months = entries("times.months")
    return {
        "low": _low(),
        "tens": tens,
        "ordinals": ordinals,
        "small": small,
        "last": rf"(?:(?:{tens})[ -])?(?:{ordinals})",
        "scaled": rf"(?:{small}[ -]|an? )?(?:{scales})(?:[ -](?:{scales}))*",
        "scale": either(_all_scales()),
        "counts": either([*_numbers(), *_ordinals(), *_scales()]),
        "weekdays": alternatives("times.weekdays"),
        "months": either(name[:3] for name in months),
        # Before the day of a message: "yesterday (message of 8 May)".
        "spoken": rf"\b[^.\n]{{0,60}}?\bmessages?\b[^.\n\d]{{0,30}}?"
        rf"(?=\d{{1,2}} (?:{either(months)})\b)",
        "month": rf"(?P<month>{either(f'{m[:3]}(?:{m[3:]})?' for m in months)}|sept)\b\.?",
        "day": r"(?P<day>\d{1,2})(?:st|nd|rd|th)?",
        "of_year": r"(?:,? ?-?(?:(?:of|in) )?(?:the year )?(?P<year>\d{3,4})\b)?",
        "currency": "|".join(map(re.escape, _CURRENCIES)),
        "units": "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True)),
    }


@remembered()
def _steps(kind: str) -> list[_Step]:
    parts = _parts()
    makers: dict[str, Callable[[re.Match[str]], str]] = {
        "number": lambda m: "".join(map(in_digits, filter(None, m.groups() or [m[0]]))),
        "decade": lambda m: f"19{_numbers()[m[1].lower() + 'y']}s",
        "time": lambda m: f"{int(m[1]) - 12}{m[2] or ''} pm",
        "digits": lambda m: re.sub(r"\D", "", m[0]),
        "date": _date,
        "amount": _amount,
        "unit": lambda m: f" {_UNITS[m['unit'].lower()]}",
    }
    rewritings = WORDS if kind == "words" else DIGITS
    return [
        (
            [each for cue in step.cues for each in (cue % parts).split("|")],
            re.compile(step.pattern % parts, re.IGNORECASE),
            makers.get(step.made, step.made),
        )
        for step in rewritings
    ]


def same_measure(wanted: Sequence[Token], said: Sequence[Token]) -> tuple[int, int] | None:
    """Return how many words of each, from the first, say the same quantity; None if they do not.

    Where their units differ, they may be off by a hundredth.
    """
    (size, kind, unit, length), (other, *rest, count) = map(_measure, (wanted, said))
    near = 1e-6 if rest == [kind, unit] else 0.01
    is_same = size and rest[0] == kind and abs(size - other) <= near * size
    return (length, count) if is_same else None


def _measure(said: Sequence[Token]) -> tuple[float, str, str, int]:
    """Return the quantity that words open with, its kind, its last unit, how many words say it."""
    text, amount, kind, unit, end = " ".join(t.word for t in said) + " ", 0.0, "", "", 0
    while found := _SUM.match(text, end):
        known = measures()[found["unit"]]
        if kind not in ("", known.kind):
            break
        amount, kind = amount + float(found["number"]) * known.size, known.kind
        unit, end = found["unit"], found.end()
    return amount, kind, unit, text[:end].count(" ")


def in_digits(run: str) -> str:
    """Return in digits what the words of a number say."""
    said = re.split(r"[ -]", run.lower())
    total = current = 0
    for word in said:
        scale = int(_scales().get(word, 0))
        if not scale:
            current += _numbers().get(word, _ordinals().get(word, 0))
        elif scale < 1000:
            current = max(current, 1) * scale
        else:
            total, current = total + max(current, 1) * scale, 0
    number = total + current
    ending = "th" if 10 < number % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending if said[-1] in _ordinals() else ''}"


def _date(match: re.Match[str]) -> str:
    """Return a day of a month, or a month, and its year; of 12/31/1999 the month comes first."""
    said = match.groupdict()
    day, name, year = int(said.get("day") or 0), said["month"].lower(), said["year"]
    months = entries("times.months")
    named = (n for n, month in enumerate(months, start=1) if month[:3] == name[:3])
    month = int(name) if name.isdigit() else next(named, 0)
    if month > 12:
        day, month = month, day
    if not (1 <= month <= len(months) and bool(said.get("day")) <= day <= 31):
        return match[0]
    return f"{day or ''} {months[month - 1]} {year or ''}".strip()


def _amount(match: re.Match[str]) -> str:
    """Return a number with its scale as digits, and its currency behind it."""
    scale, currency = match["scale"] or "", (match["sign"] or match["behind"] or "").lower()
    # A bare "5 m" may be metres, and "5 k" a thousand.
    is_letter = scale in ("m", "b", "k") and not currency
    is_unsure = is_letter and (match["gap"] or ("." not in match["number"] and scale != "k"))
    if is_unsure or not (scale or currency):
        return match[0]
    amount = (Decimal(match["number"]) * _all_scales().get(scale.lower(), Decimal(1))).normalize()
    return f"{amount:f} {_CURRENCIES.get(currency, currency)}".strip()
