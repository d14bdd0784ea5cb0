"""The family of BEAM: how its questions are asked and judged.

A judge gives every line of the rubric 0, 0.5 or 1. The published score rounds down, so 0.5 counts
as 0; the corrected score does not. A question without a rubric, as in a user's own rows, is judged
by its golds, one line each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from mabench.families.budget import set_budgets
from mabench.families.cutting import split_before
from mabench.families.family import Family
from mabench.families.prompt_tables import read_prompts
from mabench.families.row_checks import needs_metadata
from mabench.families.rubric import JudgePrompt, JudgeVerdict, JudgingInput, Rubric
from mabench.scoring.judge_replies import line_verdict, order_score, order_verdict

_PROMPTS = Path(__file__).with_name("prompts.toml")
_ORDERING = "event_ordering"
# A message's line begins with the date or the name of its batch.
_MESSAGE = re.compile(r"^\[[^\]\n]+\] (?:user|assistant): ", re.MULTILINE)


def _prompts_for(case: JudgingInput) -> list[JudgePrompt]:
    """Return a prompt for each line of the rubric, or one for the order of events."""
    lines = case.keypoints or case.answers
    slots = {"question": case.question, "prediction": case.prediction}
    shown = [case.prediction, case.question, *lines]
    if case.question_type == _ORDERING and lines:
        numbered = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))
        return [
            JudgePrompt(
                "judge_order", {**slots, "lines": numbered}, partial(_read_order, len(lines), shown)
            )
        ]
    return [
        JudgePrompt("judge_line", {**slots, "line": line}, partial(_read_line, number, shown))
        for number, line in enumerate(lines, start=1)
    ]


def _read_line(number: int, shown: Sequence[str], reply: str) -> JudgeVerdict | None:
    """Return the verdict on a line, in halves; None if the reply cannot be read."""
    halves = line_verdict(reply, shown)
    return None if halves is None else {f"line_{number}": halves}


def _read_order(lines: int, shown: Sequence[str], reply: str) -> JudgeVerdict | None:
    """Return the verdict on the order of lines; None if the reply cannot be read."""
    order = order_verdict(reply, lines, shown)
    if order is None:
        return None
    # The place of each line in the answer, from 1; 0 if it is missing.
    verdict = {
        f"place_{line}": order.index(line) + 1 if line in order else 0
        for line in range(1, lines + 1)
    }
    return {**verdict, "items": len(order)}


def _value(verdict: JudgeVerdict) -> float:
    """Return the corrected score of a verdict; 0 for an order of which nothing is told."""
    if "items" in verdict:
        return order_score(_places(verdict), verdict["items"]) if any(_places(verdict)) else 0.0
    return sum(verdict.values()) / (2 * len(verdict))


def _published_value(verdict: JudgeVerdict) -> float:
    """Return the published score of a verdict, which rounds halves down."""
    if "items" in verdict:
        return order_score(_places(verdict), verdict["items"])
    return sum(halves // 2 for halves in verdict.values()) / len(verdict)


def _places(verdict: JudgeVerdict) -> list[int]:
    return [verdict[f"place_{line}"] for line in range(1, len(verdict))]


FAMILY = Family(
    name="beam",
    prompts=read_prompts("beam", _PROMPTS),
    units=lambda context: split_before(_MESSAGE, context),
    budgets=set_budgets(paper=(2048, 500), repository=(4096, 500)),
    metric="rubric_score",
    row_checks=(needs_metadata("beam", "rubrics"),),
    rubric=Rubric(
        templates=read_prompts("beam.judges", _PROMPTS),
        prompts_for=_prompts_for,
        value=_value,
        compared="line_1",
        published=_published_value,
    ),
)
