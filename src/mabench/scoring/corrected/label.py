"""The rule for labels: icl."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from mabench.scoring.corrected.rule import Corrected, decide, right, unclear, wrong
from mabench.scoring.lexicon import pattern
from mabench.scoring.sameness.units import UNITS
from mabench.scoring.stated.choosing import ChosenValue, choose
from mabench.scoring.stated.reading import read_values
from mabench.scoring.tokens import fold, plain

# A number by itself: not a part of 143, 4.3, 1,043, -43, 12:43, 43/77, x43 or 43-year.
_NUMBER = re.compile(r"(?<![\w$+-])(?<!\d[.,/:])(\d{1,6})(?![\w%]|[.,/:]\d|-\w|/| to \d)")
_ITEM = re.compile(r"^\s{0,20}(?:\d{1,2}[.)]|[-*\u2022>|])\s+(?=\S*\d)", re.MULTILINE)
_WORD = re.compile(r"\s*([^\W\d_]+)")
_COUNTED = re.compile(r"\d ([^\W\d_]+)")
_LEAD = r"^[\W_]*(?:the )?(?:%s)\b(?: is)?[:\s]*"
_ALONE = r"\W*+(?:(?:%s)\W*+)?\d{1,6}[^\w\n]*\n[ \t]*\n"
_NAMED = r"\b((?:%s))[_#-]?(?=\d)"
_CALLED = (
    r"\b(?:%s)[ \t]?(?:(?:%s)[ \t]?){0,4}[:=#(\[\-]?[ \t]?[\"'(\[]?(?:\d+\s?(?:/|,|or|and|&)\s?)?$"
)
_MEASURED = "|".join({name for unit in UNITS for name in (unit.name, unit.plural)})
_IS_COUNT = rf"\s*(?:%s|{_MEASURED}|cents?|meters?|liters?|pounds?)\b"
_COUNTS = r"(?:\b(?:%s)\b[:=]?(?: the| all)?\s*|\d to )$"
_MOST = 60  # Numbers that are looked at.
_NEAR = 60  # Characters beside a number that say what it is.
_BRIEF = 60  # Words of a text in which any number may be a label.
_EDGES = " \t\r\n.,;:!?()[]{}<>\"'*`#"


def correct_label(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether the one label that ``prediction`` settles on is among ``answers``.

    Numbers that count something, measure it or are in the text to be labelled are no labels.
    What a correction says replaces what precedes it. Case plays no part, nor does the way a
    number is written.
    """
    golds = {_key(gold) for gold in answers} - {""}

    def read(text: str) -> Corrected:
        lead = pattern(_LEAD, "label.names")
        first = pattern(_ALONE, "label.names")
        named = pattern(_NAMED, "label.names")
        alone = first.match(text)  # Before another text that it labels as well.
        said = plain(alone[0] if alone else text)
        said = _ITEM.sub("", named.sub(r"\1 ", said))
        stated = [*_labels(said, question)]
        chosen = _chosen(said, stated, golds)
        if chosen not in (ChosenValue.GOLD, ChosenValue.RIVAL):
            marked = [label for label in stated if label[3]]
            chosen = _chosen(said, marked, golds) if marked else chosen
        if chosen in (ChosenValue.GOLD, ChosenValue.RIVAL):
            return (right if chosen is ChosenValue.GOLD else wrong)("label-given")
        if _key(lead.sub("", text)) in golds:  # Labels need not be numbers.
            return right("label-alone")
        if not stated:
            return wrong("no-label")
        return wrong("several-labels") if chosen is ChosenValue.NEITHER else unclear("label-open")

    return decide(prediction, answers, _key, read, "label-alone")


def _chosen(
    text: str, stated: Sequence[tuple[int, int, str, bool]], golds: set[str]
) -> ChosenValue | None:
    if not stated:
        return None
    return choose(read_values(text, [label[:3] for label in stated], golds, "")).outcome


def _labels(text: str, question: str | None) -> Iterator[tuple[int, int, str, bool]]:
    """Yield the numbers of a text that may be labels: that count nothing and measure nothing."""
    is_brief = len(text.split()) <= _BRIEF
    called = pattern(_CALLED, "label.names", "label.links")
    counts = pattern(_COUNTS, "label.counters")
    counts_behind = pattern(_IS_COUNT, "label.counted")
    counted = _COUNTED.findall(fold(plain(question or "")))
    for match in islice(_NUMBER.finditer(text), _MOST):
        before = text[max(0, match.start() - _NEAR) : match.start()]
        after = text[match.end() : match.end() + _NEAR]
        is_marked = called.search(before) is not None
        word = _WORD.match(after)  # That the text to be labelled counts.
        is_count = counts_behind.match(after) or counts.search(before)
        is_first = re.search(r"(?:^|\n)[^\w\n]*$", before) and after[:1] not in {*".)"}
        is_apart = is_brief or is_first or re.match(r"[^\w\n]*(?:\n|$)", after)
        is_counted = is_count or (word and fold(word[1]) in counted)
        if (is_marked or is_apart) and not is_counted:
            yield *match.span(1), _key(match[1]), is_marked


def _key(value: str) -> str:
    text = fold(value).strip(_EDGES)
    number = re.fullmatch(r"(\d{1,9})(?:\.0+)?", text)
    return str(int(number[1])) if number else text
