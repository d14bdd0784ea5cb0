"""The rule for labels: icl."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from mabench.scoring.corrected.rule import (
    Corrected,
    Stated,
    decide,
    right,
    values_chosen,
    without_question,
    wrong,
)
from mabench.scoring.final_answer import Form, Found
from mabench.scoring.lexicon import pattern
from mabench.scoring.standing import standing
from mabench.scoring.tokens import fold, plain

# A number by itself: not a part of 143, 4.3, 1,043, -43, 12:43, 43/77, x43 or 43-year.
_NUMBER = re.compile(r"(?<![\w$+-])(?<!\d[.,/:])(\d{1,6})(?![\w%]|[.,/:]\d|-\w|/| to \d)")
_ITEM = re.compile(r"^\s{0,20}(?:\d{1,2}[.)]|[-*\u2022>|])\s+(?=\S*\d)", re.MULTILINE)
_WORD = re.compile(r"\s*([^\W\d_]+)")
_COUNTED = re.compile(r"\d ([^\W\d_]+)")
_LEAD = pattern(r"^[\W_]*(?:the )?(?:%s)\b(?: is)?[:\s]*", "label.names")
_ALONE = pattern(r"\W*+(?:(?:%s)\W*+)?\d{1,6}[^\w\n]*\n[ \t]*\n", "label.names")
_NAMED = pattern(r"\b((?:%s))[_#-]?(?=\d)", "label.names")
_CALLED = pattern(
    r"\b(?:%s)\s?(?:(?:%s)\s?){0,4}[:=#(\[\-]?\s?[\"'(\[]?(?:\d+\s?(?:/|,|or|and|&)\s?)?$",
    *("label.names", "label.links"),
)
_IS_COUNT = pattern(r"\s*(?:%s)\b", "label.counted")
_COUNTS = pattern(r"(?:\b(?:%s)\b[:=]?(?: the| all)?\s*|\d to )$", "label.counters")
_SHORT = 8  # Words of a conclusion that is no more than its label.
_MOST = 60  # Numbers that are looked at.
_NEAR = 60  # Characters beside a number that say what it is.
_EDGES = " \t\r\n.,;:!?()[]{}<>\"'*`#"


def correct_label(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether the one label that ``prediction`` settles on is among ``answers``.

    Numbers that count something, measure it or stand in the text to be labelled are no labels.
    What a correction says replaces what stands before it. Case plays no part, nor does the way a
    number is written.
    """
    golds = {_key(gold) for gold in answers} - {""}

    def read(found: Found) -> Corrected | None:
        alone = _ALONE.match(found.text)  # Before another text that it labels as well.
        text = plain(alone[0] if alone else found.line if found.form is Form.MARKED else found.text)
        is_long = len(text.split()) > _SHORT
        if found.form is Form.CONCLUDED and is_long:
            return None
        text = without_question(_NAMED.sub(r"\1 ", text), question)
        if found.form is not Form.SAID:
            text = _ITEM.sub("", text)
        labels = values_chosen(text, [*_labels(text, question)])
        if len(labels) == 1:
            return (wrong if labels.isdisjoint(golds) else right)("label-given")
        if not (found.is_final or found.form is Form.WHOLE):
            return None
        if _key(_LEAD.sub("", found.text)) in golds:  # Labels need not be numbers.
            return right("label-alone")
        return wrong("several-labels" if labels else "no-label")

    return decide(prediction, answers, _key, read, ("label-alone", "no-label"))


def _labels(text: str, question: str | None) -> Iterator[Stated]:
    """Yield the numbers of a text that may be labels: that count nothing and measure nothing."""
    counted = _COUNTED.findall(fold(plain(question or "")))
    for match in islice(_NUMBER.finditer(text), _MOST):
        before = text[max(0, match.start() - _NEAR) : match.start()]
        after = text[match.end() : match.end() + _NEAR]
        is_marked = _CALLED.search(before) is not None
        word = _WORD.match(after)  # That the text to be labelled counts.
        is_count = _IS_COUNT.match(after) or _COUNTS.search(before)
        if is_marked or not (is_count or (word and fold(word[1]) in counted)):
            stands = standing(text, *match.span(1))
            yield Stated(*match.span(1), _key(match[1]), stands, is_marked)


def _key(value: str) -> str:
    text = fold(value).strip(_EDGES)
    number = re.fullmatch(r"(\d{1,9})(?:\.0+)?", text)
    return str(int(number[1])) if number else text
