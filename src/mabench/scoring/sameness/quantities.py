"""Numbers, dates, sums and units of a text, rewritten so that ways to write them are equal.

``February 5th, 1922`` becomes ``5 february 1922``, ``$1.5M`` becomes ``1500000 dollars``,
``sixteenth`` becomes ``16th``, ``six km`` becomes ``6 kilometre``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache

from mabench.scoring.lexicon import entries

_Step = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]


def _table(name: str) -> dict[str, str]:
    return dict(entry.split(":") for entry in entries(f"quantities.{name}"))


_MONTHS = entries("quantities.months")
_TENS = entries("quantities.tens")
_SMALL = {word: value for value, word in enumerate(entries("quantities.units"))} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_IRREGULAR = {word: int(value) for word, value in _table("irregular_ordinals").items()}
_ORDINALS = (
    _IRREGULAR
    | {f"{word}th": n for word, n in _SMALL.items() if n not in _IRREGULAR.values() and n < 20}
    | {f"{word[:-1]}ieth": n for word, n in _SMALL.items() if n >= 20}
)
_SCALES = {word: 10 ** int(power) for word, power in _table("scales").items()}
_SHORT_SCALES = {word: 10 ** int(power) for word, power in _table("short_scales").items()}
_CURRENCIES = _table("currencies")
_UNITS = _table("unit_names")


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
    words = "|".join([*_SMALL, *(word for word in _SCALES), *_ORDINALS])
    scale = "|".join([*_SCALES, *_SHORT_SCALES])
    sign, code = "[$€£¥₹]", "usd|eur|gbp|jpy|inr"
    sums = rf"(?P<sign>{sign})|\b(?P<code>{code})"
    units = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
    steps: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
        (r"\b(?:half an?|an? half) (?=year|hour|decade|dozen)", "0.5 "),
        (r"\ba quarter of an hour\b", "15 minutes"),
        (r"\ban? (?=fortnight|decade|dozen)", "1 "),
        (r"\ban? (year|hour|decade|month|week|day) and a half\b", r"1.5 \1s"),
        (r"\b(\w+) and a half (?=hundred|[tmb]\w*illion|thousand|year|hour|month|day)", _half),
        (r"\b(\d+)x (?=an? |per |every )", r"\1 times "),
        (r"\bonce (?=an? |per |every )", "one times "),
        (r"\btwice\b", "two times"),
        (r"\bthrice\b", "three times"),
        (r"\b(hour|week|month|year)ly\b|\b(da)ily\b", lambda m: f"every {m[1] or 'day'}"),
        (r"(?<=\btimes )(?:per|each|every) ", "a "),
        # "The right one" counts nothing.
        (rf"\b({'|'.join(entries('quantities.before_one'))}) one\b", r"\1 ones"),
        # "888 Seventh Avenue" counts no 895 things, and "5 million" is read below.
        (
            rf"(?<![\w-])(?:(?<!\d )(?:an? )?(?:{words})(?:[ -](?:and )?(?:{words}))*"
            rf"|(?<=\d )(?:{'|'.join(_ORDINALS)}))(?!\w)",
            lambda run: _number_words(run[0].lower()),
        ),
        (r"(?<![\d.,])\d{1,3}(?:[ ,'\u2019\u00a0\u202f]\d{3})+(?!\d|,\d)", _digits),
        (r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![\d.]\d)", _digits),
        (r"(?<![\d.])(\d+)\.0+(?![\d.])", r"\1"),
        (rf"\b(?P<year>\d{{4}}),? {month} {day}\b", _date),
        (rf"\b{day}[ -](?:of )?{month}(?:,? ?-?(?:of )?{year}\b)?", _date),
        (rf"\b{month}[ -](?:the )?{day}\b(?:,? ?-?(?:of )?{year}\b)?", _date),
        (r"\b(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})\b", _date),
        (r"\b(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>\d{4})\b", _date),
        (r"(?<![\d/])(?P<month>0?[1-9]|1[0-2])/(?P<year>(?:1[5-9]|20)\d\d)\b(?!/)", _month),
        (
            r"(?<=\b(?:of|in) )'(?P<short>\d\d)\b",
            lambda m: f"{'20' if m['short'] < '40' else '19'}{m['short']}",
        ),
        (rf"\b{month},? (?:of |in )?'(?P<year>\d{{2}})\b", lambda m: f"{m['month']} 20{m['year']}"),
        (rf"\b{month},? (?:of |in )?(?P<year>\d{{4}})\b", _month),
        (r"\b(?:us|u\.s\.|american) dollars?\b|\bbucks\b", "dollars"),
        (
            rf"(?:(?<![^\W\d_])(?:(?:us|u\.s\.) ?)?(?:{sums}))\s?(?P<amount>\d+(?:\.\d+)?"
            rf"(?:\s?(?:{scale})\b)?)(?:\s?(?:usd|dollars?|euros?|pounds?|eur|gbp)\b)?",
            lambda m: f"{_amount(m['amount'], True)} {_currency(m)} ",
        ),
        (rf"(?<![\w.-])\d+(?:\.\d+)?[ -]?(?:{scale})s?\b(?![²/])", _scaled),
        (rf"(?<=\d)\s?(?:(?P<sign>{sign})|(?P<code>{code})\b)", lambda m: f" {_currency(m)}"),
        (r"\b(kilo|centi|milli|)(met|lit)er(s?)\b", r"\1\2re\3"),
        (rf"(?<=\d)[ -]?(?P<unit>{units})(?![\w²/])\.?", lambda m: " " + _UNITS[m["unit"].lower()]),
        (r"(?<![\d.])(\d+)000 (metre|gram)s?\b", r"\1 kilo\2"),
        (r"(?<=\d)\s?(?:%|per ?cent\b|pct\b)", " percent"),
        (r"\b(?:between|from) (\d{1,4}) (?:and|to|until|till|through) (\d{1,4})\b", r"\1 to \2"),
        (
            r"(?<![\d.-])(\d{1,4})[ ]?(?:-|\u2013|\u2014| to | until | till | through )[ ]?"
            r"(\d{1,4})(?!\d|\.\d|-\d|\s?%|\spercent)",
            _range,
        ),
    ]
    return [(re.compile(pattern, re.IGNORECASE), step) for pattern, step in steps]


def in_other_units(quantity: str) -> Iterator[str]:
    """Yield what says a ``plain`` quantity in other units: ``18 month`` for ``1.5 year``."""
    match = re.fullmatch(r"(\d+(?:\.5)?) (\w+?)s?(?P<rest> \w+)?", quantity.lower())
    if match is None:
        return
    for row in entries("quantities.durations"):
        sizes = {unit: int(size) for unit, _, size in (e.partition(":") for e in row.split(" "))}
        for unit, size in sizes.items() if match[2] in sizes else ():
            count = Decimal(match[1]) * sizes[match[2]] / size
            if count * 2 == int(count * 2):
                yield f"{count.normalize():f} {unit}{match['rest'] or ''}".replace("  ", " ")


def _half(match: re.Match[str]) -> str:
    return f"{_SMALL.get(match[1].lower(), match[1])}.5 "


def _digits(match: re.Match[str]) -> str:
    return re.sub(r"\D", "", match[0])


def _number_words(run: str) -> str:
    """Return what a run of number words says, in digits; as it is when it says no number."""
    ordinal, joint, rest = run.partition(" and ")
    if joint and re.split(r"[ -]", ordinal)[-1] in _ORDINALS:
        return f"{_number_words(ordinal)} and {_number_words(rest)}"
    article, _, tail = run.partition(" ")
    if article in ("a", "an") and re.split(r"[ -]", tail)[0] not in _SCALES:
        return f"{article} {_number_words(tail)}"
    numbers: list[str] = []
    total = current = 0
    last = ""
    for word in re.split(r"[ -]", run):
        value = _SMALL.get(word, _ORDINALS.get(word))
        if word in _SCALES:
            scale = _SCALES[word]
            total, current = (
                (total, max(current, 1) * 100)
                if scale == 100
                else (
                    total + max(current, 1) * scale,
                    0,
                )
            )
        elif value is not None:
            if last and last not in _SCALES and not (last in _TENS and 0 < value < 10):
                numbers.append(str(total + current))
                total = current = 0
            current += value
            if word in _ORDINALS:
                numbers.append(_ordinal(total + current))
                total, current, word = 0, 0, ""
        else:
            continue
        last = word
    return " ".join([*numbers, str(total + current)] if last else numbers)


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 10 < number % 100 < 20 else ending}"


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


_MONEY = re.compile(r"\s?(?:usd|eur|gbp|(?:us )?dollars?|euros?|pounds?|[$€£])", re.IGNORECASE)


def _scaled(match: re.Match[str]) -> str:
    return _amount(match[0], _MONEY.match(match.string, match.end()) is not None)


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
