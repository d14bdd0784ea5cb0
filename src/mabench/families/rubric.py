"""What a language-model judge is asked about an answer, and how its verdict becomes a score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class JudgingInput(NamedTuple):
    """An answer to be judged, with what the data set holds about its question."""

    question: str
    answers: Sequence[str]
    prediction: str
    question_id: str | None = None
    question_type: str | None = None
    keypoints: Sequence[str] = ()


Reading = Mapping[str, int]


class JudgePrompt(NamedTuple):
    """One prompt for the judge.

    Attributes:
        role: the role of the prompt.
        slots: what fills the prompt, by the name of the slot.
        read: returns what a reply says, as numbers by name; None when it cannot be read.
    """

    role: str
    slots: Mapping[str, str]
    read: Callable[[str], Reading | None]


@dataclass(frozen=True, slots=True)
class Rubric:
    """How a family's answers are judged.

    Attributes:
        prompts: template by role.
        inquiries: all that a judge is asked about one answer.
        value: the score, from 0 to 1, from the readings of all inquiries put together.
        compared: the name of the reading, 0 or 1, on which two judges are compared.
    """

    prompts: Mapping[str, str]
    inquiries: Callable[[JudgingInput], list[JudgePrompt]]
    value: Callable[[Reading], float]
    compared: str
