"""Numbers, dates, sums and units of a text, rewritten so that ways to write them are equal.

``February 5th, 1922`` becomes ``5 february 1922``, ``$1.5M`` becomes ``1500000 dollars``,
``sixteenth`` becomes ``16th``, ``six km`` becomes ``6 kilometre``.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from mabench.scoring.lexicon import entries

_TENS = entries("quantities.tens")
_SMALL = {word: value for value, word in enumerate(entries("quantities.units"))} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_IRREGULAR = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fifth": 5,
    "eighth": 8,
    "ninth": 9,
    "twelfth": 12,
}
_ORDINALS = (
    _IRREGULAR
    | {f"{word}th": n for word, n in _SMALL.items() if n not in _IRREGULAR.values() and n < 20}
    | {f"{word[:-1]}ieth": n for word, n in _SMALL.items() if n >= 20}
)
_SCALES = {
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_SHORT_SCALES = {
    "k": 10**3,
    "m": 10**6,
    "mil": 10**6,
    "mio": 10**6,
    "mn": 10**6,
    "bn": 10**9,
    "b": 10**9,
}
_MONTHS = entries("quantities.months")
_MONTH = r"(?P<month>" + "|".join(f"{m[:3]}(?:{m[3:]})?" for m in _MONTHS) + r"|sept)\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{3,4})"
_DATES = (
    re.compile(rf"\b(?P<year>\d{{4}}),? {_MONTH} {_DAY}\b", re.IGNORECASE),
    re.compile(rf"\b{_DAY}[ -](?:of )?{_MONTH}(?:,? ?-?(?:of )?{_YEAR}\b)?", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}[ -](?:the )?{_DAY}\b(?:,? ?-?(?:of )?{_YEAR}\b)?", re.IGNORECASE),
    re.compile(r"\b(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})\b"),
    re.compile(r"\b(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>\d{4})\b"),
)
_CURRENCY = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "₹": "rupee"}
_CODES = {"usd": "dollar", "eur": "euro", "gbp": "pound", "jpy": "yen", "inr": "rupee"}
_AMOUNT = (
    r"(?P<amount>\d+(?:\.\d+)?(?:\s?(?:hundred|thousand|million|billion|trillion|mn|mil|mio|bn"
    r"|k|m|b)\b)?)"
)
_SUM = re.compile(
    r"(?:(?<![^\W\d_])(?:us|u\.s\.)? ?(?P<sign>[$€£¥₹])|\b(?P<code>usd|eur|gbp|jpy|inr))\s?"
    rf"{_AMOUNT}(?:\s?(?:usd|dollars?|euros?|pounds?|eur|gbp)\b)?",
    re.IGNORECASE,
)
_CODE_AFTER = re.compile(
    r"(?<=\d)\s?(?:(?P<sign>[$€£¥₹])|(?P<code>usd|eur|gbp|jpy|inr)\b)", re.IGNORECASE
)
_US_DOLLARS = re.compile(r"\b(?:us|u\.s\.|american) dollars?\b", re.IGNORECASE)
_UNIT_NAMES = dict(unit.split(":") for unit in entries("quantities.unit_names"))
_UNIT = re.compile(
    r"(?<=\d)(?P<gap>[ -]?)(?P<unit>"
    + "|".join(sorted(map(re.escape, _UNIT_NAMES), key=len, reverse=True))
    + r")(?![\w²/])\.?",
    re.IGNORECASE,
)
_METRE = re.compile(r"\b(kilo|centi|milli|)(meter|liter)(s?)\b", re.IGNORECASE)
_PERCENT = re.compile(r"(?<=\d)\s?(?:%|per ?cent\b|pct\b)", re.IGNORECASE)
_SPACED_GROUPS = re.compile(r"(?<![\d.,])(\d{1,3})((?:[ ,'\u2019\u00a0\u202f]\d{3})+)(?!\d|,\d)")
_DOTTED_GROUPS = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![\d.]\d)")
_HALF = re.compile(r"\b(\w+) and a half (?=hundred|thousand|million|billion)", re.IGNORECASE)
_THOUSAND_METRES = re.compile(r"(?<![\d.])(\d+)000 (metre|gram)s?\b")
_IDLE = re.compile(r"(?<![\d.])(\d+)\.0+(?![\d.])")
_RANGE = re.compile(
    r"(?<![\d.-])(\d{1,4})\s?(?:-|\u2013|\u2014| to | until | till | through "
    r")\s?(\d{1,4})(?!\d|\.\d|-\d|\s?%|\spercent)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\b(?:between (\d{1,4}) and|from (\d{1,4}) (?:to|until|till|through)) (\d{1,4})\b",
    re.IGNORECASE,
)
_WORDS = "|".join([*_SMALL, *_SCALES, *_ORDINALS])
# "888 Seventh Avenue" counts no 895 things, and "5 million" is read below.
_RUN = re.compile(
    rf"(?<![\w-])(?:(?<!\d )(?:an? )?(?:{_WORDS})(?:[ -](?:and )?(?:{_WORDS}))*"
    rf"|(?<=\d )(?:{'|'.join(_ORDINALS)}))(?!\w)",
    re.IGNORECASE,
)
_MONTH_YEAR = re.compile(rf"\b{_MONTH},? (?:of |in )?(?P<year>\d{{4}})\b", re.IGNORECASE)
_MONEY = re.compile(
    r"\s?(?:usd|eur|gbp|(?:us )?dollars?|bucks|euros?|pounds?|[$€£])", re.IGNORECASE
)
_BUCKS = re.compile(r"\bbucks\b", re.IGNORECASE)
# "The right one" counts nothing.
_PRONOUN = re.compile(
    r"\b(this|that|the|no|any|each|every|which|right|best|correct|other|another|only|last|new"
    r"|some) one\b",
    re.IGNORECASE,
)
_SCALED = re.compile(
    r"(?<![\w.-])(\d+(?:\.\d+)?)[ -]?(hundred|thousand|million|billion|trillion|mn|mil|mio|bn"
    r"|k|m|b)s?\b(?![²/])",
    re.IGNORECASE,
)


def rewritten(text: str) -> str:
    """Return ``text`` with every quantity in one way of writing.

    Args:
        text: without accents (``tokens.plain``); case plays no part and stays elsewhere.
    """
    text = _HALF.sub(lambda m: f"{_SMALL.get(m[1].lower(), m[1])}.5 ", text)
    text = _RUN.sub(lambda run: _number_words(run[0].lower()), _PRONOUN.sub("\\1 ones", text))
    for groups in (_SPACED_GROUPS, _DOTTED_GROUPS):
        text = groups.sub(lambda m: re.sub(r"\D", "", m[0]), text)
    text = _IDLE.sub(r"\1", text)
    for pattern in _DATES:
        text = pattern.sub(_date, text)
    text = _MONTH_YEAR.sub(
        lambda m: f"{_MONTHS[_number_of_month(m['month'].lower()) - 1]} {m['year']}", text
    )
    text = _US_DOLLARS.sub("dollars", text)
    text = _SUM.sub(
        lambda m: (
            f"{_amount(m['amount'], True)} "
            f"{_CURRENCY.get(m['sign'] or '') or _CODES[m['code'].lower()]} "
        ),
        text,
    )
    text = _SCALED.sub(lambda m: _amount(m[0], _MONEY.match(m.string, m.end()) is not None), text)
    text = _CODE_AFTER.sub(
        lambda m: f" {_CURRENCY.get(m['sign'] or '') or _CODES[m['code'].lower()]}", text
    )
    text = _METRE.sub(lambda m: m[1] + m[2][:-2] + "re" + m[3], text)
    text = _BUCKS.sub("dollars", text)
    text = _UNIT.sub(lambda m: " " + _UNIT_NAMES[m["unit"].lower()], text)
    text = _THOUSAND_METRES.sub(r"\1 kilo\2", text)
    text = _PERCENT.sub(" percent", text)
    text = _BETWEEN.sub(lambda m: f"{m[1] or m[2]} to {m[3]}", text)
    return _RANGE.sub(_range, text)


def _number_words(run: str) -> str:
    """Return what a run of number words says, in digits; as it is when it says no number."""
    ordinal, joint, rest = run.partition(" and ")
    if joint and re.split(r"[ -]", ordinal)[-1] in _ORDINALS:
        return f"{_number_words(ordinal)} and {_number_words(rest)}"
    said = [word for word in re.split(r"[ -]", run) if word not in ("and", "a", "an")]
    article = run.split(" ")[0] if run.split(" ")[0] in ("a", "an") else ""
    if article and said[0] not in _SCALES:
        return f"{article} {_number_words(run[len(article) + 1 :])}"
    numbers: list[str] = []
    total = current = 0
    last = ""
    for word in said:
        value = _SMALL.get(word, _ORDINALS.get(word))
        if word in _SCALES:
            scale = _SCALES[word]
            if scale == 100:
                current = max(current, 1) * 100
            else:
                total, current = total + max(current, 1) * scale, 0
        elif value is not None:
            if last and not _continues(last, value):
                numbers.append(str(total + current))
                total = current = 0
            current += value
            if word in _ORDINALS:
                numbers.append(_ordinal(total + current))
                total = current = 0
                last = ""
                continue
        last = word
    if last:
        numbers.append(str(total + current))
    return " ".join(numbers)


def _continues(last: str, value: int) -> bool:
    """Say whether a number word goes on the number that ``last`` is a part of."""
    if last in _SCALES:
        return True
    return last in _TENS and 0 < value < 10


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 10 < number % 100 < 20 else ending}"


def _date(match: re.Match[str]) -> str:
    day, month, year = int(match["day"]), match["month"].lower(), match["year"]
    number = int(month) if month.isdigit() else _number_of_month(month)
    if not month.isalpha() and not 1 <= number <= 12 and 1 <= day <= 12:
        day, number = number, day  # 12/31/1999: the month came first.
    if not (1 <= number <= 12 and 1 <= day <= 31):
        return match[0]
    return f"{day} {_MONTHS[number - 1]}" + (f" {year}" if year else "")


def _number_of_month(name: str) -> int:
    return next(n for n, month in enumerate(_MONTHS, start=1) if month[:3] == name[:3])


def _amount(text: str, money: bool) -> str:
    written = text.strip()
    match = re.fullmatch(r"(\d+(?:\.\d+)?)[ -]?([a-z]*?)s?", written.lower())
    if match is None:
        return text
    if not match[2]:
        return match[1]
    # A bare "5 m" may be metres, and "5 k" a thousand.
    is_letter = match[2] in ("m", "b", "k") and not money and not written[-1].isupper()
    if is_letter and (" " in written or "." not in match[1]):
        return text
    scale = _SCALES.get(match[2]) or _SHORT_SCALES[match[2]]
    try:
        value = Decimal(match[1]) * scale
    except InvalidOperation:
        return text
    return f"{value:f}".rstrip("0").rstrip(".") if "." in f"{value:f}" else f"{value:f}"


def _range(match: re.Match[str]) -> str:
    first, last = match[1], match[2]
    if len(first) == 4 and len(last) == 2 and last > first[2:]:
        last = first[:2] + last
    if len(first) != len(last):
        return match[0]
    return f"{first} to {last}"
