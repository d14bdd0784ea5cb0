"""Answers questions that compare two things: which one is meant, or whether they agree."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from mabench.text.stems import content_words
from mabench_floor.answer_types import DATE, NAME, NUMBER
from mabench_floor.likeness import likeness
from mabench_floor.qa.days import DAYS, day_told, days_written
from mabench_floor.qa.questions import asked_by
from mabench_floor.qa.search import Search
from mabench_floor.sentences import HistorySentence, stems

_ALIKE = 0.7
# How many sentences are read about something without a paragraph of its own.
_READ = 10
_EARLIEST = re.compile(r"\b(?:first|earlier|earliest|older|oldest|before|sooner)\b", re.IGNORECASE)
_LATEST = re.compile(
    r"\b(?:last|later|latest|younger|youngest|newer|newest|after|recent(?:ly)?)\b", re.IGNORECASE
)
_DIED = re.compile(r"\b(?:die|dies|died|death)\b", re.IGNORECASE)
_MOST = re.compile(
    r"\b(?:more|most|larger|largest|bigger|biggest|greater|greatest|higher|highest|taller|tallest"
    r"|longer|longest|wider|widest|deeper|deepest|heavier|heaviest|faster|fastest)\b",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:fewer|fewest|less|least|smaller|smallest|lower|lowest|shorter|shortest|lighter|lightest"
    r"|slower|slowest)\b",
    re.IGNORECASE,
)
_WHETHER = re.compile(
    r"\A\W*(?:is|are|was|were|do|does|did|has|have|had|can|could)\b", re.IGNORECASE
)
_BOTH = re.compile(r"\A\W*(?:are|were) both\b", re.IGNORECASE)
_LONGER_LIFE = re.compile(r"\blived? (?:the )?(?:longer|longest)\b", re.IGNORECASE)
# "Are Ann and Bo both poets?"
_ARE_BOTH = re.compile(
    rf"{_WHETHER.pattern} (?:the )?(?P<first>.+?) and (?:the )?(?P<second>.+?) both (?P<said>.+)",
    re.IGNORECASE | re.DOTALL,
)

# A thing that is offered: a quotation, or words with capitals and the small words between them.
_SMALL = r"(?:of|the|a|an|in|on|at|to|for|de|la|le|du|des|di|da|del|al|von|van|der|den|&)"
_THING = (
    r"(?:(?:the )?(?:[\"\u201c][^\"\u201c\u201d]{1,80}[\"\u201d]"
    rf"|[^\W_a-z][^\s,;:?]*(?: (?:{_SMALL} ){{0,2}}[^\W_a-z][^\s,;:?]*)*))"
)
_KIND = r"(?:an? [\w-]+(?: [\w-]+){0,3}?)"  # "A painter or a poet".
_QUESTION = r"(?:which|who|whose|whom|what)"
# "Of Ann and Bo, who is older?", "Between Ann and Bo, who is older?", "Ann or Bo, who is older?"
_BEFORE = re.compile(
    r"\A(?:(?:of|between|out of|from) )?(?P<first>.{1,80}?),? (?:and|or) "
    rf"(?P<second>[^,?]{{1,80}}), (?P<topic>{_QUESTION}\b.+)",
    re.IGNORECASE | re.DOTALL,
)
# "Which of Ann and Bo is older?", "Who of Ann or Bo is older?"
_AMONG = re.compile(
    rf"\A(?P<head>(?i:{_QUESTION})(?: [a-z]+)?),? (?:out )?(?:of|between|among)(?: either)? "
    rf"(?P<first>{_THING}),? (?:and|or) (?P<second>{_THING}),? (?P<topic>\S.+)",
    re.DOTALL,
)
# "Which painter is older, Ann or Bo?", "Which painter, Ann or Bo, is older?"
_LISTED = re.compile(
    r"\A(?P<head>.*[^\s,:])\s*[,:]\s*(?P<first>[^,:]{1,120}?),? or (?P<second>[^,?]{1,120})"
    r"(?P<topic>(?:,[^?]*)?\??)\s*\Z",
    re.DOTALL,
)
# "Who is older Ann or Bo?"
_LAST = re.compile(
    rf"\A(?P<head>(?i:{_QUESTION})\b.*? [a-z][\w'-]*) (?P<first>{_THING}) or (?P<second>{_THING})"
    r"(?P<topic>)\s*\?*\s*\Z",
    re.DOTALL,
)
# "Is Ann or Bo older?", "Is Ann a painter or a poet?"
_EITHER = re.compile(
    rf"\A(?P<head>(?i:is|are|was|were|do|does|did|has|have|had)\b.*?) (?:either )?(?:"
    rf"(?P<first>{_THING}) or (?P<second>{_THING})"
    rf"|(?P<kind>{_KIND}) or (?P<other>{_KIND})(?=\W*\Z))(?P<topic>.*)\Z",
    re.DOTALL,
)
_ASKING = re.compile(rf"\b{_QUESTION}\b", re.IGNORECASE)
_GOVERNED = re.compile(r"\b(?:by|in|of|at|on|from|with|to|for|about|near|as|and) \Z")
_ARTICLE = re.compile(r"\A(?:the|either) ")
_MARKS = '"\u201c\u201d '


class Offer(NamedTuple):
    """Two things; a question asks for one of them.

    Attributes:
        topic: what the question says besides them.
        first: the one that it names first.
        second: the other one.
    """

    topic: str
    first: str
    second: str


def offer_in(question: str) -> Offer | None:
    """Return the two things that a question chooses between; None if it offers none."""
    question = " ".join(question.split())
    for form in (_AMONG, _BEFORE, _LISTED, _LAST, _EITHER):
        found = form.match(question)
        if not found or (form is _BEFORE and _ASKING.match(question)):
            continue
        parts = {name: part or "" for name, part in found.groupdict().items()}
        head, topic = parts.get("head", ""), parts["topic"]
        # "The book by Ann or Bo": what a preposition governs is one thing of two names.
        if form is _LAST and _GOVERNED.search(f"{head} "):
            continue
        # A list may come before what is asked ("an MS or an MA, in what field?"), and may be
        # described ("the bridge, tunnel or ferry that").
        described = _ASKING.search(f"{parts['second']} {topic}") or " that " in parts["second"]
        if form is _LISTED and (described or not _is_asking(head)):
            continue
        both = parts["first"] or parts.get("kind", ""), parts["second"] or parts.get("other", "")
        first, second = (_ARTICLE.sub("", part.strip(_MARKS)) for part in both)
        if first and second:
            return Offer(f"{head} {topic}".strip(), first, second)
    return None


def _is_asking(head: str) -> bool:
    return _ASKING.search(head) is not None or _WHETHER.match(head) is not None


def compared(question: str, search: Search) -> str | None:
    """Return which of two things is meant, or whether two agree; None for other questions.

    One of the two is always returned: the one with the earlier or later day, with the larger or
    smaller number, or else the one about which more of the question's words are said.
    """
    offer = offer_in(question)
    if offer:
        second = _is_second_earlier_or_more(offer, search)
        if second is None:
            second = _support(offer, offer.second, search) > _support(offer, offer.first, search)
        return offer.second if second else offer.first
    is_asked = _WHETHER.match(question) and " or " not in question
    return _whether_two_agree(question, search) if is_asked else None


def _is_second_earlier_or_more(offer: Offer, search: Search) -> bool | None:
    """Return whether days or numbers decide for the second thing; None if they do not decide."""
    topic, both = offer.topic, (offer.first, offer.second)
    if _LONGER_LIFE.search(topic):
        lives = [_years_lived(name, search) for name in both]
        return lives[1] > lives[0] if all(lives) else None
    late = _LATEST.search(topic) is not None
    if late or _EARLIEST.search(topic):
        first, second = (_day(name, topic, search) for name in both)
        if first and second:
            return (first > second) != late
    least = _LEAST.search(topic) is not None
    if least or _MOST.search(topic):
        one, other = (_amount(name, topic, search) for name in both)
        if one is not None and other is not None and one != other:
            return (other > one) != least
    return None


def _day(name: str, topic: str, search: Search) -> date | None:
    """Return the first day in the paragraph about a name; for its death, the second."""
    days = [day for sentence in _sentences_about(name, search) for day in days_written(sentence)]
    died = _DIED.search(topic) is not None
    return next(iter(days[died:] or days), None) or day_told(name, search, topic)


def _years_lived(name: str, search: Search) -> float:
    """Return the years between the first two days in the paragraph about a name."""
    days = [day for sentence in _sentences_about(name, search) for day in days_written(sentence)]
    return (days[1] - days[0]).days / DAYS["year"] if len(days) > 1 else 0.0


def _amount(name: str, topic: str, search: Search) -> float | None:
    """Return the number in the sentence about a name that contains most words of ``topic``."""
    asked = content_words(topic).difference(stems(name))
    found: list[tuple[float, float]] = []
    for sentence in _sentences_about(name, search):
        said = sum(_is_like(word, sentence.words) for word in asked)
        days = [day.span() for day in DATE.finditer(sentence.text)]
        for number in NUMBER.finditer(sentence.text):
            digits = number.group().replace(",", "")
            is_day = any(start <= number.start() < end for start, end in days)
            if not is_day and re.fullmatch(r"\d{1,12}(?:\.\d{1,9})?", digits):
                found.append((said, float(digits)))
    return max(found, key=lambda each: each[0])[1] if found else None


def _support(offer: Offer, name: str, search: Search) -> float:
    """Return how much of the question the sentences about a name contain, by rarity."""
    asked = content_words(offer.topic).difference(
        stems(offer.first),
        stems(offer.second),
        [asked_by(offer.topic, search.lexicon.is_verb).noun],  # Both are what is asked for.
    )
    told = {word for sentence in _told_of(name, search) for word in sentence.words}
    return math.fsum(
        search.index.rarity(word) * max((likeness(word, other) for other in told), default=0.0)
        for word in sorted(asked)
    )


def _told_of(name: str, search: Search) -> Sequence[HistorySentence]:
    """Return the sentences about a name; if no paragraph is about it, those that contain it."""
    about = _sentences_about(name, search)
    if about:
        return about
    words = stems(name)
    places_of_rarest = min((search.index.places(word) for word in words), key=len, default=[])
    candidates = [search.sentences[place] for place in places_of_rarest]
    return [sentence for sentence in candidates if set(words) <= set(sentence.words)][:_READ]


def _sentences_about(name: str, search: Search) -> Sequence[HistorySentence]:
    """Return the sentences of the paragraph that opens with a name and has the shortest head."""
    documents = search.documents
    heads = documents.about(stems(name))
    start = min(heads, key=lambda head: len(documents.opening(head)), default=None)
    return () if start is None else search.sentences[start : int(documents.ends[start])]


def _whether_two_agree(question: str, search: Search) -> str | None:
    """Return "yes" or "no": whether the same is said about two names.

    If the question asks whether both are something, it is looked for in the sentences about each.
    Otherwise, and if it is said about neither, they agree if the sentences about them that contain
    most of the question have a name in common.
    """
    form = _ARE_BOTH.match(question)
    names = [n for part in question.partition(" ")[2].split(" and ") for n in NAME.findall(part)]
    if form:
        first, second, said = form["first"], form["second"], form["said"]
    elif len(names) > 1:
        first, second = names[:2]
        said = question[question.rfind(second) + len(second) :]
        if not stems(said):  # "Are both Ann Lee and Bo Ek Welsh?" has a word too many in its name.
            second, _, said = second.rpartition(" ")
    else:
        return None
    if form or _BOTH.match(question):
        is_said = {_is_said(said, name, search) for name in (first, second)}
        if is_said != {False}:
            return "yes" if is_said == {True} else "no"
    asked = content_words(question)
    asked = asked.difference(*(stems(name) for name in (first, second)))
    mentioned = [_names_beside(asked, name, search) for name in (first, second)]
    return "no" if mentioned[0].isdisjoint(mentioned[1]) else "yes"


def _is_said(said: str, name: str, search: Search) -> bool:
    """Return whether the paragraph about a name contains each word of ``said``."""
    told = {word for sentence in _sentences_about(name, search) for word in sentence.words}
    return all(_is_like(word, told) for word in stems(said))


def _names_beside(asked: frozenset[str], name: str, search: Search) -> set[str]:
    """Return the stems of names in the sentences about ``name`` that contain most of ``asked``."""
    sentences = _sentences_about(name, search)
    said = [sum(_is_like(word, sentence.words) for word in asked) for sentence in sentences]
    names = {
        word
        for sentence, number in zip(sentences, said, strict=True)
        if number == max(said)
        for found in NAME.findall(sentence.text)
        for word in stems(found)
    }
    return names.difference(stems(name))


def _is_like(word: str, others: Iterable[str]) -> bool:
    return any(likeness(word, other) >= _ALIKE for other in others)
