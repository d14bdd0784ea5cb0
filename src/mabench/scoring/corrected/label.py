"""The rule for labels: icl."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, pairwise

from mabench.scoring.corrected.rule import (
    Corrected,
    Stated,
    is_same,
    right,
    unclear,
    values_left,
    without_question,
    wrong,
)
from mabench.scoring.final_answer import Form, Found, final_answers
from mabench.scoring.lexicon import pattern
from mabench.scoring.standing import Standing, standing
from mabench.scoring.tokens import fold, plain

# A number by itself: not a part of 143, 4.3, 1,043, -43, 12:43, 43/77, x43 or 43-year.
_NUMBER = re.compile(r"(?<![\w$+-])(?<!\d[.,/:])(\d{1,6})(?![\w%]|[.,/:]\d|-\w|/)")
_ITEM = re.compile(r"^\s{0,20}(?:\d{1,2}[.)]|[-*\u2022>|])\s+(?=\S*\d)", re.MULTILINE)
_RANGE = re.compile(r" to \d")
_WORD = re.compile(r"\s*([^\W\d_]+)")
_COUNTED = re.compile(r"\d ([^\W\d_]+)")
_SHORT = 8  # Words of a conclusion that is no more than its label.
_MOST = 60  # Numbers that are looked at.
_NEAR = 60  # Characters beside a number that say what it is.
_JOINT = re.compile(r"\s*(?:/|,|or|and|&)\s*")
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
    if is_same(prediction, answers, _key):
        return right("label-alone")
    if not prediction.strip():
        return wrong("no-answer")
    lead = pattern(r"^[\W_]*(?:the )?(?:%s)\b(?: is)?[:\s]*", "label.names")
    for found in final_answers(prediction):
        labels, rule = _read(found, question)
        if rule == "labels-unclear" and not labels.isdisjoint(golds):
            return unclear(rule)
        if len(labels) == 1:
            return (wrong if labels.isdisjoint(golds) else right)(rule)
        if found.is_final or found.form is Form.WHOLE:
            if _key(lead.sub("", found.text)) in golds:  # Labels need not be numbers.
                return right("label-alone")
            return wrong("several-labels" if labels else "no-label")
    return wrong("no-label")


def _read(found: Found, question: str | None) -> tuple[set[str], str]:
    """Return the labels that a text settles on, and the rule by which they were read."""
    alone = pattern(r"\W*+(?:(?:%s)\W*+)?(\d{1,6})\W*", "label.names")
    if found.form is Form.FIRST_LINE:
        label = alone.fullmatch(found.text)
        is_one = label is not None and not alone.fullmatch(found.rest.split("\n")[0])
        return ({_key(label[1])} if label and is_one else set()), "label-given"
    line = found.line if found.form is Form.MARKED else found.text
    is_short = len(line.split()) <= _SHORT
    if found.form is Form.CONCLUDED and not is_short:
        return set(), "no-label"
    text = pattern(r"\b((?:%s))[_#-]?(?=\d)", "label.names").sub(r"\1 ", plain(line))
    if re.search(r"\d", question or ""):
        text, _ = without_question(text, question)
    if found.form is not Form.SAID:
        text = _ITEM.sub("", text)
    labels = _labels(text, question)
    written = set(map(_key, re.findall(r"\d+", line)))  # Beside digits, a number word is none.
    labels = [label for label in labels if label.value in written] or labels
    possible = {label.value for label in labels if label.stands is not Standing.REJECTED}
    hedged = pattern(r"\b(?:%s)\b|\?", "standing.hedges").search(text)
    if hedged and len(possible) == 2 and is_short:
        return possible, "labels-unclear"
    left = values_left(text, labels)
    given = [x for x in left if x.is_marked and x.stands is Standing.ASSERTED] or left
    joined = [
        b for a, b in pairwise(left) if a in given and _JOINT.fullmatch(text[a.end : b.start])
    ]
    values = {label.value for label in (*given, *joined)}
    kept = [label.value for label in labels if label.stands is not Standing.REJECTED]
    if kept and kept[-1] in kept[:-1]:
        values = {kept[-1]}  # It comes back to it.
    bare = pattern(
        r"(?:^|[,;:.!?\n])\W{0,5}(?:%s)\W{1,4}(\d{1,6})(?=\W{0,4}(?:\Z|[,;\n]|[.!?]\s))",
        "label.names",
    )
    if len(values) > 1 and len(clauses := bare.findall(text)) == 1:  # Others are named in prose.
        return {_key(clauses[0])}, "label-given"
    return values, "label-given"


def _labels(text: str, question: str | None) -> list[Stated[str]]:
    """Return the numbers of a text that may be labels: that count nothing and measure nothing."""
    called = pattern(
        r"\b(?:%s)\s?(?:(?:%s)\s?){0,4}[:=#(\[\-]?\s?[\"'(\[]?$", "label.names", "label.links"
    )
    counted = pattern(r"\s*(?:%s)\b", "label.counted")
    counters = pattern(r"(?:\b(?:%s)\b[:=]?(?: the| all)?\s*|\d to )$", "label.counters")
    labels: list[Stated[str]] = []
    for match in islice(_NUMBER.finditer(text), _MOST):
        before = text[max(0, match.start() - _NEAR) : match.start()]
        after = text[match.end() : match.end() + _NEAR]
        is_marked = called.search(before) is not None
        word = _WORD.match(after)  # That the text to be labelled counts.
        is_asked = word and fold(word[1]) in _COUNTED.findall(fold(plain(question or "")))
        is_count = counted.match(after) or counters.search(before) or is_asked
        if _RANGE.match(after) or (is_count and not is_marked):
            continue
        stands = standing(text, match.start(1), match.end(1))
        labels.append(Stated(*match.span(1), _key(match[1]), stands, is_marked))
    return labels


def _key(value: str) -> str:
    text = fold(value).strip(_EDGES)
    number = re.fullmatch(r"(\d{1,9})(?:\.0+)?", text)
    return str(int(number[1])) if number else text
