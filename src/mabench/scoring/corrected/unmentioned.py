"""What an answer means that does not mention the gold: a time, another value, or a paraphrase."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from mabench.scoring.corrected.rule import Corrected, refuses, right, unclear, wrong
from mabench.scoring.lexicon import entries, words
from mabench.scoring.sameness.kin import may_be, same_word
from mabench.scoring.sameness.wordings import stems_of, wanted_tokens, words_of
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word, stem

_MONTHS, _WEEKDAYS = (entries(f"quantities.{name}") for name in ("months", "weekdays"))
_BASE = (
    r"(?:(?P<part>early|mid|late)[ -])?(?:(?:(?P<day>\d{1,2}) )?"
    rf"(?P<month>{'|'.join(_MONTHS)})(?:,? (?P<year>\d{{4}}))?"
    r"|(?P<century>\d{1,2})(?:st|nd|rd|th) century|(?P<round>\d{2,3}0)s|(?P<only>\d{4}))\b"
)
_UNIT = f"day|week|weekend|month|year|{'|'.join(_WEEKDAYS)}"
_TIME = re.compile(
    rf"(?:(?:\b(?P<count>\d{{1,2}}) )?\b(?P<unit>{_UNIT})s? "
    r"(?:(?P<before>before|prior to|preceding|(?:leading )?up to)|after|following) (?:the )?)?"
    rf"(?<![\d.]){_BASE}",
    re.IGNORECASE,
)
# "Yesterday, as she wrote on 8 May 2023" is the day before that.
_SPOKEN = re.compile(
    rf"\b(?P<near>yesterday|tomorrow|(?:last|next) (?P<unit>{_UNIT}))\b[^.\n]{{0,60}}?"
    rf"\b(?:{'|'.join(entries('quantities.spoken'))})\b[^.\n\d]{{0,30}}?(?={_BASE})",
    re.IGNORECASE,
)
_DAY = timedelta(1)


class _Span(NamedTuple):
    """The first and the last day of a time, how far it may be off, and whether it is reckoned."""

    first: date
    last: date
    off: tuple[int, int] = (0, 0)  # Days that it may begin earlier and end later.
    reckoned: bool = True

    def holds(self, other: _Span) -> bool:
        """Return whether another time lies within it."""
        return self.first <= other.first and other.last <= self.last


def _tells_time(gold: str, text: str) -> float | None:
    """Return 1 where ``plain`` text tells the time of a gold, 0 where another, 0.5 where maybe.

    It tells it where its time lies within that of the gold. None where neither is reckoned from
    another day, nor is a century or decade: then the words are compared.
    """
    asked = _TIME.search(plain(gold))
    if asked is None or re.search(r"\d", plain(gold)[asked.end() :]):
        return None
    years = set(re.findall(r"\b\d{4}\b", text))
    text = _SPOKEN.sub(_from_day, text)
    year = next(iter(years)) if len(years) == 1 else asked["year"] or asked["only"]
    wanted = _span(asked, year)
    times = [time for time in _TIME.finditer(text) if not (time["only"] and time["only"] == year)]
    spans = [span for time in times or _TIME.finditer(text) if (span := _span(time, year))]
    said = {span[:2]: span for span in spans}.values()  # "The day before 9 May, i.e. 8 May"
    inner = {s for s in said if not any(s != other and s.holds(other) for other in said)}
    if wanted is None or len(inner) != 1:
        return None
    time = inner.pop()
    dated = any(found["year"] or found["month"] is None for found in times)
    is_in_steps = len(spans) > 1 or (times and not dated)  # "In May 2023, on the 9th of May"
    if not (wanted.reckoned or time.reckoned or is_in_steps):
        return None
    (before, after), (earlier, later) = wanted.off, time.off
    if (
        time.last + later * _DAY < wanted.first - before * _DAY
        or time.first - earlier * _DAY > wanted.last + after * _DAY
    ):
        return 0.0
    is_vague = asked["round"] and (time.last - time.first) * 2 < wanted.last - wanted.first
    return 1.0 if wanted.holds(time) and not is_vague and (dated or years) else 0.5


def _from_day(spoken: re.Match[str]) -> str:
    is_past = spoken["near"].lower().startswith(("yesterday", "last"))
    return f"{spoken['unit'] or 'day'} {'before' if is_past else 'after'} "


def _span(time: re.Match[str], year: str | None) -> _Span | None:
    try:
        return _reckoned(time, year)
    except (ValueError, OverflowError):  # No day of the calendar.
        return None


def _reckoned(time: re.Match[str], year: str | None) -> _Span:
    month, count = 12 * int(time["only"] or time["round"] or time["year"] or year or 0), 12
    if time["month"]:
        month, count = month + _MONTHS.index(time["month"].lower()), 1
    elif time["round"]:
        count = 120 if month % 1200 else 1200
    elif time["century"]:
        month, count = max(1200 * (int(time["century"]) - 1), 12), 1200
    if time["part"] and count > 1:
        month += count * ("early", "mid", "late").index(time["part"].lower()) * 3 // 10
        count = count * 4 // 10
    first, last = _months(month, count)
    if time["day"]:
        first = last = first.replace(day=int(time["day"]))
    if not time["unit"]:
        return _Span(first, last, reckoned=bool(time["round"] or time["century"] or time["part"]))
    unit, count = time["unit"].lower(), int(time["count"] or 1)
    sign, start = (-1, first) if time["before"] else (1, last)
    if unit == "year":
        return _Span(*_months(12 * (start.year + sign * count), 12))
    if unit == "month":
        return _Span(*_months(12 * start.year + start.month - 1 + sign * count, 1), off=(7, 7))
    if unit in ("day", "week"):
        far = start + sign * count * (7 if unit == "week" else 1) * _DAY
        if unit == "day" or time["count"]:
            return _Span(far, far, off=(2, 2) if unit == "week" else (0, 0))
        near = start + sign * _DAY
        return _Span(min(near, far), max(near, far), off=(6, 0) if sign < 0 else (0, 6))
    weekday = _WEEKDAYS.index("saturday" if unit == "weekend" else unit)
    behind = (weekday - start.weekday()) * sign % 7 or 7
    day = start + sign * (behind + 7 * (count - 1)) * _DAY
    return _Span(day, day + (unit == "weekend") * _DAY)


def _months(first: int, count: int) -> tuple[date, date]:
    """Return the first and the last day of so many months, counted from the year 0."""
    begin, end = (date(month // 12, month % 12 + 1, 1) for month in (first, first + count))
    return begin, end - _DAY


_SHORT = 6  # Words of a line that is an answer by itself.
_MUCH = 0.5  # Share of a gold's words from which on it may be what is meant.
_OPEN = re.compile(r"\s*(?:why|how)\b(?! (?:long|many|much|old|often|far))", re.IGNORECASE)
_REASON = re.compile(r"(?:to|by|because|so that|in order to|[Tt]hat) [a-z]")


def unmentioned(text: str, gold: str, question: str | None) -> Corrected:
    """Return what a text says that does not mention the gold.

    It may mean it if it says much of it, or a part of it and nothing else; if nothing is named in
    the gold, also if it says a word of it, or if both tell why.
    """
    if refuses(text):
        return wrong("refusal")
    told = _tells_time(gold, text)
    if told == 1.0:
        return right("answer-asserted")
    wanted, said, asked = wanted_tokens(gold), tokens(text), stems_of(question or "")
    meant = {token.word for token in wanted}
    # It is said as a part of something else, or what makes another place of it is not said.
    is_other = len(wanted) == 1 and any(same_word(wanted[0].word, t.word) for t in said)
    if is_other or told == 0.0 or meant & words("names.other_place") - words_of(text):
        return wrong("no-candidate")
    spoken = {token.word for token in said if not is_function_word(token.word)}
    spoken -= words("names.small", "names.titles")
    is_part = spoken < meant and any(len(word) > 1 + word.isdigit() for word in spoken)
    may_mean = bool(told) or (is_part and len(said) <= _SHORT)
    may_mean |= share_said(wanted, text, asked) > _MUCH
    content = [token for token in wanted if not is_function_word(token.word)]
    is_named = any(token.is_name and token.start for token in content)
    if not (is_named or re.search(r"\d", plain(gold))):
        is_reason = len(said) > 3 and (_OPEN.match(question or "") or _REASON.match(gold))
        shared = {stem(token.word) for token in content} & stems_of(text) - asked
        may_mean |= bool(is_reason or (len(content) > 1 and shared))
    return unclear("answer-partly-said") if may_mean else wrong("no-candidate")


def share_said(wanted: Sequence[Token], text: str, known: Collection[str] = frozenset()) -> float:
    """Return what share of some words a text says, in whatever form.

    It says none where another name or number stands in the place of one.

    Args:
        wanted: the words.
        text: ``plain`` text.
        known: stems of words that stand in no other's place.
    """
    said = tokens(text)
    small = words("names.small")
    telling = [token for token in wanted if token.word not in small or token.raw.isupper()]
    left = [token for token in telling if not any(may_be(token, other) for other in said)]
    others = [
        token
        for token in said
        if not (is_function_word(token.word) or stem(token.word) in known)
        and not any(may_be(other, token) for other in telling)
    ]
    for token in left:
        is_number = _is_number(token) and any(map(_is_number, others))
        if is_number or (token.raw[0].isupper() and any(t.raw[0].isupper() for t in others)):
            return 0.0
    return 1 - len(left) / max(len(telling), 1)


def _is_number(token: Token) -> bool:
    return token.raw[0].isdigit() or token.word in words("quantities.months")
