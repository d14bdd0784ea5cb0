"""The rule for labels: icl."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from mabench.scoring.corrected.rule import Corrected, is_same, right, wrong
from mabench.scoring.final_answer import Form, Found, final_answers
from mabench.scoring.mentions import mentions, plain, wanted_tokens
from mabench.scoring.standing import Standing, standing
from mabench.scoring.words import fold

_NAME = r"(?:labels?|class|category|intent|answer|choice|prediction|option)"
# A number by itself: not a part of 143, 4.3, 1,043, -43, 12:43, 43/77 or x43.
_NUMBER = r"(?<![\w$+-])(?<!\d[.,/:])(\d{1,6})(?![\w%]|[.,/:-]\d|/)"
_ANY_NUMBER = re.compile(_NUMBER)
_MARKED_BEFORE = re.compile(
    rf"\b{_NAME}\s?(?:(?:id|number|is|as|to|be|of|should|would|must|index"
    rf"|no\.?)\s?){{0,4}}[:=#(\[\-]?\s?[\"'(\[]?$",
    re.IGNORECASE,
)
_JOINED = re.compile(rf"\b({_NAME})[_#-]?(?=\d)", re.IGNORECASE)
_JOINT = re.compile(r"\W*(?:,|/|\bor\b|\band\b|&|\|)\W*", re.IGNORECASE)
_ITEM = re.compile(r"^\s{0,20}(?:\d{1,2}[.)]|[-*\u2022>|])\s+(?=\S*\d)", re.MULTILINE)
# What a number counts or measures is no label.
_COUNTED = re.compile(
    r"\s*(?:percent|(?:dollar|euro|pound|yen|rupee)s?|(?:\w+ ){0,2}(?:labels|classes"
    r"|categories|intents|options|examples"
    r"|samples|texts|instances|demonstrations|sentences|messages|cases|entries|times|numbers"
    r"|choices|items|queries"
    r"|questions|candidates|possibilities|matches|others)|out of|of (?:the|them|these|those)"
    r"|of (?:the )?\d)\b",
    re.IGNORECASE,
)
_COUNTED_BEFORE = re.compile(
    r"(?:\b(?:out of|of|from|among|all|confidence|probability|score|examples?|step|page|line"
    r"|fact|document|chunk|message|dialogue|version|year|age|at least|at most|more than|less "
    r"than|fewer than|greater than)\b[:=]?(?: the| all)?\s*|\d to )$",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(?:\d{1,2}[.)]|[-*\u2022])\s")
_SHORT = 8  # Words of a conclusion that is no more than its label.
_LABEL_LINE = re.compile(rf"\W*+(?:{_NAME}\W*+)?\d{{1,6}}\W*", re.IGNORECASE)
_RANGE = re.compile(r" to \d")
_LEADING = re.compile(
    r"^[\W_]*?" + _NUMBER + r"(?!\s*(?:,|/|\bor\b|\band\b|\||;)\s*(?:label\W*)?\d)", re.IGNORECASE
)
_QUOTED = re.compile(
    r"[\"\u201c]([^\"\u201c\u201d\n]{8,1000})[\"\u201d]"
)  # Of the text to be labelled.
_EDGES = " \t\r\n.,;:!?()[]{}<>\"'*`#"


class _Label(NamedTuple):
    """A number that may be a label: its value, whether it is called one, and how it stands."""

    value: str
    marked: bool
    stands: Standing


def correct_label(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether the one label that ``prediction`` settles on is among ``answers``.

    Numbers that count something, measure it or stand in the text to be labelled are no labels.
    Case plays no part, nor does the way a number is written.
    """
    golds = {_key(gold) for gold in answers} - {""}
    if is_same(prediction, answers, _key):
        return right("label-alone")
    if not prediction.strip():
        return wrong("no-answer")
    for found in final_answers(prediction):
        labels, rule = _read(found, question, answers)
        if len(labels) == 1:
            return (wrong if labels.isdisjoint(golds) else right)(rule)
        if found.is_final or found.form is Form.WHOLE:
            return wrong("several-labels" if labels else "no-label")
    return wrong("no-label")


def _read(found: Found, question: str | None, answers: Sequence[str]) -> tuple[set[str], str]:
    """Return the labels that a text settles on, and the rule by which they were read."""
    line = found.line if found.form is Form.MARKED else found.text
    text = _without(_JOINED.sub(r"\1 ", plain(line)), question)
    if found.form not in (Form.SAID, Form.CONCLUDED):
        text = _ITEM.sub("", text)
    if any(not gold.strip().isdigit() for gold in answers) and (named := _named(text, answers)):
        return named, "label-named"
    said = _labels(text, question)
    if found.form is not Form.WHOLE:
        leading = None if found.form is Form.FIELD and "\n" in text else _LEADING.match(text)
        if (
            found.form is Form.CONCLUDED
            and len(text.split()) > _SHORT
            and not (said and said[0].marked)
        ):
            return set(), "no-label"
        if (
            found.form is Form.FIRST_LINE
            and _LISTED.match(found.text)
            and _LISTED.match(found.rest)
        ):
            return set(), "several-labels"
        if found.form is Form.FIRST_LINE and _LABEL_LINE.fullmatch(found.rest.split("\n")[0]):
            return set(), "several-labels"  # A list of labels, one a line.
        if leading and said and said[0].stands is not Standing.REJECTED:
            return {_key(leading[1])}, f"label-{found.form}"
        if found.form is Form.FIRST_LINE:
            settled = _settled([label for label in said if label.marked])
            return (
                settled if len(text.split()) <= 8 and len(settled) == 1 else set()
            ), "label-first-line"
    return _settled(said), "label-in-text" if found.form is Form.WHOLE else f"label-{found.form}"


def _labels(text: str, question: str | None) -> list[_Label]:
    asked = fold(plain(question or ""))
    found: list[_Label] = []
    end = 0
    for match in [*_ANY_NUMBER.finditer(text)][:60]:
        before, after = (
            text[max(0, match.start() - 60) : match.start()],
            text[match.end() : match.end() + 60],
        )
        marked = _MARKED_BEFORE.search(before) is not None
        if not marked and (_is_count(before, after) or _is_asked(after, asked)):
            continue
        if _RANGE.match(after) or (before.endswith(" to ") and re.search(r"\d to $", before)):
            continue
        marked |= bool(found and found[-1].marked and _JOINT.fullmatch(text, end, match.start()))
        end = match.end()
        found.append(_Label(_key(match[1]), marked, standing(text, match.start(1), match.end(1))))
    return found


def _settled(labels: Sequence[_Label]) -> set[str]:
    """Return the labels that a text settles on: the asserted ones that it calls labels, if any."""
    asserted = [label for label in labels if label.stands is Standing.ASSERTED]
    for group in ([x for x in asserted if x.marked], asserted, [x for x in labels if x.stands]):
        if group:
            return {label.value for label in group}
    return set()


def _named(text: str, answers: Sequence[str]) -> set[str]:
    """Return the golds that are words, where a text asserts them."""
    whole = _key(re.sub(rf"^[\W_]*(?:the )?{_NAME}\b(?: is)?[:\s]*", "", text, flags=re.IGNORECASE))
    named = set()
    for gold in answers:
        where = list(mentions(wanted_tokens(gold), text)) if len(gold) > 3 else []
        if whole == _key(gold) or any(standing(text, *m) is Standing.ASSERTED for m in where):
            named.add(_key(gold))
    return named


def _is_count(before: str, after: str) -> bool:
    return bool(_COUNTED.match(after) or _COUNTED_BEFORE.search(before))


def _is_asked(after: str, asked: str) -> bool:
    """Say whether a number counts what the text to be labelled counts."""
    word = re.match(r"\s*([^\W\d_]+)", after)
    return word is not None and re.search(rf"\d {re.escape(fold(word[1]))}\b", asked) is not None


def _without(text: str, question: str | None) -> str:
    asked = plain(question or "").strip().rstrip("?.! ")
    if len(asked) < 4:
        return text
    text = _QUOTED.sub(lambda quoted: " " if quoted[1] in asked else quoted[0], text)
    return re.sub(re.escape(asked) + r"[?.! \"']*", "\n", text, flags=re.IGNORECASE).strip() or ""


def _key(value: str) -> str:
    text = fold(value).strip(_EDGES)
    if re.fullmatch(r"\d{1,9}(?:\.0+)?", text):
        return str(int(text.partition(".")[0]))
    return text
