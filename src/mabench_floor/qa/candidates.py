"""Finds the spans of a sentence that may be the answer: dates, numbers, names and phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
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
    return CandidateSpan(start, end, sentence[start:end], is_name)


def _days(sentence: str) -> set[int]:
    """Return the places of characters that belong to dates."""
    return {place for date in DATE.finditer(sentence) for place in range(*date.span())}


def _numbers(sentence: str, asked: Asked) -> Iterator[CandidateSpan]:
    """Yield the numbers of a sentence, with their units, that are not dates."""
    dates = _days(sentence)
    for number in new_mentions(NUMBER, sentence, asked.words):
        end = number.end()
        unit = _UNIT.match(sentence, end)
        measured = bool(unit and unit.group(1).rpartition(" ")[2] in _UNITS)
        if number.start() in dates and not measured:
            continue
        if unit and (measured or (asked.measure and not is_function_word(unit.group(1)))):
            end = unit.end() if stem(unit.group(1)) != asked.unit else end
        yield _span(sentence, number.start(), end)


def _things(sentence: str, asked: Asked, lexicon: Lexicon) -> Iterator[CandidateSpan]:
    """Yield the names, noun phrases and clauses of a sentence."""
    dates = _days(sentence)
    titles = [
        CandidateSpan(*title.span(1), title.group(1), True)
        for title in _TITLE.finditer(sentence)
        if not content_words(title.group(1)) <= asked.words
        and (" " in title.group(1) or not title.group(1).islower())
    ]
    quoted = {place for title in titles for place in range(title.start, title.end)}
    names = titles + [
        CandidateSpan(*name.span(), name.group(), True)
        for name in new_mentions(NAME, sentence, asked.words)
        if name.start() not in dates | quoted
    ]
    names += _joined(sorted(names), _LINK, sentence)
    if asked.noun == stem("nationality"):
        yield from (name for name in names if _DEMONYM.fullmatch(name.text))
        return
    covered = dates.union(place for name in names for place in range(name.start, name.end))
    things = sorted([*names, *_phrases(sentence, asked, lexicon, covered)])
    yield from [*things, *_joined(things, _AND, sentence)]
    if asked.family in ("why", "how"):
        for clause in _CLAUSE.finditer(sentence):
            yield CandidateSpan(*clause.span(1), clause.group(1), False, is_clause=True)


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
    """Yield the runs of content words, without verbs and adverbs, that say something new."""
    for run in _runs(sentence, lexicon):
        parts = [list(part) for _, part in groupby(run, lambda word: word.start() in covered)]
        for place, part in enumerate(parts):
            if part[0].start() not in covered:
                yield from _trimmed(part, sentence, asked)
            elif place + 1 < len(parts):  # A name among other words, as in "Orkney stones".
                start, end = part[0].start(), parts[place + 1][-1].end()
                yield _span(sentence, start, end)


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
    """Yield a run, and the run without words of the question around it.

    It may end with the noun that is asked for.
    """
    new = [not content_words(word.group()) <= asked.words for word in run]
    if not any(new):
        return
    first = new.index(True)
    last = max(
        place
        for place, word in enumerate(run)
        if new[place] or (place >= first and stem(word.group().lower()) == asked.noun)
    )
    for part in dict.fromkeys([(first, last), (0, len(run) - 1)]):
        start, end = run[part[0]].start(), run[part[1]].end()
        yield _span(sentence, start, end)
