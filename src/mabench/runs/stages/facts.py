"""What a store tells beside the questions: copies, what nobody said, and older values undated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from mabench.data.evidence import Evidence
from mabench.redact import redact_values
from mabench.results import StoreFacts
from mabench.text import split_sentences
from mabench.text.stems import content_words

# More records than these are not read for the counts.
_MOST_EXAMINED = 2_000
_EXAMPLES = 3
_LONGEST_EXAMPLE = 200
_NO_LETTER = re.compile(r"[\W_]+")
# What bears a statement: a name within a sentence (a word with a capital letter that is not its
# first), or a number.
_BEARING = re.compile(r"(?<=[\w,;:\'\"] )[A-Z]\w+|\d\w*")
# What tells a time: memories put dates where people say yesterday.
_MONTHS = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
_MONTHS += "|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATES = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]+)?|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}"
    rf"|(?:{_DAY} )?\b(?:{_MONTHS})\b\.?(?: {_DAY})?(?:,? \d{{4}})?"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b",
    re.IGNORECASE,
)
# What tells that a value is an older one: a time, a serial number, or a word.
_SERIAL = re.compile(r"^\W{0,3}\d+[.):]\s*")
_MARKS = re.compile(
    rf"{_SERIAL.pattern}|\b(?:formerly|previous(?:ly)?|used to|until|no longer|before|outdated|"
    r"superseded|replaced|earlier|once|old|since|as of|later|now|currently|changed)\b",
    re.IGNORECASE,
)


def read_facts(
    records: Sequence[str],
    pieces: Iterable[str],
    evidence: Evidence,
    older: Mapping[str, bool] | None,
    told_tokens: int | None,
) -> StoreFacts:
    """Return what the records of a store tell.

    Args:
        records: the texts that were listed.
        pieces: the texts that the memory was told.
        evidence: what finds sentences of the history.
        older: the statements that newer ones replaced, and whether the newer one is held; None if
            the data do not tell.
        told_tokens: tokens of the pieces; None if the records are not all that was kept of them.
    """
    told, examined = {*pieces}, records[:_MOST_EXAMINED]
    reworded = [text for text in examined if text not in told and _quotes_nothing(text, evidence)]
    said_words: frozenset[str] = frozenset()
    if reworded:
        said_words = content_words(evidence.history)
    unsaid = [text for text in reworded if not _bearing_words(text) <= said_words]
    counts = Counter(map(_letters, examined))
    copied = [text for text in dict.fromkeys(examined) if counts[_letters(text)] > 1]
    undated = None if older is None else _find_undated(examined, older)
    listed = {"reworded": reworded, "unsaid": unsaid, "copies": copied, "undated": undated or []}
    return StoreFacts(
        records=len(records),
        examined=len(examined),
        told_tokens=told_tokens,
        reworded=len(reworded),
        unsaid=len(unsaid),
        copies=len(examined) - len(counts),
        undated=None if undated is None else len(undated),
        examples={
            name: tuple(redact_values(text[:_LONGEST_EXAMPLE]) for text in texts[:_EXAMPLES])
            for name, texts in listed.items()
            if texts
        },
    )


def _quotes_nothing(text: str, evidence: Evidence) -> bool:
    """Return whether no sentence of a text is in the history."""
    return not any(_has_quote(line, evidence) for line in text.splitlines())


def _has_quote(line: str, evidence: Evidence) -> bool:
    """Return whether a sentence of a line is in the history."""
    return any(map(evidence.quotes, split_sentences(line)))


def _bearing_words(text: str) -> frozenset[str]:
    """Return the names and numbers of a text, dates aside."""
    return content_words(" ".join(_BEARING.findall(_DATES.sub(" ", text))))


def _find_undated(records: Sequence[str], older: Mapping[str, bool]) -> list[str]:
    """Return the records that hold a replaced value beside the newer one, and no mark of time."""
    replaced = [text for text, newer_is_held in older.items() if newer_is_held]
    with_and_without_serial = [
        (_letters(text), _letters(_SERIAL.sub("", text))) for text in replaced
    ]
    return [
        record
        for record in records
        if any(_holds_undated(record, *forms) for forms in with_and_without_serial)
    ]


def _holds_undated(record: str, numbered: str, bare: str) -> bool:
    """Return whether a line of a record has a statement, and nothing that says how old it is.

    ``numbered`` are the letters of the statement with its serial number, ``bare`` those without.
    """
    if bare not in _letters(record):
        return False
    return any(_is_undated(line, numbered, bare) for line in record.splitlines())


def _is_undated(line: str, numbered: str, bare: str) -> bool:
    """Return whether a line has a statement without its number, a date or a word of time."""
    letters = _letters(line)
    if bare not in letters:
        return False
    has_number = numbered != bare and numbered in letters
    return not (has_number or _MARKS.search(line) or _DATES.search(line))


def _letters(text: str) -> str:
    """Return a text without white space and punctuation, in lower case, to compare texts by."""
    return _NO_LETTER.sub("", text).lower()
