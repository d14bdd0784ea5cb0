"""The spans of a sentence that a question may ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mabench.text.stems import content_words, is_function_word, stem
from mabench_floor.answer_types import DATE, NAME, NUMBER, new_mentions
from mabench_floor.qa.lexicon import Lexicon
from mabench_floor.qa.questions import Asked, Kind
from mabench_floor.qa.runs import Span, phrases

_TITLE = re.compile(r"[\"\u201c]([^\W_][^\"\u201c\u201d]{1,60})[\"\u201d]")
_RANGE = re.compile(
    r"(?:, \d+){0,3}(?: ?[-\u2013] ?| to | or )\d[\d,.]*(?<![,.])"
    r"(?:%| (?:percent|hundred|thousand|million|billion)\b)?"
)
_OWNER = re.compile(r"['\u2019]s ")
_NEXT = re.compile(r" ([a-z]+)\b")
_UNIT = re.compile(r"[ -]((?:(?:square|cubic|light|metric) )?[a-z]+\d?)\b")
# Everyday units, which are said with an amount of anything.
_UNIT_WORDS = """m cm mm km km2 m2 m3 kg g mg t lb ft mi mph metre meter kilometre kilometer mile
foot feet inch yard acre hectare gram kilogram pound ton tonne ounce litre liter gallon barrel
second minute hour day week month year decade century dollar euro cent franc shilling degree watt
volt percent percentage point"""
_UNITS = frozenset(word + s for word in _UNIT_WORDS.split() for s in ("", "s"))
_AND = re.compile(r"( and (?:the )?)")
_DIRECTION = re.compile(r"\b(?:(?:north|south)?-?(?:east|west)?ern|central|upper|lower) $")
_LONGEST_DIRECTION = len("north-eastern ")
# What stands between two names that are one: "Sigurd al-Hakim", "Centre for Peat", "Ness & Sons".
_LINK = re.compile(r"(?: (?:[ae]l-|aan de |d['\u2019]|& |v\.? |for (?:the )?)|['\u2019] |:)")
_LONGEST_LINK = len(" for the ")


def spans_in(sentence: str, asked: Asked, lexicon: Lexicon) -> Iterator[Span]:
    """Yield the dates or numbers where they are asked for, else names and noun phrases.

    All of them say something that the question does not.
    """
    if asked.kind is Kind.DATE:
        for date in new_mentions(DATE, sentence, asked.words):
            yield Span(*date.span(), date.group(), False)
    elif asked.kind is Kind.NUMBER:
        yield from _numbers(sentence, asked)
    else:
        yield from _things(sentence, asked, lexicon)


def _numbers(sentence: str, asked: Asked) -> Iterator[Span]:
    dates = _days(sentence)
    for number in new_mentions(NUMBER, sentence, asked.words):
        more = _RANGE.match(sentence, number.end())
        end = more.end() if more else number.end()
        unit = _UNIT.match(sentence, end)
        measured = bool(unit and unit.group(1).rpartition(" ")[2] in _UNITS)
        if number.start() in dates and not measured:
            continue
        if unit and (measured or (asked.measure and not is_function_word(unit.group(1)))):
            end = unit.end() if stem(unit.group(1)) != asked.unit else end
        yield Span(number.start(), end, sentence[number.start() : end], False)


def _days(sentence: str) -> set[int]:
    """Return the places that dates take up."""
    return {place for date in DATE.finditer(sentence) for place in range(*date.span())}


def _things(sentence: str, asked: Asked, lexicon: Lexicon) -> Iterator[Span]:
    dates = _days(sentence)
    names = [
        _with_direction(name, sentence)
        for name in new_mentions(NAME, sentence, asked.words)
        if name.start() not in dates
    ]
    names = _with_titles(sentence, asked, sorted([*names, *_owned(sentence, names)]))
    names = sorted({*names, *_linked(sentence, names)})
    if asked.one_of and not asked.plural:
        names = sorted({*names, *(part for name in names for part in _parts(name))})
    if asked.noun == stem("nationality"):
        yield from (name for name in names if modifies(name.end, name.text, sentence, lexicon))
        return
    taken = list(names)
    covered = dates.union(place for name in names for place in range(name.start, name.end))
    taken.extend(
        phrase
        for phrase in phrases(sentence, asked, lexicon, names)
        if phrase.parts or covered.isdisjoint(range(phrase.start, phrase.end))
    )
    for span in taken:
        if span.start > 0 or not lexicon.is_common(span.text):
            yield span
        # The first word of a sentence has its capital from there.
        elif sentence[span.end : span.end + 1] != "," and lexicon.is_noun(span.text.lower()):
            yield span._replace(is_name=False)


def _with_direction(name: re.Match[str], sentence: str) -> Span:
    """Return a name with the word before it that says which part of a place it is."""
    before = _DIRECTION.search(sentence, max(name.start() - _LONGEST_DIRECTION, 0), name.start())
    start = before.start() if before else name.start()
    return Span(start, name.end(), sentence[start : name.end()], True)


def _with_titles(sentence: str, asked: Asked, names: Sequence[Span]) -> list[Span]:
    """Return the names, with titles in quotation marks in place of the names within them."""
    titles = [
        Span(*title.span(1), title.group(1), True)
        for title in _TITLE.finditer(sentence)
        if not content_words(title.group(1)) <= asked.words and not _describes(title, sentence)
    ]
    inside = {place for title in titles for place in range(title.start, title.end)}
    return sorted([*titles, *(name for name in names if name.start not in inside)])


def _describes(quoted: re.Match[str], sentence: str) -> bool:
    """Say whether a quoted word describes what follows, as in: a "used" boat."""
    after = _NEXT.match(sentence, quoted.end())
    is_word = quoted.group(1).islower() and " " not in quoted.group(1)
    return bool(is_word and after and not is_function_word(after.group(1)))


def _owned(sentence: str, names: Sequence[Span]) -> list[Span]:
    """Return the names that begin with an owner's, as in "Ness's Mill Company"."""
    return [
        Span(one.start, other.end, sentence[one.start : other.end], True)
        for one, other in pairwise(names)
        if (mark := _OWNER.match(sentence, one.end)) and mark.end() == other.start
    ]


def _linked(sentence: str, names: Sequence[Span]) -> list[Span]:
    """Return what two names make up that a short word or sign links."""
    return [
        Span(one.start, other.end, sentence[one.start : other.end], True)
        for one, other in pairwise(names)
        if 0 < other.start - one.end <= _LONGEST_LINK
        and _LINK.fullmatch(sentence, one.end, other.start)
    ]


def modifies(end: int, name: str, sentence: str, lexicon: Lexicon) -> bool:
    """Say whether a name that ends there stands before a noun, as in "Norman castles"."""
    after = _NEXT.match(sentence, end)
    return bool(after and " " not in name and lexicon.may_be_noun(after.group(1)))


def _parts(name: Span) -> Iterator[Span]:
    """Yield the names that "and" joins."""
    start = name.start
    for place, part in enumerate(_AND.split(name.text)):
        if place % 2 == 0 and part:
            yield Span(start, start + len(part), part, True)
        start += len(part)
