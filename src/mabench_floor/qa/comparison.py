"""Answers questions that compare two things: which one is meant, or whether they agree."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
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
_DIGITS = re.compile(r"\d{1,12}(?:\.\d{1,9})?")


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
        match = form.match(question)
        if match is None:
            continue
        parts = {name: part or "" for name, part in match.groupdict().items()}
        if _is_no_offer(form, question, parts):
            continue
        first = _without_article(parts["first"] or parts.get("kind", ""))
        second = _without_article(parts["second"] or parts.get("other", ""))
        if first and second:
            return Offer(f"{parts.get('head', '')} {parts['topic']}".strip(), first, second)
    return None


def _without_article(thing: str) -> str:
    """Return a thing that is offered without quotation marks, "the" and "either"."""
    return _ARTICLE.sub("", thing.strip(_MARKS))


def _is_no_offer(form: re.Pattern[str], question: str, parts: Mapping[str, str]) -> bool:
    """Return whether a question has a form, but does not choose between the two things in it.

    ``parts`` are the groups of the form.
    """
    if form is _BEFORE:
        return _ASKING.match(question) is not None
    if form is _LAST:
        # "The book by Ann or Bo": what a preposition governs is one thing of two names.
        return _GOVERNED.search(f"{parts['head']} ") is not None
    if form is _LISTED:
        # A list may come before what is asked ("an MS or an MA, in what field?"), and may be
        # described ("the bridge, tunnel or ferry that").
        is_asked_later = _ASKING.search(f"{parts['second']} {parts['topic']}") is not None
        is_described = " that " in parts["second"]
        return is_asked_later or is_described or not _is_asking(parts["head"])
    return False


def _is_asking(head: str) -> bool:
    """Return whether the part of a question before two things has a question word or opens one."""
    return _ASKING.search(head) is not None or _WHETHER.match(head) is not None


def compared(question: str, search: Search) -> str | None:
    """Return which of two things is meant, or whether two agree; None for other questions.

    One of the two is always returned: the one with the earlier or later day, with the larger or
    smaller number, or else the one about which more of the question's words are said.
    """
    offer = offer_in(question)
    if offer:
        is_second = _is_second_by_day_or_number(offer, search)
        if is_second is None:
            of_first = _support(offer, offer.first, search)
            of_second = _support(offer, offer.second, search)
            is_second = of_second > of_first
        return offer.second if is_second else offer.first
    is_yes_or_no = _WHETHER.match(question) and " or " not in question
    return _whether_two_agree(question, search) if is_yes_or_no else None


def _is_second_by_day_or_number(offer: Offer, search: Search) -> bool | None:
    """Return whether days or numbers decide for the second thing; None if they do not decide."""
    topic = offer.topic
    if _LONGER_LIFE.search(topic):
        lives = [_years_lived(name, search) for name in (offer.first, offer.second)]
        return lives[1] > lives[0] if all(lives) else None
    is_latest = _LATEST.search(topic) is not None
    if is_latest or _EARLIEST.search(topic):
        first_day, second_day = _day(offer.first, topic, search), _day(offer.second, topic, search)
        if first_day and second_day:
            return second_day >= first_day if is_latest else second_day < first_day
    is_least = _LEAST.search(topic) is not None
    if is_least or _MOST.search(topic):
        first, second = (_amount(name, topic, search) for name in (offer.first, offer.second))
        if first is not None and second is not None and first != second:
            return second < first if is_least else second > first
    return None


def _day(name: str, topic: str, search: Search) -> date | None:
    """Return the first day in the paragraph about a name; for its death, the second."""
    days = [day for sentence in _sentences_about(name, search) for day in days_written(sentence)]
    if not days:
        return day_told(name, search, topic)
    is_death = _DIED.search(topic) is not None
    return days[1] if is_death and len(days) > 1 else days[0]


def _years_lived(name: str, search: Search) -> float:
    """Return the years between the first two days in the paragraph about a name."""
    days = [day for sentence in _sentences_about(name, search) for day in days_written(sentence)]
    return (days[1] - days[0]).days / DAYS["year"] if len(days) > 1 else 0.0


def _amount(name: str, topic: str, search: Search) -> float | None:
    """Return the number in the sentence about a name that contains most words of ``topic``."""
    asked = content_words(topic).difference(stems(name))
    best: float | None = None
    most_shared = -1
    for sentence in _sentences_about(name, search):
        shared = _count_in_sentence(asked, sentence)
        days = [day.span() for day in DATE.finditer(sentence.text)]
        for number in NUMBER.finditer(sentence.text):
            digits = number.group().replace(",", "")
            is_day = any(start <= number.start() < end for start, end in days)
            if shared > most_shared and not is_day and _DIGITS.fullmatch(digits):
                best, most_shared = float(digits), shared
    return best


def _count_in_sentence(words: Iterable[str], sentence: HistorySentence) -> int:
    """Return how many words are like some word of a sentence."""
    return len([word for word in words if _is_like(word, sentence.words)])


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
    pair = _pair_in(question)
    if pair is None:
        return None
    if _ARE_BOTH.match(question) or _BOTH.match(question):
        is_said = [_is_said(pair.said, name, search) for name in (pair.first, pair.second)]
        if any(is_said):
            return "yes" if all(is_said) else "no"
    asked = content_words(question).difference(stems(pair.first), stems(pair.second))
    beside_first = _names_beside(asked, pair.first, search)
    beside_second = _names_beside(asked, pair.second, search)
    return "no" if beside_first.isdisjoint(beside_second) else "yes"


class _Pair(NamedTuple):
    """Two names in a question, and what the question says about them."""

    first: str
    second: str
    said: str


def _pair_in(question: str) -> _Pair | None:
    """Return the two names that a question with the answer yes or no is about; None without two."""
    form = _ARE_BOTH.match(question)
    if form:
        return _Pair(form["first"], form["second"], form["said"])
    _, _, behind_verb = question.partition(" ")
    names = [name for part in behind_verb.split(" and ") for name in NAME.findall(part)]
    if len(names) < 2:
        return None
    first, second = names[:2]
    said = question[question.rfind(second) + len(second) :]
    if not stems(said):  # "Are both Ann Lee and Bo Ek Welsh?" has a word too many in its name.
        second, _, said = second.rpartition(" ")
    return _Pair(first, second, said)


def _is_said(said: str, name: str, search: Search) -> bool:
    """Return whether the paragraph about a name contains each word of ``said``."""
    told = {word for sentence in _sentences_about(name, search) for word in sentence.words}
    return all(_is_like(word, told) for word in stems(said))


def _names_beside(asked: frozenset[str], name: str, search: Search) -> set[str]:
    """Return the stems of names in the sentences about ``name`` that contain most of ``asked``."""
    sentences = _sentences_about(name, search)
    shared = [_count_in_sentence(asked, sentence) for sentence in sentences]
    most = max(shared, default=0)
    best = [sentence for sentence, n in zip(sentences, shared, strict=True) if n == most]
    names = [other for sentence in best for other in NAME.findall(sentence.text)]
    return {word for other in names for word in stems(other)}.difference(stems(name))


def _is_like(word: str, others: Iterable[str]) -> bool:
    """Return whether some other word is spelt or means much like a word."""
    return any(likeness(word, other) >= _ALIKE for other in others)
