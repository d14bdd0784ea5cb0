"""Questions that are made up for a judge, with an answer of each kind.

The same seed always gives the same ones, and each seed gives others, so that no model has seen
them. Nothing here knows a real question.
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

_FIRST_DAY, _DAYS = date(2019, 1, 1), 2000
# Wrong days and numbers are this far from the right one at least.
_DAYS_APART, _COUNT_APART = 40, 3
_COUNTS = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_ORDINALS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
_PAIR, _CHANGE = "pair", "change"
_UNANSWERABLE = "unanswerable"


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


_RIGHT_KINDS = (
    *(AnswerKind.RIGHT, AnswerKind.OTHER_WORDS, AnswerKind.LONG_FIRST, AnswerKind.LONG_LAST),
    AnswerKind.REFUSED_RIGHTLY,
)
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
    types, ids = material["types"].get(family, {}), material["ids"].get(family, {})
    has_unanswerable = _UNANSWERABLE in {**types, **ids}
    for kind in AnswerKind:
        if kind in _ON_UNANSWERABLE and not has_unanswerable:
            continue
        forms = _FORMS_OF_KIND.get(kind, tuple(material["forms"]))
        for number in range(count):
            form = forms[number % len(forms)]
            slots = _invent(material["forms"][form]["sort"], rng, names)
            slots["post"] = rng.choice(material["answers"]["posts"])
            named = _UNANSWERABLE if kind in _ON_UNANSWERABLE else form
            golds = _golds(kind, form, slots)
            case = JudgingInput(
                material["forms"][form]["question"].format(**slots),
                golds,
                _answer(kind, form, slots, rng),
                ids.get(named, f"made_up_{number}"),
                types.get(named, types.get("other")),
                _points(form, golds, slots),
            )
            yield MadeUpAnswer(kind, form, case)


def _golds(kind: AnswerKind, form: str, slots: Mapping[str, str]) -> list[str]:
    if kind in _ON_UNANSWERABLE:
        return [str(_material()["answers"][_UNANSWERABLE])]
    return [slots["value"]]


def _points(form: str, golds: Sequence[str], slots: Mapping[str, str]) -> list[str]:
    """Return what a rubric that is read line by line expects of the answer."""
    values = [slots["first"], slots["second"]] if form == _PAIR else golds
    return [f"It answers: {value}" for value in values]


def _answer(kind: AnswerKind, form: str, slots: Mapping[str, str], rng: Random) -> str:
    """Return an answer of a kind to a question of a form."""
    texts, of_form = _material()["answers"], _material()["forms"][form]
    filler = rng.sample(texts["filler"], 4)
    match kind:
        case AnswerKind.RIGHT:
            template = "{value}"
        case AnswerKind.OTHER_WORDS:
            template = rng.choice(of_form["restated"])
        case AnswerKind.LONG_FIRST:
            template = " ".join(["{value}.", *filler])
        case AnswerKind.LONG_LAST:
            template = " ".join([*filler, "So it is {value}."])
        case AnswerKind.LONG_WRONG:
            template = " ".join([*filler[:2], "It is {other}.", *filler[2:]])
        case AnswerKind.HALF:
            template = rng.choice(("{first}", "{second}"))
        case AnswerKind.SPECIFIC | AnswerKind.OLDER | AnswerKind.ANSWERED:
            template = "{other}"
        case AnswerKind.VAGUE:
            template = rng.choice(of_form["vague"])
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
    """Return a subject, and a right and a wrong value of a sort, with the right one in words."""
    slots = {"subject": names.word()}
    match sort:
        case "number":
            place = rng.randrange(len(_COUNTS))
            away = rng.randrange(_COUNT_APART, len(_COUNTS) - _COUNT_APART)
            wrong = (place + away) % len(_COUNTS) + 2
            return slots | {
                "value": f"{place + 2}",
                "words": _COUNTS[place],
                "other": f"{wrong}",
            }
        case "date":
            day = _FIRST_DAY + timedelta(rng.randrange(_DAYS))
            other_day = day + timedelta(rng.randrange(_DAYS_APART, 300))
            return slots | {
                "value": _written(day), "other": _written(other_day), "words": _in_words(day)
            }  # fmt: skip
        case "pair":
            first, second = names.word(), names.word()
            value, other = f"{first} and {second}", f"{names.word()} and {names.word()}"
            return slots | {"first": first, "second": second, "value": value, "other": other}
        case "person":
            return slots | {"value": names.person(), "other": names.person()}
    return slots | {"value": names.word(), "other": names.word()}


def _written(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _in_words(day: date) -> str:
    ordinal = f"{day.day}{_ORDINALS.get(day.day, 'th')}"
    return f"{ordinal} of {_MONTHS[day.month - 1]} in the year {day.year}"


@cache
def _material() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("material.toml").read_text("utf-8"))


def unclear_family() -> str:
    """Return the name of the family that stands for all whose unclear answers are judged."""
    return str(_material()["unclear"]["family"])


def families_left_out() -> Sequence[str]:
    """Return the names of the families for whose judges no answers are made up.

    They are asked about more than an answer, or much as those of other families are.
    """
    return list(_material()["left_out"]["families"])
