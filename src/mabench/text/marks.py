"""What stands where in a text: answers, options, literals, sentences and times.

Sentences are found without any data files, times without regard to the locale.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple

# Where something begins in a text, and where it ends.
Span = tuple[int, int]

_WORD = re.compile(r"\w+")
_LONGEST = 1000  # Words of an answer; one that is a book is not looked for.
# Between the words of an answer there may be signs and a line break, but no other word.
_BETWEEN = r"\W{1,5}"
_LETTERED = re.compile(r"^[ \t]*\(?([A-Z])[.):][ \t]*(\S.*)$", re.MULTILINE)
_LIST_LINE = re.compile(r"^[ \t]*(\[.*\])[ \t]*$", re.MULTILINE)
_LONGEST_LIST = 100_000
# Sentencex takes quadratic time for three kinds of text, none of which is prose.
_SHORT = 20_000  # Characters of a text that takes it a moment, whatever it is.
_WINDOW = 2_000
_MOST_QUOTES = 100_000
_QUOTES = "\"'`«»‘’“”„‹›《》「」"  # noqa: RUF001
_MOST_STEPS = 1_000_000_000
_PAIRS = (
    ("«", "»"),
    ("»", "«"),
    ("‘", "’"),  # noqa: RUF001
    ("“", "”"),
    ("„", "“"),
    ("‹", "›"),  # noqa: RUF001
    ("``", "''"),
)
_LONG_WORD = re.compile(rf"(?<!\S)\S{{{_WINDOW},}}")
_HALVES = re.compile("[\ud800-\udfff]")  # Of characters: sentencex takes none alone.
_MARKS = re.compile(r"[^\w\s]")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)"
_FORMS = tuple(
    re.compile(rf"(?<![\w/-]){form}(?![\w/-])")
    for form in (
        # 2024-05-03, 2024-05-03T10:00 and 2024-05-03 10:00:30+02:00
        r"(?P<iso>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)",
        # 2023/05/27 (Sat) 22:54 and 2023/5/7 (Sun) 10:54 PM
        r"(?P<year>\d{4})/(?P<number>\d{1,2})/(?P<day>\d{1,2})(?: \(\w{3}\))?"
        rf"(?: {_CLOCK}(?: ?(?P<half>[AP])M)?(?P<zone>[+-]\d{{4}})?)?",
        # 1:56 pm on 8 May, 2023
        rf"{_CLOCK} (?P<half>[ap])m on (?P<day>\d{{1,2}}) (?P<month>[A-Z][a-z]+),? "
        r"(?P<year>\d{4})",
        # 8 May 2023 and 8 May 2023, 13:56
        r"(?P<day>\d{1,2}) (?P<month>[A-Z][a-z]+),? (?P<year>\d{4})"
        rf"(?:, {_CLOCK}(?P<zone>[+-]\d{{4}})?)?",
        # March-15-2024
        r"(?P<month>[A-Z][a-z]+)-(?P<day>\d\d)-(?P<year>\d{4})",
    )
)


def spans(text: str, answers: Sequence[str], most: int = 20) -> list[Span]:
    """Return where answers stand in a text, from left to right, without overlaps.

    Words are compared without regard to case and to the signs between them. What the scoring
    rules find beyond that, such as a number written otherwise, has no place here. Of each answer
    the first places are found, ``most`` at most; one of more than 1,000 words is not looked for.
    """
    matches: list[Span] = []
    for answer in answers:
        words = _WORD.findall(answer)
        if 0 < len(words) <= _LONGEST:
            phrase = _BETWEEN.join(map(re.escape, words))
            places = re.finditer(rf"(?<!\w){phrase}(?!\w)", text, re.IGNORECASE)
            matches += [place.span() for place in islice(places, most)]
    apart: list[Span] = []
    for start, end in sorted(matches, key=lambda span: (span[0], -span[1])):
        if not apart or start >= apart[-1][1]:
            apart.append((start, end))
    return apart


def excerpt(text: str, marks: Sequence[Span], around: int) -> tuple[str, list[Span]]:
    """Return a text cut to the characters ``around`` its first mark, and the marks in that.

    Without any mark that is its beginning.
    """
    start, end = marks[0] if marks else (0, 0)
    first, last = max(0, start - around), min(len(text), end + around + (0 if marks else around))
    before, after = "…" if first else "", "…" if last < len(text) else ""
    shift = len(before) - first
    inside = [(a + shift, b + shift) for a, b in marks if first <= a and b <= last]
    return f"{before}{text[first:last]}{after}", inside


class Option(NamedTuple):
    """One option: its letter, or None when the options carry no letters, and its text."""

    letter: str | None
    text: str


def options_in(question: str) -> tuple[Option, ...]:
    """Return the options that ``question`` offers, in order; empty when it offers none.

    Two forms are read: a line that is a Python list literal of at least two strings, and
    consecutive lettered lines (``A. ...``, ``B) ...``) that start at A. Where a question holds
    several blocks (a worked example before the question proper) the last one counts.
    """
    for line in reversed(_LIST_LINE.findall(question)):
        value = literal(line, _LONGEST_LIST)
        if isinstance(value, list) and len(value) > 1 and all(isinstance(v, str) for v in value):
            return tuple(Option(None, text) for text in value)
    block: list[Option] = []
    for letter, text in _LETTERED.findall(question):
        if letter == "A":
            block = []
        if ord(letter) == ord("A") + len(block):
            block.append(Option(letter, text.rstrip(" \t")))
    return tuple(block) if len(block) > 1 else ()


def literal(text: str, longest: int) -> object:
    """Return the value of the Python literal that ``text`` is, or None when it is none.

    Text longer than ``longest`` characters is not parsed. Escapes that Python warns of are
    read in silence: the text is data, and its writer cannot act on a warning.
    """
    if len(text) > longest:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def sentences(text: str) -> list[str]:
    """Split ``text`` at sentence ends; the pieces joined give the text back.

    The boundaries are sentencex's (MIT, Wikimedia), for English. Pieces of white space alone
    are kept with the sentence before them. A text that would take it minutes, such as a million
    quotation marks, is cut into windows of 2,000 characters first.
    """
    if len(text) <= _SHORT or not any(map(_takes_long, text.split("\n\n"))):
        return _segments(text)
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = start + _WINDOW
        if end < len(text):  # At a space where there is one.
            end = text.rfind(" ", start, end) + 1 or end
        pieces += _segments(text[start:end])
        start = end
    return pieces


def _takes_long(paragraph: str) -> bool:
    if len(paragraph) <= _SHORT:
        return False
    steps = 0
    for opening, closing in _PAIRS:  # Each that is not closed is looked for up to the end.
        tail = paragraph.rfind(closing) + 1
        steps += paragraph.count(opening, tail) * (len(paragraph) - tail)
    for word in _LONG_WORD.findall(paragraph):  # So is the beginning of a word from its marks.
        steps += len(_MARKS.findall(word)) * len(word)
    return steps > _MOST_STEPS or sum(map(paragraph.count, _QUOTES)) > _MOST_QUOTES


def _segments(text: str) -> list[str]:
    import sentencex  # Loads a compiled module: only when a sentence is asked for.

    pieces: list[str] = []
    position = 0
    whole = _HALVES.sub("\N{REPLACEMENT CHARACTER}", text)
    for sentence in sentencex.segment("en", whole):
        start = whole.find(sentence, position)
        if start < 0:  # pragma: no cover - would mean that the library altered the text
            break
        if sentence.strip():
            end = start + len(sentence)
            pieces.append(text[position:end])
            position = end
    rest = text[position:]
    if pieces and not rest.strip():
        pieces[-1] += rest
    elif rest:
        pieces.append(rest)
    return pieces


def find_times(text: str) -> Iterator[tuple[int, int, datetime, bool]]:
    """Yield the times that stand in a text: start and end, the moment, and whether it has a clock.

    Those without a zone are in UTC.
    """
    for form in _FORMS:
        for found in form.finditer(text):
            fields = found.groupdict()
            try:
                moment = _moment(fields)
            except ValueError:  # Such as a 31st of June.
                continue
            has_clock = fields.get("hour") is not None or ":" in (fields.get("iso") or "")
            yield *found.span(), moment, has_clock


def _moment(fields: dict[str, str | None]) -> datetime:
    if iso := fields.get("iso"):
        moment = datetime.fromisoformat(iso)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    month = fields.get("month")
    number = _MONTHS.index(month.lower()) + 1 if month else int(fields["number"] or 0)
    names = ("year", "day", "hour", "minute")
    year, day, hour, minute = (int(fields.get(name) or 0) for name in names)
    if half := fields.get("half"):
        hour = hour % 12 + 12 * (half.lower() == "p")
    zone = datetime.strptime(fields.get("zone") or "+0000", "%z").tzinfo
    return datetime(year, number, day, hour, minute, tzinfo=zone)


def read_time(text: str | None) -> datetime | None:
    """Return the time that a text is, in UTC where it has no zone; None if it is none we know."""
    text = text or ""
    whole = (moment for *place, moment, _ in find_times(text) if place == [0, len(text)])
    return next(whole, None)


def write_time(moment: datetime) -> str:
    """Return a time as ``8 May 2023, 13:56``, with its zone where that is not UTC.

    In words, as people write it: a reader gives dates in the form in which it sees them.
    """
    zone = f"{moment:%z}" if moment.utcoffset() else ""
    month = _MONTHS[moment.month - 1].title()
    return f"{moment.day} {month} {moment.year}, {moment:%H:%M}{zone}"
