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

_Step = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]


def _table(name: str) -> dict[str, str]:
    return dict(entry.split(":") for entry in entries(f"quantities.{name}"))


_MONTHS, _TENS, _UNITS_BELOW_20 = (entries(f"quantities.{k}") for k in ("months", "tens", "units"))
_NUMBERS = {word: value for value, word in enumerate(_UNITS_BELOW_20)} | {
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
_CURRENCIES, _UNITS = _table("currencies"), _table("unit_names")
_MONEY = re.compile(r"\s?(?:usd|eur|gbp|(?:us )?dollars?|euros?|pounds?|[$€£])", re.IGNORECASE)


def rewritten(text: str) -> str:
    """Return ``text`` with every quantity in one way of writing.

    Args:
        text: without accents (``tokens.plain``); case plays no part and stays elsewhere.
    """
    for pattern, replacement in _steps():
        text = pattern.sub(replacement, text)
    return text


@cache
def _steps() -> list[_Step]:
    month = "|".join(f"{m[:3]}(?:{m[3:]})?" for m in _MONTHS)
    month, day, year = (
        rf"(?P<month>{month}|sept)\b\.?",
        r"(?P<day>\d{1,2})(?:st|nd|rd|th)?",
        r"(?P<year>\d{3,4})",
    )
    of_year = rf"(?:,? ?-?(?:(?:of|in) )?(?:the year )?{year}\b)?"
    low, tens, ordinals = map("|".join, (_UNITS_BELOW_20[1:10], _TENS, _ORDINALS))
    small = rf"(?:(?:{tens})(?:[ -](?:{low}))?|{'|'.join(_UNITS_BELOW_20)})"
    last = rf"(?:(?:{tens})[ -])?(?:{ordinals})"
    scaled = rf"(?:{small}[ -]|an? )?(?:{'|'.join(_SCALES)})(?:[ -](?:{'|'.join(_SCALES)}))*"
    scale = "|".join([*_SCALES, *_SHORT_SCALES])
    sign, code = "[$€£¥₹]", "usd|eur|gbp|jpy|inr"
    units = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
    steps: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
        (r"\b(?:half an?|an? half) (?=year|hour|decade|dozen)", "0.5 "),
        (r"\ba quarter of an hour\b", "15 minutes"),
        (r"\ban? (?=fortnight|decade|century)", "1 "),
        (
            r"\b(?:an?|one) (year|hour|decade|month|week|day) and a (half|quarter)\b",
            r"1 and a \2 \1s",
        ),
        (r"\b(\d+)x (?=an? |per |every )", r"\1 times "),
        (r"\bonce (?=an? |per |every |or )", "one time "),
        (r"\btwice\b", "two times"),
        (r"\bthrice\b", "three times"),
        (r"\b(hour|week|month|year)ly\b|\b(da)ily\b", lambda m: f"every {m[1] or 'day'}"),
        (r"(?<=\btimes )(?:per|each|every) ", "a "),
        (
            rf"\b(?:the|nineteen)[ -]({'|'.join(ten[:-1] for ten in _TENS)})ies\b",
            lambda m: f"19{_NUMBERS[m[1].lower() + 'y']}s",
        ),
        # "The right one" counts nothing.
        (rf"\b({'|'.join(entries('quantities.before_one'))}) one\b", r"\1 ones"),
        (
            rf"\b({'|'.join(_UNITS_BELOW_20[17:])}|twenty)[ -]"
            rf"((?:{tens})(?:[ -](?:{low}))?|{'|'.join(_UNITS_BELOW_20[10:])})(?!\w|[ -](?:{scale}))",
            lambda m: f"{_value(m[1])}{_value(m[2])}",
        ),
        # "888 Seventh Avenue" counts no 895 things, and "5 million" is read below.
        (
            rf"(?<![\w-])(?:(?<!\d )(?:{scaled}(?:[ -](?:and )?{scaled})*"
            rf"(?:[ -](?:and )?(?:{last}|{small}))?|{small}(?![ -](?:{ordinals})))|{last})(?!\w)",
            lambda m: _value(m[0]),
        ),
        (
            r"\b(\d+) and (?:an? |1 )?(half|quarter)\b",
            lambda m: m[1] + (".5", ".25")[m[2][0] == "q"],
        ),
        (r"\b(half|quarter) past (\d{1,2})\b", lambda m: f"{m[2]}:{(30, 15)[m[1][0] in 'qQ']}"),
        (
            r"(?<![\d.:])(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?\s?(?:o'clock )?"
            r"(?:(?P<half>[ap])\.?m\b\.?|in the (?:(?P<am>morning)|afternoon|evening)\b)",
            lambda m: _time(
                m["hour"], m["minute"], "am" if m["am"] or m["half"] in ("a", "A") else "pm"
            ),
        ),
        (
            r"(?<![\d.:/])(1[3-9]|2[0-3]):(\d\d)(?![\d:])",
            lambda m: _time(int(m[1]) - 12, m[2], "pm"),
        ),
        (r"(?<![\d.,])\d{1,3}(?:[ ,'\u2019\u00a0\u202f]\d{3})+(?!\d|,\d)", _digits),
        (r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![\d.]\d)", _digits),
        (r"(?<![\d.])(\d+)\.0+(?![\d.])", r"\1"),
        (rf"\b(?P<year>\d{{4}}),? {month} {day}\b", _date),
        (rf"\b{day}[ -](?:of )?{month}{of_year}", _date),
        (rf"\b{month}[ -](?:the )?{day}\b{of_year}", _date),
        (r"\b(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})\b", _date),
        (r"\b(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>\d{4})\b", _date),
        (r"(?<![\d/])(?P<month>0?[1-9]|1[0-2])/(?P<year>(?:1[5-9]|20)\d\d)\b(?!/)", _month),
        (r"(?<=\b(?:of|in) )'(\d\d)\b", lambda m: f"{'20' if m[1] < '40' else '19'}{m[1]}"),
        (rf"\b{month},? (?:of |in )?'(?P<year>\d{{2}})\b", lambda m: f"{m['month']} 20{m['year']}"),
        (rf"\b{month},? (?:of |in )?(?P<year>\d{{4}})\b", _month),
        (r"\b(?:us|u\.s\.|american) dollars?\b|\bbucks\b", "dollars"),
        (
            rf"(?:(?<![^\W\d_])(?:(?:us|u\.s\.) ?)?(?:(?P<sign>{sign})|\b(?P<code>{code})))\s?"
            rf"(?P<amount>\d+(?:\.\d+)?(?:\s?(?:{scale})\b)?)"
            r"(?:\s?(?:usd|dollars?|euros?|pounds?|eur|gbp)\b)?",
            lambda m: f"{_amount(m['amount'], True)} {_currency(m)} ",
        ),
        (
            rf"(?<![\w.-])\d+(?:\.\d+)?[ -]?(?:{scale})s?\b(?![²/])",
            lambda m: _amount(m[0], _MONEY.match(m.string, m.end()) is not None),
        ),
        (rf"(?<=\d)\s?(?:(?P<sign>{sign})|(?P<code>{code})\b)", lambda m: f" {_currency(m)}"),
        (r"\b(kilo|centi|milli|)(met|lit)er(s?)\b", r"\1\2re\3"),
        (rf"(?<=\d)[ -]?(?P<unit>{units})(?![\w²/])\.?", lambda m: " " + _UNITS[m["unit"].lower()]),
        (r"(?<=\d)\s?(?:%|per ?cent\b|pct\b)", " percent"),
        (r"\b(?:between|from) (\d{1,4}) (?:and|to|until|till|through) (\d{1,4})\b", r"\1 to \2"),
        (
            r"(?<![\d.-])(\d{1,4})[ ]?(?:-|\u2013|\u2014| to | until | till | through )[ ]?"
            r"(\d{1,4})(?!\d|\.\d|-\d|\s?%|\spercent)",
            _range,
        ),
    ]
    return [(re.compile(pattern, re.IGNORECASE), step) for pattern, step in steps]


class Measure(NamedTuple):
    """A quantity in the smallest unit of its kind, its last unit, and how many words say it."""

    amount: float
    kind: int
    unit: str
    count: int

    def likeness(self, other: Measure) -> float:
        """Return how near a quantity of the kind comes, 1 if it is the same; in one unit, or 0."""
        low, high = sorted((self.amount, other.amount))
        if high - low <= high * 1e-6:
            return 1.0
        return low / high if self.unit != other.unit else 0.0


def measure(said: Sequence[str]) -> Measure | None:
    """Return the quantity that folded words open with: ``1 hour and 30 minutes``."""
    text, amount, kind, unit, end = " ".join(said) + " ", 0.0, None, "", 0
    while found := _sizes()[0].match(text, end):
        known, size = _sizes()[1][found["unit"]]
        if kind not in (None, known):
            break
        amount, kind = amount + float(found["number"]) * size, known
        unit, end = found["unit"], found.end()
    return None if kind is None else Measure(amount, kind, unit, text[:end].count(" "))


@cache
def _sizes() -> tuple[re.Pattern[str], dict[str, tuple[int, float]]]:
    """Return what finds an amount of a unit, and the kind and the size of each unit."""
    rows = enumerate(row.split() for row in entries("quantities.sizes"))
    pairs = [(kind, entry.split(":")) for kind, row in rows for entry in row]
    units = "|".join(unit for _, (unit, _) in pairs)
    found = rf"(?:and )?(?P<number>\d+(?:\.\d+)?) (?P<unit>{units})s? "
    return re.compile(found), {unit: (kind, float(size)) for kind, (unit, size) in pairs}


def _value(run: str) -> str:
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


def _time(hour: str | int, minute: str | None, half: str) -> str:
    return f"{hour}{'' if minute in (None, '00') else f':{minute}'} {half}"


def _digits(match: re.Match[str]) -> str:
    return re.sub(r"\D", "", match[0])


def _date(match: re.Match[str]) -> str:
    day, month, year = int(match["day"]), match["month"].lower(), match["year"]
    number = int(month) if month.isdigit() else _number_of_month(month)
    if month.isdigit() and not 1 <= number <= 12 and 1 <= day <= 12:
        day, number = number, day  # 12/31/1999: the month came first.
    if not (1 <= number <= 12 and 1 <= day <= 31):
        return match[0]
    return f"{day} {_MONTHS[number - 1]}" + (f" {year}" if year else "")


def _month(match: re.Match[str]) -> str:
    month = match["month"].lower()
    number = int(month) if month.isdigit() else _number_of_month(month)
    return f"{_MONTHS[number - 1]} {match['year']}"


def _number_of_month(name: str) -> int:
    return next(n for n, month in enumerate(_MONTHS, start=1) if month[:3] == name[:3])


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
