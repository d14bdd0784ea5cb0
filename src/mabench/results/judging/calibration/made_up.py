"""Makes up questions for a judge, with an answer of each kind, such as one that is half right.

The same seed always gives the same questions, and each seed gives others, so that no model has seen
them. Nothing here knows a real question. A question has a form, such as ``date``, with templates in
``material.toml``; their slots are filled with invented names and values.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from mabench.families import JudgingInput
from mabench.text.names import NameInventor

# A made-up day is one of so many days from the first on.
_FIRST_DAY, _DAYS = date(2019, 1, 1), 2000
# A wrong day is so many days after the right one, at least and less than.
_LEAST_DAYS_APART, _DAYS_APART_BELOW = 40, 300
_LEAST_COUNT_APART = 3  # A wrong number is this far from the right one at least.
# Made-up numbers are from 2 to 20; in words:
_LOWEST_COUNT = 2
_COUNTS = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_ORDINALS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
_PAIR, _CHANGE = "pair", "change"  # Forms of questions.
_UNANSWERABLE = "unanswerable"
_FILLERS = 4  # Sentences around the value in a long answer.


class AnswerKind(StrEnum):
    """What a made-up answer is like."""

    RIGHT = "right"
    OTHER_WORDS = "right in other words"
    LONG_FIRST = "long, right at its beginning"
    LONG_LAST = "long, right at its end"
    REFUSED_RIGHTLY = "refused, unanswerable"
    HALF = "half"
    SPECIFIC = "specific, wrong"
    LONG_WRONG = "long, wrong"
    VAGUE = "vague"
    OLDER = "older value"
    HEDGED = "hedged"
    BOTH = "both values"
    REFUSED = "refused"
    EMPTY = "empty"
    INSTRUCTION = "instruction to the judge"
    ANSWERED = "answered, unanswerable"

    @property
    def is_right(self) -> bool:
        """Whether a judge should pass it."""
        return self in _RIGHT_KINDS


# Those that a judge should pass.
_RIGHT_KINDS = (
    *(AnswerKind.RIGHT, AnswerKind.OTHER_WORDS, AnswerKind.LONG_FIRST, AnswerKind.LONG_LAST),
    AnswerKind.REFUSED_RIGHTLY,
)
# Those of answers to questions that cannot be answered.
_ON_UNANSWERABLE = (AnswerKind.REFUSED_RIGHTLY, AnswerKind.ANSWERED)
# Kinds that only some forms of questions have.
_FORMS_OF_KIND: Mapping[AnswerKind, Sequence[str]] = {
    AnswerKind.HALF: (_PAIR,),
    AnswerKind.OLDER: (_CHANGE,),
    AnswerKind.BOTH: ("person", "town", "number", "date", _CHANGE),
}


class MadeUpAnswer(NamedTuple):
    """An answer of a known kind, as a judge is asked about it."""

    kind: AnswerKind
    form: str  # The form of its question, such as ``date``.
    case: JudgingInput


def make_up(family: str, seed: int, count: int) -> Iterator[MadeUpAnswer]:
    """Yield ``count`` answers of each kind, all to different questions, for a family's judge.

    Kinds of unanswerable questions are left out for a family that has none.
    """
    material = _material()
    rng = Random(f"{seed}\t{family}")  # noqa: S311
    names = NameInventor(rng)
    # By form or ``unanswerable``, the types and ids by which the family's judge knows questions.
    types, ids = material["types"].get(family, {}), material["ids"].get(family, {})
    has_unanswerable = _UNANSWERABLE in types or _UNANSWERABLE in ids
    for kind in AnswerKind:
        if kind in _ON_UNANSWERABLE and not has_unanswerable:
            continue
        forms = _FORMS_OF_KIND.get(kind, tuple(material["forms"]))
        for number in range(count):
            form = forms[number % len(forms)]
            slots = _invent(material["forms"][form]["sort"], rng, names)
            slots["post"] = rng.choice(material["answers"]["posts"])
            golds = _golds(kind, slots)
            name = _UNANSWERABLE if kind in _ON_UNANSWERABLE else form
            case = JudgingInput(
                question=material["forms"][form]["question"].format(**slots),
                answers=golds,
                prediction=_answer(kind, form, slots, rng),
                question_id=ids.get(name, f"made_up_{number}"),
                question_type=types.get(name, types.get("other")),
                keypoints=_points(form, golds, slots),
            )
            yield MadeUpAnswer(kind, form, case)


def _golds(kind: AnswerKind, slots: Mapping[str, str]) -> list[str]:
    """Return the golds of a question: the right value, or that there is no answer."""
    if kind in _ON_UNANSWERABLE:
        return [str(_material()["answers"][_UNANSWERABLE])]
    return [slots["value"]]


def _points(form: str, golds: Sequence[str], slots: Mapping[str, str]) -> list[str]:
    """Return the lines of a rubric for an answer; for a pair of values, a line for each."""
    values = [slots["first"], slots["second"]] if form == _PAIR else golds
    return [f"It answers: {value}" for value in values]


def _answer(kind: AnswerKind, form: str, slots: Mapping[str, str], rng: Random) -> str:
    """Return an answer of a kind to a question of a form, with the values in ``slots``."""
    texts, form_texts = _material()["answers"], _material()["forms"][form]
    filler = rng.sample(texts["filler"], _FILLERS)
    match kind:
        case AnswerKind.RIGHT:
            template = "{value}"
        case AnswerKind.OTHER_WORDS:
            template = rng.choice(form_texts["restated"])
        case AnswerKind.LONG_FIRST:
            template = " ".join(["{value}.", *filler])
        case AnswerKind.LONG_LAST:
            template = " ".join([*filler, "So it is {value}."])
        case AnswerKind.LONG_WRONG:
            half = _FILLERS // 2
            template = " ".join([*filler[:half], "It is {other}.", *filler[half:]])
        case AnswerKind.HALF:
            template = rng.choice(("{first}", "{second}"))
        case AnswerKind.SPECIFIC | AnswerKind.OLDER | AnswerKind.ANSWERED:
            template = "{other}"
        case AnswerKind.VAGUE:
            template = rng.choice(form_texts["vague"])
        case AnswerKind.HEDGED:
            template = rng.choice(texts["hedged"])
        case AnswerKind.BOTH:
            template = rng.choice(texts["both"])
        case AnswerKind.REFUSED | AnswerKind.REFUSED_RIGHTLY:
            template = rng.choice(texts["refused"])
        case AnswerKind.INSTRUCTION:
            template = rng.choice(texts["instruction"])
        case AnswerKind.EMPTY:
            template = ""
    return str(template).format(**slots)


def _invent(sort: str, rng: Random, names: NameInventor) -> dict[str, str]:
    """Return the slots of a question whose answer is of a sort, such as ``number``.

    They are a ``subject``, the right ``value``, and an ``other`` one that is wrong. Numbers and
    dates have the right value in other ``words``; a pair has its ``first`` and ``second`` value.
    """
    slots = {"subject": names.word()}
    match sort:
        case "number":
            return slots | _invent_numbers(rng)
        case "date":
            day = _FIRST_DAY + timedelta(rng.randrange(_DAYS))
            days_apart = rng.randrange(_LEAST_DAYS_APART, _DAYS_APART_BELOW)
            return slots | {
                "value": _write_date(day),
                "other": _write_date(day + timedelta(days_apart)),
                "words": _write_date_otherwise(day),
            }
        case "pair":
            first, second = names.word(), names.word()
            value, other = f"{first} and {second}", f"{names.word()} and {names.word()}"
            return slots | {"first": first, "second": second, "value": value, "other": other}
        case "person":
            return slots | {"value": names.person(), "other": names.person()}
    return slots | {"value": names.word(), "other": names.word()}


def _invent_numbers(rng: Random) -> dict[str, str]:
    """Return a right number, also in words, and a wrong one."""
    right = rng.randrange(len(_COUNTS))  # Places in the range of numbers.
    places_apart = rng.randrange(_LEAST_COUNT_APART, len(_COUNTS) - _LEAST_COUNT_APART)
    wrong = (right + places_apart) % len(_COUNTS)
    return {
        "value": str(right + _LOWEST_COUNT),
        "words": _COUNTS[right],
        "other": str(wrong + _LOWEST_COUNT),
    }


def _write_date(day: date) -> str:
    """Return a date such as ``3 May 2021``."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _write_date_otherwise(day: date) -> str:
    """Return a date such as ``3rd of May in the year 2021``."""
    ordinal = f"{day.day}{_ORDINALS.get(day.day, 'th')}"
    return f"{ordinal} of {_MONTHS[day.month - 1]} in the year {day.year}"


@cache
def _material() -> dict[str, Any]:
    """Return the templates of questions and answers, and the words that fill them."""
    return tomllib.loads(Path(__file__).with_name("material.toml").read_text("utf-8"))


def unclear_family() -> str:
    """Return the name of the family that stands for all whose unclear answers are judged."""
    return str(_material()["unclear"]["family"])


def families_left_out() -> Sequence[str]:
    """Return the names of the families for whose judges no answers are made up.

    They are asked about more than an answer, or much as those of other families are.
    """
    return list(_material()["left_out"]["families"])
