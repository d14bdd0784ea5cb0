"""Families of benchmarks whose published metric is a language model as judge.

The prompts are ours, so their figures can be compared with each other and not with published ones.
How verdicts become scores is published.
"""

from __future__ import annotations

import re
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
# By RealMem: from 0 (contradicts what is known of the user) to 3 (uses all of it).
_BEST = 3
# By HaluMem.
CORRECT, OMISSION, HALLUCINATION = 2, 1, 0
_ABSTENTION = re.compile(r"abstention|-abs\b|unanswerable", re.IGNORECASE)


def _judged(name: str, rubric: Rubric) -> Family:
    """Return the family of a benchmark whose turns begin with their date."""
    return Family(
        name=name,
        prompts=read_prompts(name, _PROMPTS),
        units=lambda context: split_before(_LINE, context),
        budgets=set_budgets(paper=(512, 500), repository=(4096, 500)),
        metric=_METRIC,
        rubric=rubric,
        repeated_ids="warning",
    )


def _by_kind(case: JudgingInput) -> str:
    """Return the role of the prompt for a question: of one without an answer, or of others."""
    is_unanswerable = _ABSTENTION.search(case.question_type or "")
    return "judge_unanswerable" if is_unanswerable else "judge"


def _passing(name: str) -> Rubric:
    return pass_or_fail(read_prompts(f"{name}.judges", _PROMPTS), _by_kind)


def _graded(name: str, field: str, most: int) -> Rubric:
    """Return a rubric in which the judge gives one number, from 0 to ``most``."""

    def prompts_for(case: JudgingInput) -> list[JudgePrompt]:
        memories = "\n".join(f"- {line}" for line in case.keypoints)
        slots = {
            "question": case.question,
            "prediction": case.prediction,
            "answer": " or ".join(case.answers),
            "memories": memories or "(none named)",
        }
        shown = [*slots.values()]

        def read(reply: str) -> JudgeVerdict | None:
            given = counts(reply, (field,), shown=shown)
            return {field: given[0]} if given and given[0] <= most else None

        return [JudgePrompt("judge", slots, read)]

    def value(verdict: JudgeVerdict) -> float:
        if most == CORRECT:  # Nothing but a correct answer counts.
            return float(verdict[field] == CORRECT)
        return verdict[field] / most

    templates = read_prompts(f"{name}.judges", _PROMPTS)
    return Rubric(templates, prompts_for, value=value, compared=field)


LIFEBENCH = _judged("lifebench", _passing("lifebench"))
CONVOMEM = _judged("convomem", _passing("convomem"))
REALMEM = _judged("realmem", _graded("realmem", "score", _BEST))
HALUMEM = _judged("halumem", _graded("halumem", "verdict", CORRECT))
LONGMEMEVAL_V2_JUDGED = _judged("longmemeval_v2_judged", _passing("longmemeval_v2_judged"))
