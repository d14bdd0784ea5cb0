"""Whether a text that does not state the gold states a rival of it, or may mean the gold.

Only what surely is another value counts: a name that shares no word with the gold, a number of
the same things, a time that cannot be the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mabench.scoring.lexicon import words
from mabench.scoring.sameness.kin import may_be
from mabench.scoring.sameness.wordings import is_small, wanted_tokens
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word, stem

_DATE = re.compile(
    r"(?:(?P<day>\d{1,2}) )?(?P<month>january|february|march|april|may|june|july|august"
    r"|september|october|november|december)\b(?:,? (?P<year>\d{4}))?|(?<![\d.,])(?P<only>\d{4})\b",
    re.IGNORECASE,
)
_VAGUE_TIME = re.compile(
    r"\b(?:about|around|approximately|roughly|circa|early|mid|middle|late|end|beginning|week"
    r"|weekend|before|after|following|previous|prior|between|since|until|ago|last|next|century|"
    r"centuries|decade|\d+s)\b|\d to \d",
    re.IGNORECASE,
)
_VAGUE_NUMBER = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|over|under|more than|less than"
    r"|fewer than|at least|at most|up to|just|some|circa|a couple(?: of)?|a few|several|dozens?"
    r"|hundreds|thousands|half|or so|plus)\b|[~<>+\u2248/]|\d to \d|\b(?:per|every|each)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.,:/-])(\d+(?:\.\d+)?)(?![\w:/]|[.,]\d)(?: ([^\W\d_]+))?")


def shares_words(gold: str, text: str, question: str) -> bool:
    """Return whether a text says a word of a name, or one much like it, that may mean it.

    It does not where that word is a part of another name: ``Otto Lindholm`` for Hedda Lindholm.
    """
    known = {token.word for token in tokens(plain(question))}
    wanted = [t for t in wanted_tokens(gold) if not is_small(t.word)] or [*wanted_tokens(gold)]
    said = tokens(text)
    for place, token in enumerate(said):
        alike = [w for w in wanted if may_be(w, token)]
        if not alike or (token.word in known and len(wanted) > 1):
            continue
        beside = [*said[max(0, place - 1) : place], *said[place + 1 : place + 2]]
        others = [t for t in beside if _is_of_name(text, token, t)]
        is_other = len(wanted) > 1 and any(
            not any(may_be(w, other) for w in wanted) and other.word not in known
            for other in others
        )
        if not is_other:
            return True
    return _abbreviates(wanted, said)


def _is_of_name(text: str, token: Token, other: Token) -> bool:
    first, last = sorted((token, other), key=lambda t: t.start)
    is_title = other.word in words("names.titles", "names.addresses")
    opens = not re.search(r"[^.!?:\n]\s*$", text[: other.start]) and is_function_word(other.word)
    is_joined = text[first.end : last.start] in (" ", "-", ". ")
    return is_joined and other.raw[0].isupper() and not (is_title or opens)


def _abbreviates(wanted: Sequence[Token], said: Sequence[Token]) -> bool:
    initials = "".join(token.raw[0] for token in wanted).casefold()
    is_short = len(wanted) == 1 and wanted[0].raw.isupper() and len(wanted[0].raw) > 1
    for place, token in enumerate(said):
        if token.raw.isupper() and len(token.raw) > 1 and token.word in (initials, initials[:-1]):
            return True
        if is_short:
            run = said[place : place + len(wanted[0].raw)]
            if "".join(t.raw[0] for t in run).casefold() == wanted[0].word:
                return True
    return False


def tells_other_date(gold: str, text: str) -> bool | None:
    """Return whether all times of a text are surely others than the gold; None if none is told."""
    wanted, said = [*_dates(plain(gold))], [*_dates(text)]
    if not said or not wanted:
        return None
    if _VAGUE_TIME.search(text) or _VAGUE_TIME.search(gold):
        # What is vague is another time only if it is in another year.
        years = {date[0] for date in said}
        known = {date[0] for date in wanted}
        return None not in years | known and min(abs(a - b) for a in years for b in known) > 1  # type: ignore[operator]
    return all(_differ(one, other) for one in wanted for other in said)


_Date = tuple[int | None, str | None, int | None]


def _dates(text: str) -> Iterator[_Date]:
    for match in _DATE.finditer(text):
        year, day = match["year"] or match["only"], match["day"]
        month = match["month"].lower() if match["month"] else None
        yield int(year) if year else None, month, int(day) if day else None


def _differ(one: _Date, other: _Date) -> bool:
    pairs = zip(one, other, strict=True)
    return any(None not in pair and pair[0] != pair[1] for pair in pairs)


def tells_other_number(gold: str, text: str, question: str) -> bool:
    """Return whether a text surely tells another number of the same things."""
    wanted = _NUMBER.search(plain(gold))
    if wanted is None or _VAGUE_NUMBER.search(text) or _VAGUE_NUMBER.search(gold):
        return False
    known = {stem(token.word) for token in tokens(plain(question))}
    numbers = [match for match in _NUMBER.finditer(text) if not _DATE.match(text, match.start())]
    said = {match[1] for match in numbers} - {n[1] for n in _NUMBER.finditer(plain(question))}
    if len(said) != 1 or wanted[1] in said:
        return False
    match = next(match for match in numbers if match[1] in said)
    thing, other = (stem((m[2] or "").lower()) for m in (wanted, match))
    is_same = not other or not thing or thing == other or is_function_word(other)
    return is_same or (other in known and thing in known)
