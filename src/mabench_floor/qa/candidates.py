"""Finds the spans of a sentence that may be the answer: dates, numbers, names and phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise, zip_longest
from typing import NamedTuple

from mabench.text.stems import content_words, is_function_word, stem
from mabench_floor.answer_types import DATE, NAME, NUMBER, new_mentions
from mabench_floor.qa.questions import WORDS, Asked
from mabench_floor.qa.search import Lexicon

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_TITLE = re.compile(r"[\"\u201c]([^\W_][^\"\u201c\u201d]{1,60})[\"\u201d]")
_UNIT = re.compile(r"[ -]((?:(?:square|cubic|light|metric|per) )?[a-z]+\d?)\b")
_UNITS = frozenset(word + s for word in WORDS["units"] for s in ("", "s"))
_DETERMINER = re.compile(r"\b(?:the|an?|his|her|its|their|our|my|your|this|these) $", re.IGNORECASE)
_LONGEST_DETERMINER = len("these ")
# What comes between two names that are one: "Ness's Mill", "Orm & Sons", "Centre for Peat".
_LINK = re.compile(r"(?: (?:[ae]l-|& |v\.? |for (?:the )?)|['\u2019]s? |:? )")
_DEMONYM = re.compile(r"[A-Z][a-z]+(?:an|ese|[cs]h|ic|i)")
_AND = re.compile(r"(?:,? (?:and|or)| of) (?:(?:the|an?|his|her|its|their) )?")
# What comes before a reason, a purpose or a manner, which goes on to the next stop.
_CLAUSE = re.compile(
    r"\b(?:because(?: of)?|since|as|so that|to|for|due to|owing to|by|with|through|from|in|when) "
    r"(?=([^,;:.()]{3,150}))"
)


class CandidateSpan(NamedTuple):
    """A part of a sentence.

    Attributes:
        start: the place of its first character.
        end: the place after its last character.
        text: its text.
        is_name: whether it is a name, or two joined ones.
        is_clause: whether it is the rest of a clause.
    """

    start: int
    end: int
    text: str
    is_name: bool
    is_clause: bool = False


def spans_in(sentence: str, asked: Asked, lexicon: Lexicon) -> Iterator[CandidateSpan]:
    """Yield dates or numbers if they are asked for, else names and noun phrases.

    Each contains a word that is not in the question.
    """
    if asked.kind == "date":
        for date in new_mentions(DATE, sentence, asked.words):
            yield _span(sentence, *date.span())
    elif asked.kind == "number":
        yield from _numbers(sentence, asked)
    else:
        yield from _things(sentence, asked, lexicon)


def _span(sentence: str, start: int, end: int, is_name: bool = False) -> CandidateSpan:
    """Return the span of a sentence from one character to before another."""
    return CandidateSpan(start, end, sentence[start:end], is_name)


def _places_of_dates(sentence: str) -> set[int]:
    """Return the places of characters that belong to dates."""
    return {place for date in DATE.finditer(sentence) for place in range(*date.span())}


def _places_of(spans: Sequence[CandidateSpan]) -> set[int]:
    """Return the places of characters that belong to spans."""
    return {place for span in spans for place in range(span.start, span.end)}


def _numbers(sentence: str, asked: Asked) -> Iterator[CandidateSpan]:
    """Yield the numbers of a sentence, with their units, that are not dates.

    A unit is left out if the question names it: "seats" in "How many seats are there?".
    """
    dates = _places_of_dates(sentence)
    for number in new_mentions(NUMBER, sentence, asked.words):
        unit = _UNIT.match(sentence, number.end())
        is_known_unit = bool(unit and unit.group(1).rpartition(" ")[2] in _UNITS)
        if number.start() in dates and not is_known_unit:
            continue
        end = number.end()
        if unit and stem(unit.group(1)) != asked.unit:
            is_unit_asked = asked.measure and not is_function_word(unit.group(1))
            if is_known_unit or is_unit_asked:
                end = unit.end()
        yield _span(sentence, number.start(), end)


def _things(sentence: str, asked: Asked, lexicon: Lexicon) -> Iterator[CandidateSpan]:
    """Yield the names, noun phrases and clauses of a sentence."""
    dates = _places_of_dates(sentence)
    names = _names(sentence, asked, dates)
    if asked.noun == stem("nationality"):
        yield from (name for name in names if _DEMONYM.fullmatch(name.text))
        return
    covered = dates | _places_of(names)
    things = sorted([*names, *_phrases(sentence, asked, lexicon, covered)])
    yield from [*things, *_joined(things, _AND, sentence)]
    if asked.family in ("why", "how"):
        for clause in _CLAUSE.finditer(sentence):
            yield _span(sentence, *clause.span(1))._replace(is_clause=True)


def _names(sentence: str, asked: Asked, dates: set[int]) -> list[CandidateSpan]:
    """Return the quoted titles, then the other names, then those that a link joins.

    ``dates`` are the places of dates: no name begins there.
    """
    titles = [
        _span(sentence, *match.span(1), is_name=True)
        for match in _TITLE.finditer(sentence)
        if _is_new_title(match.group(1), asked)
    ]
    outside = dates | _places_of(titles)
    names = titles + [
        _span(sentence, *name.span(), is_name=True)
        for name in new_mentions(NAME, sentence, asked.words)
        if name.start() not in outside
    ]
    return names + _joined(sorted(names), _LINK, sentence)


def _is_new_title(quotation: str, asked: Asked) -> bool:
    """Return whether a quotation is more than a plain word, and not all in the question."""
    is_new = not content_words(quotation) <= asked.words
    return is_new and (" " in quotation or not quotation.islower())


def _joined(
    spans: Sequence[CandidateSpan], link: re.Pattern[str], sentence: str
) -> list[CandidateSpan]:
    """Return pairs of neighbours with a link between them, each as one span."""
    return [
        _span(sentence, first.start, second.end, first.is_name and second.is_name)
        for first, second in pairwise(spans)
        if link.fullmatch(sentence, first.end, second.start)
    ]


def _phrases(
    sentence: str, asked: Asked, lexicon: Lexicon, covered: set[int]
) -> Iterator[CandidateSpan]:
    """Yield the runs of content words, without verbs and adverbs, that say something new.

    ``covered`` are the places of names and dates. A run is taken apart where it enters or leaves
    them; a name with the other words behind it is a phrase, too, such as "Orkney stones".
    """
    for run in _runs(sentence, lexicon):
        parts = [list(part) for _, part in groupby(run, lambda word: word.start() in covered)]
        for part, following in zip_longest(parts, parts[1:]):
            if part[0].start() not in covered:
                yield from _trimmed(part, sentence, asked)
            elif following:
                yield _span(sentence, part[0].start(), following[-1].end())


def _runs(sentence: str, lexicon: Lexicon) -> Iterator[list[re.Match[str]]]:
    """Yield runs of words with only a space between them."""
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(sentence):
        breaks = _breaks(match, sentence, lexicon)
        if run and (breaks or sentence[run[-1].end() : match.start()] != " "):
            yield run
            run = []
        if not breaks:
            run.append(match)
    if run:
        yield run


def _breaks(match: re.Match[str], sentence: str, lexicon: Lexicon) -> bool:
    """Return whether a word cannot be part of a noun phrase."""
    word = match.group().lower()
    if is_function_word(word) or word in WORDS["breaking"] or word.endswith("ly"):
        return True
    if not match.group().islower():
        return False
    start = max(match.start() - _LONGEST_DETERMINER, 0)
    return lexicon.is_verb(word) and not _DETERMINER.search(sentence, start, match.start())


def _trimmed(run: Sequence[re.Match[str]], sentence: str, asked: Asked) -> Iterator[CandidateSpan]:
    """Yield a run without the words of the question around it, and the whole run.

    Without them it may still end with the noun that is asked for.
    """
    is_new = [not content_words(word.group()) <= asked.words for word in run]
    if not any(is_new):
        return
    first = last = is_new.index(True)
    for place in range(first, len(run)):
        if is_new[place] or stem(run[place].group().lower()) == asked.noun:
            last = place
    yield _span(sentence, run[first].start(), run[last].end())
    if (first, last) != (0, len(run) - 1):
        yield _span(sentence, run[0].start(), run[-1].end())
