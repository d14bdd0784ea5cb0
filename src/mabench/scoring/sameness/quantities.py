"""Quantities and times of a text, made comparable.

``rewritten`` gives every quantity one way of writing: ``February 5th, 1922`` becomes ``5 february
1922``, ``$1.5M`` becomes ``1500000 dollar``, ``sixteenth`` becomes ``16th``, ``six km`` becomes ``6
kilometre``. ``same_measure`` compares units.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

from mabench.scoring.lexicon import entries
from mabench.scoring.sameness.rewritings import DIGITS, WORDS
from mabench.scoring.sameness.units import currencies, measures, names_by_writing

if TYPE_CHECKING:
    from mabench.scoring.tokens import Token

_Step = tuple[Sequence[str], re.Pattern[str], str | Callable[[re.Match[str]], str]]


def _table(name: str) -> dict[str, str]:
    return dict(entry.split(":") for entry in entries(f"quantities.{name}"))


_MONTHS, _WEEKDAYS = entries("times.months"), entries("times.weekdays")
_TENS, _BELOW_20 = entries("quantities.tens"), entries("quantities.units")
_NUMBERS = {word: value for value, word in enumerate(_BELOW_20)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_LOW = "|".join(_BELOW_20[1:10])
# A number below a hundred, in words.
SMALL_NUMBER = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{_LOW}))?|{'|'.join(_BELOW_20)})"
_ORDINALS = dict(zip(entries("quantities.ordinals"), _NUMBERS.values(), strict=True))
_SCALES = {word: Decimal(size) for word, size in _table("scales").items()}
_ALL_SCALES = _SCALES | {word: Decimal(size) for word, size in _table("short_scales").items()}
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


@cache
def _parts() -> dict[str, str]:
    """Return what the names in the patterns of rewritings stand for."""
    tens, ordinals, scales = map("|".join, (_TENS, _ORDINALS, _SCALES))
    return {
        "low": _LOW,
        "tens": tens,
        "ordinals": ordinals,
        "small": SMALL_NUMBER,
        "last": rf"(?:(?:{tens})[ -])?(?:{ordinals})",
        "scaled": rf"(?:{SMALL_NUMBER}[ -]|an? )?(?:{scales})(?:[ -](?:{scales}))*",
        "scale": "|".join(_ALL_SCALES),
        "counts": "|".join([*_NUMBERS, *_ORDINALS, *_SCALES]),
        "weekdays": "|".join(_WEEKDAYS),
        "months": "|".join(name[:3] for name in _MONTHS),
        "spoken": rf"\b[^.\n]{{0,60}}?\b(?:{'|'.join(entries('quantities.spoken'))})\b"
        rf"[^.\n\d]{{0,30}}?(?=\d{{1,2}} (?:{'|'.join(_MONTHS)})\b)",
        "month": rf"(?P<month>{'|'.join(f'{m[:3]}(?:{m[3:]})?' for m in _MONTHS)}|sept)\b\.?",
        "day": r"(?P<day>\d{1,2})(?:st|nd|rd|th)?",
        "of_year": r"(?:,? ?-?(?:(?:of|in) )?(?:the year )?(?P<year>\d{3,4})\b)?",
        "currency": "|".join(map(re.escape, _CURRENCIES)),
        "units": "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True)),
    }


@cache
def _steps(kind: str) -> list[_Step]:
    parts = _parts()
    makers: dict[str, Callable[[re.Match[str]], str]] = {
        "number": lambda m: "".join(map(in_digits, filter(None, m.groups() or [m[0]]))),
        "decade": lambda m: f"19{_NUMBERS[m[1].lower() + 'y']}s",
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
        scale = int(_SCALES.get(word, 0))
        if not scale:
            current += _NUMBERS.get(word, _ORDINALS.get(word, 0))
        elif scale < 1000:
            current = max(current, 1) * scale
        else:
            total, current = total + max(current, 1) * scale, 0
    number = total + current
    ending = "th" if 10 < number % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending if said[-1] in _ORDINALS else ''}"


def _date(match: re.Match[str]) -> str:
    """Return a day of a month, or a month, and its year; of 12/31/1999 the month comes first."""
    said = match.groupdict()
    day, name, year = int(said.get("day") or 0), said["month"].lower(), said["year"]
    month = int(name) if name.isdigit() else 1 + [m[:3] for m in _MONTHS].index(name[:3])
    if month > 12:
        day, month = month, day
    if not (1 <= month <= 12 and bool(said.get("day")) <= day <= 31):
        return match[0]
    return f"{day or ''} {_MONTHS[month - 1]} {year or ''}".strip()


def _amount(match: re.Match[str]) -> str:
    """Return a number with its scale as digits, and its currency behind it."""
    scale, currency = match["scale"] or "", (match["sign"] or match["behind"] or "").lower()
    # A bare "5 m" may be metres, and "5 k" a thousand.
    is_letter = scale in ("m", "b", "k") and not currency
    is_unsure = is_letter and (match["gap"] or ("." not in match["number"] and scale != "k"))
    if is_unsure or not (scale or currency):
        return match[0]
    amount = (Decimal(match["number"]) * _ALL_SCALES.get(scale.lower(), Decimal(1))).normalize()
    return f"{amount:f} {_CURRENCIES.get(currency, currency)}".strip()
