"""The whole phrase around a span: "Ness, Ardland" for "Ness", "head of the mint" for "head"."""

from __future__ import annotations

import re

from mabench.text.stems import content_words
from mabench_floor.answer_types import NAME
from mabench_floor.qa.questions import Asked, Kind
from mabench_floor.qa.search import Search
from mabench_floor.sentences import stems

_REGION = re.compile(rf", (?:{NAME.pattern})")
_OF = re.compile(
    rf" of (?:the |an? )?(?:{NAME.pattern}|[a-z]+(?:-[a-z]+)*)(?: and (?:{NAME.pattern}))?"
)
# What joins the parts of one name: "Orm & Sons", "Ness: The Return", "Interstate 95".
_JOINED_BEFORE = re.compile(r"(?<!\w)[^\W\d_a-z]\w* ?& ?\Z")
_JOINED = re.compile(rf"(?: ?& ?|: )(?:The |An? )?(?:{NAME.pattern})| \d{{1,3}}\b(?! [a-z])")
_UNTIL = re.compile(r"(?: to | until | and | ?[-\u2013] ?)(?:[A-Z][a-z]+ )?(?:\d{1,2}, )?\d{4}\b")
_PERIOD = re.compile(r"\byears\b|\bperiod\b|\bbetween\b|\bfrom (?:when|what|which)\b")
_REACH = 30  # Characters before a name in which its first part may stand.
_MOST = 20  # Paragraphs whose titles are held against a span.


def whole_phrase(span: str, text: str, question: str, asked: Asked, search: Search) -> str:
    """Return a span of ``text`` with what follows that belongs to it, or the title it is part of.

    A place has the region after its comma, a period its end, and another thing what it is of,
    unless the question says that already.
    """
    start = text.find(span)
    if start < 0:
        return span
    title = _title_around(span, text, search)
    if title and not content_words(title) <= asked.words:
        return title
    end = start + len(span)
    if not span[:1].islower() and asked.kind is not Kind.DATE:
        before = _JOINED_BEFORE.search(text, max(start - _REACH, 0), start)
        after = _JOINED.match(text, end)
        if before or after:
            return text[before.start() if before else start : after.end() if after else end]
    if asked.kind is Kind.PLACE:
        more = _REGION.match(text, end)
    elif asked.kind is Kind.DATE:
        more = _UNTIL.match(text, end) if _PERIOD.search(question) else None
    elif asked.kind is Kind.THING:
        more = _OF.match(text, end)
    else:
        more = None
    if not more or not content_words(more.group()).isdisjoint(asked.words):
        return span
    return text[start : more.end()]


def _title_around(span: str, text: str, search: Search) -> str:
    """Return the title of another paragraph that stands in ``text`` around a span, or ""."""
    documents = search.documents
    titles = [documents.subject(head) for head in documents.about(stems(span))[:_MOST]]
    around = [title for title in titles if span in title and title in text]
    return max(around, key=len, default="")
