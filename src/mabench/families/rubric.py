"""How a language model judges the answers of a family."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mabench.families.prompt_tables import read_prompts
from mabench.scoring.judge_replies import yes_or_no


class JudgingInput(NamedTuple):
    """An answer to be judged, with what the data set holds about its question."""

    question: str
    answers: Sequence[str]  # The golds.
    prediction: str  # What the agent answered.
    question_id: str | None = None  # The id of the question, where it has one.
    question_type: str | None = None  # Its type, where the data set has types.
    # The lines of the question's rubric, where it has one, else those of the row.
    keypoints: Sequence[str] = ()


# What judges say of one answer, as numbers by name.
Verdict = Mapping[str, int]


class JudgePrompt(NamedTuple):
    """One prompt for the judge."""

    role: str  # The role of the prompt.
    slots: Mapping[str, str]  # What fills the prompt, by the name of the slot.
    read: Callable[[str], Verdict | None]  # Returns what a reply says; None when it cannot be read.


@dataclass(frozen=True, slots=True)
class Rubric:
    """How a language model judges a family's answers."""

    templates: Mapping[str, str]  # Template by role.
    # Every prompt that a judge gets for one answer.
    prompts_for: Callable[[JudgingInput], list[JudgePrompt]]
    # The score, from 0 to 1, that follows from the verdict: all replies put together.
    value: Callable[[Verdict], float]
    compared: str  # The number of a verdict, 0, 1 or 2, on which two judges are compared.
    # The score by the published reading of the first reply to each prompt, where that is another
    # than ours.
    official: Callable[[Sequence[str]], float] | None = None
    # The published score that follows from a verdict, where that is another than ``value``.
    published: Callable[[Verdict], float] | None = None


def pass_or_fail(
    templates: Mapping[str, str],
    role: Callable[[JudgingInput], str],
    official: Callable[[Sequence[str]], float] | None = None,
) -> Rubric:
    """Return a rubric by which the judge says yes or no to an answer, asked in one of its roles."""

    def prompts_for(case: JudgingInput) -> list[JudgePrompt]:
        shown = [case.prediction, case.question, *case.answers]

        def read(reply: str) -> Verdict | None:
            said = yes_or_no(reply, shown)
            return None if said is None else {"correct": int(said)}

        either, all_ = " or ".join(case.answers), " | ".join(dict.fromkeys(case.answers))
        asked = {"question": case.question, "prediction": case.prediction}
        return [JudgePrompt(role(case), {**asked, "answer": either, "answers": all_}, read)]

    return Rubric(templates, prompts_for, lambda said: float(said["correct"]), "correct", official)


# Settles the answers that no rule of the corrected score can tell.
UNCLEAR = pass_or_fail(read_prompts("unclear"), lambda case: "judge_unclear")
