"""BEAM: questions of ten abilities about long chats, each judged by a rubric of its own.

A judge gives every line of the rubric 0, 0.5 or 1. The published score takes the whole part, so
that 0.5 counts 0 there; the corrected one takes it as it is. A question without a rubric, as rows
of one's own may have, is judged by its answers, a line each.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from mabench.families.family import Family, JudgePrompt, JudgingInput, Rubric, Verdict, budgets
from mabench.families.parts import needs_metadata, read_prompts, split_before
from mabench.scoring import line_verdict, order_score, order_verdict

_PROMPTS = Path(__file__).with_name("prompts.toml")
_ORDERING = "event_ordering"
# A message's line begins with the date or the name of its batch.
_MESSAGE = re.compile(r"^\[[^\]\n]+\] (?:user|assistant): ", re.MULTILINE)


def _prompts_for(case: JudgingInput) -> list[JudgePrompt]:
    lines = case.keypoints or case.answers
    slots = {"question": case.question, "prediction": case.prediction}
    if case.question_type == _ORDERING and lines:
        numbered = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))
        return [
            JudgePrompt("judge_order", {**slots, "lines": numbered}, partial(_order, len(lines)))
        ]
    return [
        JudgePrompt("judge_line", {**slots, "line": line}, partial(_line, number))
        for number, line in enumerate(lines, start=1)
    ]


def _line(number: int, reply: str) -> Verdict | None:
    halves = line_verdict(reply)
    return None if halves is None else {f"line_{number}": halves}


def _order(lines: int, reply: str) -> Verdict | None:
    order = order_verdict(reply, lines)
    if order is None:
        return None
    places = {f"place_{n}": order.index(n) + 1 if n in order else 0 for n in range(1, lines + 1)}
    return {**places, "items": len(order)}


def _value(verdict: Verdict) -> float:
    if "items" in verdict:
        lines = range(1, len(verdict))
        return order_score([verdict[f"place_{n}"] for n in lines], verdict["items"])
    return sum(verdict.values()) / (2 * len(verdict))


def _official(verdict: Verdict) -> float:
    if "items" in verdict:
        return _value(verdict)
    return sum(halves // 2 for halves in verdict.values()) / len(verdict)


FAMILY = Family(
    name="beam",
    prompts=read_prompts("beam", _PROMPTS),
    units=lambda context: split_before(_MESSAGE, context),
    budgets=budgets(paper=(2048, 500), repository=(4096, 500)),
    metric="rubric_score",
    row_checks=(needs_metadata("beam", "rubrics"),),
    rubric=Rubric(
        templates=read_prompts("beam.judges", _PROMPTS),
        prompts_for=_prompts_for,
        value=_value,
        compared="line_1",
        published=_official,
    ),
)
