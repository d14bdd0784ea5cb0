"""Numbers, dates, sums and units of a text, rewritten so that ways to write them are equal.

``February 5th, 1922`` becomes ``5 february 1922``, ``$1.5M`` becomes ``1500000 dollars``,
``sixteenth`` becomes ``16th``, ``six km`` becomes ``6 kilometre``; ``measure`` compares units.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from mabench.scoring.lexicon import entries

_Step = tuple[Sequence[str], re.Pattern[str], str | Callable[[re.Match[str]], str]]


def _table(name: str) -> dict[str, str]:
    return dict(entry.split(":") for entry in entries(f"quantities.{name}"))


_MONTHS, _TENS, _BELOW_20 = (entries(f"quantities.{k}") for k in ("months", "tens", "units"))
_NUMBERS = {word: value for value, word in enumerate(_BELOW_20)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_IRREGULAR = {word: int(value) for word, value in _table("irregular_ordinals").items()}
_ORDINALS = _IRREGULAR | {
    f"{word[:-1]}ieth" if n >= 20 else f"{word}th": n
    for word, n in _NUMBERS.items()
    if n not in _IRREGULAR.values()
}
_SCALES, _SHORT_SCALES = (
    {word: int(float(size)) for word, size in _table(name).items()}
    for name in ("scales", "short_scales")
)
_DIGIT = re.compile(r"\d")
_CURRENCIES, _UNITS = _table("currencies"), _table("unit_names")


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
        if not _DIGIT.search(text):
            break
    return text


@cache
def _steps(kind: str) -> list[_Step]:
    month = "|".join(f"{m[:3]}(?:{m[3:]})?" for m in _MONTHS)
    low, tens, ordinals = map("|".join, (_BELOW_20[1:10], _TENS, _ORDINALS))
    small = rf"(?:(?:{tens})(?:[ -](?:{low}))?|{'|'.join(_BELOW_20)})"
    scales = "|".join(_SCALES)
    parts = {
        "low": low,
        "tens": tens,
        "teens": "|".join(_BELOW_20[10:]),
        "ordinals": ordinals,
        "small": small,
        "last": rf"(?:(?:{tens})[ -])?(?:{ordinals})",
        "scaled": rf"(?:{small}[ -]|an? )?(?:{scales})(?:[ -](?:{scales}))*",
        "scales": scales,
        "scale": "|".join([*_SCALES, *_SHORT_SCALES]),
        "decades": "|".join(ten[:-1] for ten in _TENS),
        "counts": "|".join([*_NUMBERS, *_ORDINALS, *_SCALES]),
        "months": "|".join(name[:3] for name in _MONTHS),
        "weekdays": "|".join(entries("quantities.weekdays")),
        "month": rf"(?P<month>{month}|sept)\b\.?",
        "day": r"(?P<day>\d{1,2})(?:st|nd|rd|th)?",
        "of_year": r"(?:,? ?-?(?:(?:of|in) )?(?:the year )?(?P<year>\d{3,4})\b)?",
        "currency": r"(?:(?P<sign>[$€£¥₹])|\b(?P<code>usd|eur|gbp|jpy|inr))",
        "units": "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True)),
    }
    makers: dict[str, Callable[[re.Match[str]], str]] = {
        "decade": lambda m: f"19{_NUMBERS[m['tens'].lower() + 'y']}s",
        "year": lambda m: f"{_number(m[1])}{_number(m[2])}",
        "number": lambda m: _number(m[0]),
        "time": lambda m: f"{int(m[1]) - 12}{m[2] or ''} pm",
        "halves": lambda m: f"{_number(m[1])}.5 ",
        "digits": lambda m: re.sub(r"\D", "", m[0]),
        "date": _date,
        "month": lambda m: f"{_MONTHS[_number_of_month(m['month']) - 1]} {m['year']}",
        "money": lambda m: f"{_amount(m['amount'], True)} {_currency(m)} ",
        "amount": lambda m: (
            _amount(m[0].removesuffix(m["money"] or ""), bool(m["money"])) + (m["money"] or "")
        ),
        "currency": lambda m: f" {_currency(m)}",
        "unit": lambda m: f" {_UNITS[m['unit'].lower()]}",
        "range": _range,
    }
    steps = [re.split(" ~ |=>", entry % parts) for entry in entries(f"quantities.{kind}")]
    return [
        (cues.split("|"), re.compile(pattern, re.IGNORECASE), makers.get(made, made))
        for cues, pattern, made in steps
    ]


class _Magnitude(NamedTuple):
    """A quantity in the smallest unit of its kind, its last unit, and how many words say it."""

    amount: float
    kind: int
    unit: str
    length: int


def measure(said: Sequence[str]) -> _Magnitude | None:
    """Return the quantity that folded words open with: ``1 hour and 30 minutes``."""
    text, amount, kind, unit, end = " ".join(said) + " ", 0.0, None, "", 0
    finder, sizes = _sizes()
    while found := finder.match(text, end):
        known, size = sizes[found["unit"]]
        if kind not in (None, known):
            break
        amount, kind = amount + float(found["number"]) * size, known
        unit, end = found["unit"], found.end()
    return None if kind is None else _Magnitude(amount, kind, unit, text[:end].count(" "))


@cache
def _sizes() -> tuple[re.Pattern[str], dict[str, tuple[int, float]]]:
    """Return what finds an amount of a unit, and the kind and the size of each unit."""
    rows = enumerate(row.split() for row in entries("quantities.sizes"))
    pairs = [(kind, entry.split(":")) for kind, row in rows for entry in row]
    units = "|".join(unit for _, (unit, _) in pairs)
    found = re.compile(
        rf"(?<![\d.])(?:and )?(?<![\d.])(?P<number>\d+(?:\.\d+)?) (?P<unit>{units})s? "
    )
    return found, {unit: (kind, float(size)) for kind, (unit, size) in pairs}


def _number(run: str) -> str:
    """Return in digits what the words of a number say."""
    said = re.split(r"[ -]", run.lower())
    total = current = 0
    for word in said:
        scale = _SCALES.get(word)
        if scale is None:
            current += _NUMBERS.get(word, _ORDINALS.get(word, 0))
        elif scale < 1000:
            current = max(current, 1) * scale
        else:
            total, current = total + max(current, 1) * scale, 0
    number = total + current
    if said[-1] not in _ORDINALS:
        return str(number)
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 10 < number % 100 < 20 else ending}"


def _date(match: re.Match[str]) -> str:
    day, number, year = int(match["day"]), _number_of_month(match["month"]), match["year"]
    if match["month"].isdigit() and not 1 <= number <= 12 and 1 <= day <= 12:
        day, number = number, day  # 12/31/1999: the month came first.
    if not (1 <= number <= 12 and 1 <= day <= 31):
        return match[0]
    return f"{day} {_MONTHS[number - 1]}" + (f" {year}" if year else "")


def _number_of_month(name: str) -> int:
    if name.isdigit():
        return int(name)
    return next(n for n, m in enumerate(_MONTHS, start=1) if m[:3] == name[:3].lower())


def _currency(match: re.Match[str]) -> str:
    return _CURRENCIES[(match["sign"] or match["code"]).lower()]


def _amount(text: str, money: bool) -> str:
    written = text.strip()
    match = re.fullmatch(r"(\d+(?:\.\d+)?)[ -]?([a-z]*?)s?", written.lower())
    if match is None or not match[2]:
        return match[1] if match else text
    # A bare "5 m" may be metres, and "5 k" a thousand.
    is_letter = match[2] in ("m", "b", "k") and not money and not written[-1].isupper()
    is_plain = "." not in match[1] and match[2] != "k"
    if is_letter and (" " in written or is_plain):
        return text
    value = f"{Decimal(match[1]) * (_SCALES | _SHORT_SCALES)[match[2]]:f}"
    return value.rstrip("0").rstrip(".") if "." in value else value


def _range(match: re.Match[str]) -> str:
    first, last = match[1], match[2]
    if len(first) == 4 and len(last) == 2 and last > first[2:]:
        last = first[:2] + last
    return f"{first} to {last}" if len(first) == len(last) else match[0]
