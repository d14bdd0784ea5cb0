"""The rule for labels: icl."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from mabench.scoring.clauses import clauses, is_content
from mabench.scoring.corrected.rule import (
    Corrected,
    is_same,
    right,
    unclear,
    without_question,
    wrong,
)
from mabench.scoring.final_answer import Form, Found, count_replaced, final_answers
from mabench.scoring.lexicon import pattern
from mabench.scoring.settle import cues_of, settled
from mabench.scoring.standing import Standing, standing
from mabench.scoring.tokens import plain
from mabench.scoring.words import fold

# A number by itself: not a part of 143, 4.3, 1,043, -43, 12:43, 43/77, x43 or 43-year.
_NUMBER = re.compile(r"(?<![\w$+-])(?<!\d[.,/:])(\d{1,6})(?![\w%]|[.,/:]\d|-\w|/)")
_JOINT = re.compile(r"\W*(?:,|;|/|\bor\b|\band\b|&|\|)\W*(?:label\W*)?", re.IGNORECASE)
_ITEM = re.compile(r"^\s{0,20}(?:\d{1,2}[.)]|[-*\u2022>|])\s+(?=\S*\d)", re.MULTILINE)
_LISTED = re.compile(r"\s*(?:\d{1,2}[.)]|[-*\u2022])\s")
_RANGE = re.compile(r" to \d")
# A part of the text to be labelled.
_QUOTED = re.compile(r"[\"\u201c]([^\"\u201c\u201d\n]{8,1000})[\"\u201d]")
_SHORT = 8  # Words of a conclusion that is no more than its label.
_MOST = 60  # Numbers that are looked at.
_NEAR = 60  # Characters beside a number that say what it is.
_EDGES = " \t\r\n.,;:!?()[]{}<>\"'*`#"


class _Label(NamedTuple):
    """A number that may be a label: whether it is called one, how it stands, what is before it."""

    value: str
    marked: bool
    stands: Standing
    start: int
    between: str


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
    line = found.line if found.form is Form.MARKED else found.text
    joined = pattern(r"\b((?:%s))[_#-]?(?=\d)", "label.names").sub(r"\1 ", plain(line))
    asked = plain(question or "").strip()
    quoted = _QUOTED.sub(lambda part: " " if part[1] in asked else part[0], joined)
    text, _ = without_question(quoted, question)
    if found.form not in (Form.SAID, Form.CONCLUDED):
        text = _ITEM.sub("", text)
    labels = _labels(text, question)
    written = set(map(_key, re.findall(r"\d+", line)))  # Beside digits, a number word is none.
    labels = [label for label in labels if label.value in written] or labels
    is_short = len(text.split()) <= _SHORT
    alone = pattern(r"\W*+(?:(?:%s)\W*+)?(\d{1,6})\W*", "label.names")
    if found.form is Form.CONCLUDED and not is_short and not (labels and labels[0].marked):
        return set(), "no-label"
    if found.form is Form.FIRST_LINE and (
        alone.fullmatch(found.rest.split("\n")[0])
        or (_LISTED.match(found.text) and _LISTED.match(found.rest))
    ):
        return set(), "several-labels"
    replaced = count_replaced(text, [(label.start, label.stands) for label in labels])
    # A number that opens the text is the label, unless it is taken back or others are joined to it.
    opens = bool(labels) and not re.search(r"[^\W_]", labels[0].between)
    is_held = opens and labels[0].stands is not Standing.REJECTED and not replaced
    is_list = len(labels) > 1 and (_JOINT.fullmatch(labels[1].between) or "\n" in text)
    if is_held and found.form is not Form.WHOLE and not is_list:
        return {labels[0].value}, "label-given"
    left = [label for label in labels if label.stands is not Standing.REJECTED]
    if found.form is Form.FIRST_LINE:
        left = [label for label in left if label.marked]
    asserted = [x for x in labels[replaced:] if x in left and x.stands is Standing.ASSERTED]
    given = [label for label in asserted if label.marked] or asserted or left
    values = {label.value for label in given}
    hedged = pattern(r"\b(?:%s)\b|\?", "standing.hedges").search(text)
    if hedged and len({label.value for label in left}) == 2 and is_short:
        return {label.value for label in left}, "labels-unclear"
    if found.form is Form.FIRST_LINE:
        return (values if is_short and len(values) == 1 else set()), "label-given"
    stated = clauses(text) if len(values) > 1 else []
    sides = [{label.value for label in asserted if c.holds(label.start)} for c in stated]
    is_last = alone.fullmatch(text.split("\n")[-1]) and "\n\n" in text
    is_list = any(len(side) > 1 for side in sides)  # Of which the closing statement has one.
    listed = range(0 if is_list else len(stated) - bool(is_last))
    cues = cues_of(text, stated)
    cued = [n for n, c in enumerate(stated) if cues[n] and sum(map(is_content, c.said)) <= 2]
    value = settled(sides, cued, listed)
    return ({value} if value else values), "label-given"


def _labels(text: str, question: str | None) -> list[_Label]:
    """Return the numbers of a text that may be labels: that count nothing and measure nothing."""
    asked = fold(plain(question or ""))
    called = pattern(
        r"\b(?:%s)\s?(?:(?:%s)\s?){0,4}[:=#(\[\-]?\s?[\"'(\[]?$", "label.names", "label.links"
    )
    counted = pattern(r"\s*(?:%s)\b", "label.counted")
    counters = pattern(r"(?:\b(?:%s)\b[:=]?(?: the| all)?\s*|\d to )$", "label.counters")
    labels: list[_Label] = []
    end = 0
    for match in islice(_NUMBER.finditer(text), _MOST):
        before = text[max(0, match.start() - _NEAR) : match.start()]
        after = text[match.end() : match.end() + _NEAR]
        marked = called.search(before) is not None
        word = re.match(r"\s*([^\W\d_]+)", after)  # That the text to be labelled counts.
        is_asked = word and re.search(rf"\d {re.escape(fold(word[1]))}\b", asked)
        if not marked and (counted.match(after) or counters.search(before) or is_asked):
            continue
        if _RANGE.match(after):
            continue
        between = text[end : match.start()]
        marked |= bool(labels and labels[-1].marked and _JOINT.fullmatch(between))
        end = match.end()
        stands = standing(text, match.start(1), match.end(1))
        labels.append(_Label(_key(match[1]), marked, stands, match.start(), between))
    return labels


def _key(value: str) -> str:
    text = fold(value).strip(_EDGES)
    number = re.fullmatch(r"(\d{1,9})(?:\.0+)?", text)
    return str(int(number[1])) if number else text
