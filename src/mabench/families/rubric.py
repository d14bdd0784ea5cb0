"""How a language model judges the answers of a family: its prompts, and the score of replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mabench.families.prompt_tables import read_prompts
from mabench.scoring.judge_replies import yes_or_no


class JudgingInput(NamedTuple):
    """An answer to be judged, with its question and what the data set says about it."""

    question: str
    answers: Sequence[str]  # The golds.
    prediction: str  # What the agent answered.
    question_id: str | None = None  # The id of the question, where it has one.
    question_type: str | None = None  # Its type, where the data set has types.
    # The key points of the question's rubric if it has one, else of the row.
    keypoints: Sequence[str] = ()


# A judge's verdict on one answer: numbers by name.
JudgeVerdict = Mapping[str, int]


class JudgePrompt(NamedTuple):
    """One prompt for the judge."""

    role: str  # The role of the prompt.
    slots: Mapping[str, str]  # The texts for the slots of the prompt, by name.
    read: Callable[[str], JudgeVerdict | None]  # Reads a reply; None if it is unreadable.


@dataclass(frozen=True, slots=True)
class Rubric:
    """How a language model judges a family's answers."""

    templates: Mapping[str, str]  # Template by role.
    # Returns all prompts for one answer.
    prompts_for: Callable[[JudgingInput], list[JudgePrompt]]
    # Returns the score, from 0 to 1, of the verdict of all replies together.
    value: Callable[[JudgeVerdict], float]
    compared: str  # The number of a verdict, 0, 1 or 2, on which two judges are compared.
    # Returns the score as the published code reads the first reply to each prompt; None if that is
    # our own reading.
    official: Callable[[Sequence[str]], float] | None = None
    # Returns the published score of a verdict; None if that is ``value``.
    published: Callable[[JudgeVerdict], float] | None = None


def pass_or_fail(
    templates: Mapping[str, str],
    role: Callable[[JudgingInput], str],
    official: Callable[[Sequence[str]], float] | None = None,
) -> Rubric:
    """Return a rubric in which the judge answers yes or no; ``role`` chooses the prompt."""

    def prompts_for(case: JudgingInput) -> list[JudgePrompt]:
        shown = [case.prediction, case.question, *case.answers]

        def read(reply: str) -> JudgeVerdict | None:
            said = yes_or_no(reply, shown)
            return None if said is None else {"correct": int(said)}

        slots = {
            "question": case.question,
            "prediction": case.prediction,
            "answer": " or ".join(case.answers),
            "answers": " | ".join(dict.fromkeys(case.answers)),
        }
        return [JudgePrompt(role(case), slots, read)]

    return Rubric(
        templates,
        prompts_for,
        value=lambda verdict: float(verdict["correct"]),
        compared="correct",
        official=official,
    )


# For answers that no rule of the corrected score can decide.
UNCLEAR = pass_or_fail(read_prompts("unclear"), lambda case: "judge_unclear")
