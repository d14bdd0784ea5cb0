"""Families of benchmarks whose answers are scored by a language model as judge.

The prompts for the judge are ours, so the figures can be compared with each other, but not with
published ones. How a judge's verdict becomes a score follows the publications. A verdict holds the
numbers that the judge gave, by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from mabench.families.budget import set_budgets
from mabench.families.cutting import split_before
from mabench.families.family import Family
from mabench.families.prompt_tables import read_prompts
from mabench.families.rubric import JudgePrompt, JudgeVerdict, JudgingInput, Rubric, pass_or_fail
from mabench.scoring.judge_replies import counts

_PROMPTS = Path(__file__).with_name("prompts.toml")
_LINE = re.compile(r"^\[[^\]\n]+\] ", re.MULTILINE)
_METRIC = "judge"
# RealMem's scale: from 0 (contradicts what is known of the user) to 3 (uses all of it).
_BEST_SCORE = 3
# HaluMem's verdicts. Only a correct answer scores.
CORRECT, OMISSION, HALLUCINATION = 2, 1, 0
# In the type of a question that has no answer in the history.
_UNANSWERABLE = re.compile(r"abstention|-abs\b|unanswerable", re.IGNORECASE)


def _judged(name: str, rubric: Rubric) -> Family:
    """Return the family of a benchmark that a judge scores, whose turns begin with ``[date] ``."""
    return Family(
        name=name,
        prompts=read_prompts(name, _PROMPTS),
        units=lambda context: split_before(_LINE, context),
        # Tokens of a chunk and of an answer, by protocol.
        budgets=set_budgets(paper=(512, 500), repository=(4096, 500)),
        metric=_METRIC,
        rubric=rubric,
        repeated_ids="warning",
    )


def _role_of_prompt(case: JudgingInput) -> str:
    """Return the name of the judge's prompt for a question; one without an answer has its own."""
    is_unanswerable = _UNANSWERABLE.search(case.question_type or "")
    return "judge_unanswerable" if is_unanswerable else "judge"


def _pass_or_fail_rubric(name: str) -> Rubric:
    """Return a rubric in which the judge says whether an answer is right, by a family's prompts."""
    return pass_or_fail(read_prompts(f"{name}.judges", _PROMPTS), _role_of_prompt)


def _share_of_best(score: int) -> float:
    """Return the score, from 0 to 1, of a number on RealMem's scale."""
    return score / _BEST_SCORE


def _is_correct(verdict: int) -> float:
    """Return the score of HaluMem's verdict: 1 if it is that an answer is correct, else 0."""
    return float(verdict == CORRECT)


def _graded_rubric(name: str, field: str, most: int, score: Callable[[int], float]) -> Rubric:
    """Return a rubric in which the judge gives one whole number, from 0 to ``most``.

    The number is called ``field`` in the judge's reply, and ``score`` turns it into a score from 0
    to 1. ``name`` is that of the family, whose prompts are used.
    """

    def prompts_for(case: JudgingInput) -> list[JudgePrompt]:
        """Return the one prompt about an answer."""
        memories = "\n".join(f"- {memory}" for memory in case.keypoints)
        slots = {
            "question": case.question,
            "prediction": case.prediction,
            "answer": " or ".join(case.answers),
            "memories": memories or "(none named)",
        }
        shown_texts = list(slots.values())  # What a reply only repeats of these is no verdict.

        def read(reply: str) -> JudgeVerdict | None:
            """Return the judge's number; None if the reply has none, or one above ``most``."""
            numbers = counts(reply, (field,), shown=shown_texts)
            if numbers is None or numbers[0] > most:
                return None
            return {field: numbers[0]}

        return [JudgePrompt("judge", slots, read)]

    return Rubric(
        templates=read_prompts(f"{name}.judges", _PROMPTS),
        prompts_for=prompts_for,
        value=lambda verdict: score(verdict[field]),
        compared=field,
    )


LIFEBENCH = _judged("lifebench", _pass_or_fail_rubric("lifebench"))
CONVOMEM = _judged("convomem", _pass_or_fail_rubric("convomem"))
REALMEM = _judged(
    "realmem", _graded_rubric("realmem", field="score", most=_BEST_SCORE, score=_share_of_best)
)
HALUMEM = _judged(
    "halumem", _graded_rubric("halumem", field="verdict", most=CORRECT, score=_is_correct)
)
LONGMEMEVAL_V2_JUDGED = _judged(
    "longmemeval_v2_judged", _pass_or_fail_rubric("longmemeval_v2_judged")
)
