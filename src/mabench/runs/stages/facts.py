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
# A name within a sentence, or a number.
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
    known: frozenset[str] = frozenset()
    if reworded:
        known = content_words(evidence.history)
    unsaid = [text for text in reworded if not _bearing_words(text) <= known]
    counts = Counter(map(_letters, examined))
    copied = [text for text in dict.fromkeys(examined) if counts[_letters(text)] > 1]
    undated = None if older is None else _find_undated(examined, older)
    found = {"reworded": reworded, "unsaid": unsaid, "copies": copied, "undated": undated or []}
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
            for name, texts in found.items()
            if texts
        },
    )


def _quotes_nothing(text: str, evidence: Evidence) -> bool:
    lines = text.splitlines()
    return not any(evidence.quotes(one) for line in lines for one in split_sentences(line))


def _bearing_words(text: str) -> frozenset[str]:
    """Return the names and numbers of a text, dates aside."""
    return content_words(" ".join(_BEARING.findall(_DATES.sub(" ", text))))


def _find_undated(records: Sequence[str], older: Mapping[str, bool]) -> list[str]:
    """Return the records that hold a replaced value beside the newer one, and no mark of time."""
    replaced = [text for text, newer_is_held in older.items() if newer_is_held]
    pairs = [(_letters(text), _letters(_SERIAL.sub("", text))) for text in replaced]
    return [text for text in records if any(_is_undated(text, *pair) for pair in pairs)]


def _is_undated(record: str, numbered: str, bare: str) -> bool:
    """Return whether a line of a record has a statement, without its number or a mark of time."""
    if bare not in _letters(record):
        return False
    return any(
        bare in (letters := _letters(line))
        and (numbered == bare or numbered not in letters)
        and not (_MARKS.search(line) or _DATES.search(line))
        for line in record.splitlines()
    )


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text).lower()
