"""The rule for labels: icl."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mabench.scoring.corrected.rule import Corrected, beyond_question, json_answers, undecorated
from mabench.scoring.words import words

_NAME = r"\b(?:label|class|category|intent|answer)"
# A number by itself: not a part of 143, 4.3, 1,043, -43, 43%, $43, 12:43 or x43.
_NUMBER = r"(?<![\w%$+-])(?<!\d[.,/:])(\d+)(?![\w%]|[.,/:-]\d)"
_MARKED_NUMBER = re.compile(
    rf"{_NAME}(?:\s++(?:id|number|is|as|to|be|should|would))*\s*+(?:[:=]\s*+)?{_NUMBER}",
    re.IGNORECASE,
)
_MARKED_TEXT = re.compile(
    rf"^[^\w\n]*(?:final\s+)?{_NAME}\s*[:=][ \t]*(\S+)[ \t]*$", re.IGNORECASE | re.MULTILINE
)
_NUMBER_ALONE = re.compile(rf"^[^\w\n]*?{_NUMBER}[^\w\n]*$", re.MULTILINE)
_ANY_NUMBER = re.compile(_NUMBER)
_EDGES = " \t\r\n.,;:!?()[]{}<>"


def correct_label(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether the one label that ``prediction`` gives is among ``answers``, case aside.

    Read are, in this order: a field of a JSON object, ``label: 43``, a line that is a number
    (``43.``, ``**43**``), a sentence with exactly one number, and a text that is one word.
    """
    if words(prediction) and not beyond_question(prediction, question):
        return Corrected(0.0, "question-echo")
    labels, rule = _read(prediction)
    if len(labels) != 1:
        return Corrected(0.0, "several-labels" if labels else "no-label")
    golds = {_bare(gold) for gold in answers} - {""}
    return Corrected(float(not labels.isdisjoint(golds)), rule)


def _read(prediction: str) -> tuple[set[str], str]:
    """Return the labels in the first form that any is found in, and that form's rule."""
    text = undecorated(prediction)
    forms = (
        ("label-in-json", json_answers(prediction)),
        ("label-marked", _MARKED_NUMBER.findall(text) or _MARKED_TEXT.findall(text)),
        ("label-alone", _NUMBER_ALONE.findall(text)),
        ("label-in-sentence", _ANY_NUMBER.findall(text)),
        ("label-alone", text.split() if len(text.split()) == 1 else []),
    )
    for rule, found in forms:
        labels = {_bare(value) for value in found} - {""}
        if labels:
            return labels, rule
    return set(), "no-label"


def _bare(value: str) -> str:
    return undecorated(value).strip(_EDGES).casefold()
