"""The rule for labels: icl, where a text is to be given one of many numbers.

Labels are compared by their ``_key``. Which of several that a text gives it settles on is decided
as for other values, by ``stated``. ``pattern`` fills word lists of ``words.toml`` into a regular
expression: ``label.names`` is what a label is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from mabench.scoring.corrected.rule import Corrected, decide, right, unclear, wrong
from mabench.scoring.lexicon import pattern
from mabench.scoring.sameness.units import UNITS
from mabench.scoring.stated.choosing import ChosenValue, choose
from mabench.scoring.stated.reading import StatedValue, read_values
from mabench.scoring.tokens import fold, plain

# A number by itself: not a part of 143, 4.3, 1,043, -43, 12:43, 43/77, x43 or 43-year.
_NUMBER_BY_ITSELF = re.compile(r"(?<![\w$+-])(?<!\d[.,/:])(\d{1,6})(?![\w%]|[.,/:]\d|-\w|/| to \d)")
# What marks an item of a list before the line's own number: "2. 43", "- 43".
_MARKER_OF_ITEM = re.compile(r"^\s{0,20}(?:\d{1,2}[.)]|[-*\u2022>|])\s+(?=\S*\d)", re.MULTILINE)
_WORD_BEHIND = re.compile(r"\s*([^\W\d_]+)")
_COUNTED_THING = re.compile(r"\d ([^\W\d_]+)")
# "The label is", before a label that need be no number.
_LEAD_TO_LABEL = r"^[\W_]*(?:the )?(?:%s)\b(?: is)?[:\s]*"
# A label alone in its paragraph, before another one.
_ALONE_IN_PARAGRAPH = r"\W*+(?:(?:%s)\W*+)?\d{1,6}[^\w\n]*\n[ \t]*\n"
# "label_43".
_NAME_JOINED_TO_NUMBER = r"\b((?:%s))[_#-]?(?=\d)"
# What ends before a number that is called a label: "the label should be 43", "labels 7 or 43".
_CALLS_LABEL_BEFORE = (
    r"\b(?:%s)[ \t]?(?:(?:%s)[ \t]?){0,4}[:=#(\[\-]?[ \t]?[\"'(\[]?(?:\d+\s?(?:/|,|or|and|&)\s?)?$"
)
_MEASURED = "|".join({name for unit in UNITS for name in (unit.name, unit.plural)})
_SAYS_COUNT_BEHIND = rf"\s*(?:%s|{_MEASURED}|cents?|meters?|liters?|pounds?)\b"
# What ends before a number that counts something: "out of 77", "1 to 77".
_SAYS_COUNT_BEFORE = r"(?:\b(?:%s)\b[:=]?(?: the| all)?\s*|\d to )$"
_MOST_NUMBERS = 60  # Numbers that are looked at.
_CHARACTERS_BESIDE = 60  # Characters beside a number that say what it is.
_WORDS_OF_BRIEF = 60  # Words of a text in which any number may be a label.
_SIGNS_AT_EDGES = " \t\r\n.,;:!?()[]{}<>\"'*`#"


class _GivenLabel(NamedTuple):
    """A number that may be a label, where a text gives it, and whether it is called a label."""

    start: int
    end: int
    key: str
    is_called: bool


def correct_label(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether the one label that ``prediction`` settles on is among ``answers``.

    Numbers that count something, measure it or are in the text to be labelled are no labels.
    What a correction says replaces what precedes it. Case plays no part, nor does the way a
    number is written.
    """
    golds = {_key(gold) for gold in answers} - {""}
    return decide(
        prediction,
        answers,
        key=_key,
        read=lambda text: _read_label(text, golds, question or ""),
        alone="label-alone",
    )


def _read_label(text: str, golds: set[str], question: str) -> Corrected:
    """Return what a final answer is by the label that it settles on.

    Where it does not settle on one of all numbers that may be labels, it may settle on one of those
    that it calls labels.
    """
    # A model that goes on labels another text behind its label.
    alone = pattern(_ALONE_IN_PARAGRAPH, "label.names").match(text)
    said = plain(alone[0] if alone else text)
    said = _MARKER_OF_ITEM.sub("", pattern(_NAME_JOINED_TO_NUMBER, "label.names").sub(r"\1 ", said))
    given = [*_find_labels(said, question)]
    chosen = _chosen_label(said, given, golds)
    called = [label for label in given if label.is_called]
    if called and chosen not in (ChosenValue.GOLD, ChosenValue.RIVAL):
        chosen = _chosen_label(said, called, golds)
    if chosen is ChosenValue.GOLD:
        return right("label-given")
    if chosen is ChosenValue.RIVAL:
        return wrong("label-given")
    without_lead = pattern(_LEAD_TO_LABEL, "label.names").sub("", text)
    if _key(without_lead) in golds:  # Labels need not be numbers.
        return right("label-alone")
    if not given:
        return wrong("no-label")
    return wrong("several-labels") if chosen is ChosenValue.NEITHER else unclear("label-open")


def _chosen_label(text: str, given: Sequence[_GivenLabel], golds: set[str]) -> ChosenValue | None:
    """Return whether a text chooses a gold of the labels that it gives; None if it gives none."""
    if not given:
        return None
    stated = [StatedValue(label.start, label.end, label.key) for label in given]
    return choose(read_values(text, stated, golds, question="")).outcome


def _find_labels(text: str, question: str) -> Iterator[_GivenLabel]:
    """Yield the numbers of a text that may be labels: that count nothing and measure nothing.

    In a longer text they must be called labels, or be the first or the last thing on a line. What
    the question, with the text to be labelled, counts is no label either.
    """
    is_brief = len(text.split()) <= _WORDS_OF_BRIEF
    called = pattern(_CALLS_LABEL_BEFORE, "label.names", "label.links")
    counts = pattern(_SAYS_COUNT_BEFORE, "label.counters")
    counts_behind = pattern(_SAYS_COUNT_BEHIND, "label.counted")
    counted_in_question = _COUNTED_THING.findall(fold(plain(question)))
    for match in islice(_NUMBER_BY_ITSELF.finditer(text), _MOST_NUMBERS):
        before = text[max(0, match.start() - _CHARACTERS_BESIDE) : match.start()]
        after = text[match.end() : match.end() + _CHARACTERS_BESIDE]
        word = _WORD_BEHIND.match(after)
        is_of_question = word is not None and fold(word[1]) in counted_in_question
        if is_of_question or counts_behind.match(after) or counts.search(before):
            continue
        is_called = called.search(before) is not None
        opens_line = re.search(r"(?:^|\n)[^\w\n]*$", before) is not None
        numbers_item = after[:1] in (".", ")")
        ends_line = re.match(r"[^\w\n]*(?:\n|$)", after) is not None
        if is_called or is_brief or (opens_line and not numbers_item) or ends_line:
            yield _GivenLabel(match.start(1), match.end(1), _key(match[1]), is_called)


def _key(value: str) -> str:
    """Return what is compared of a label: 43 of ``043.0``, and of a text its folded letters."""
    text = fold(value).strip(_SIGNS_AT_EDGES)
    number = re.fullmatch(r"(\d{1,9})(?:\.0+)?", text)
    return str(int(number[1])) if number else text
