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
    """Return a prompt for each line of the rubric; for the order of events, one for all lines.

    ``partial`` leaves a function that reads the judge's reply to the prompt into a verdict.
    """
    lines = case.keypoints or case.answers
    slots = {"question": case.question, "prediction": case.prediction}
    shown_texts = [case.prediction, case.question, *lines]
    if case.question_type == _ORDERING and lines:
        numbered = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))
        read_order = partial(_read_order, len(lines), shown_texts)
        return [JudgePrompt("judge_order", {**slots, "lines": numbered}, read_order)]
    prompts = []
    for number, line in enumerate(lines, start=1):
        read_line = partial(_read_line, number, shown_texts)
        prompts.append(JudgePrompt("judge_line", {**slots, "line": line}, read_line))
    return prompts


def _read_line(number: int, shown_texts: Sequence[str], reply: str) -> JudgeVerdict | None:
    """Return the judge's score for the line with a number, in halves: 0, 1 or 2.

    Returns None if the reply cannot be read. What it repeats of the shown texts does not count.
    """
    halves = line_verdict(reply, shown_texts)
    return None if halves is None else {f"line_{number}": halves}


def _read_order(line_count: int, shown_texts: Sequence[str], reply: str) -> JudgeVerdict | None:
    """Return where the answer tells each line of the rubric, and how many items it has.

    ``place_1`` is the place of the first line among the answer's items, from 1; 0 if the answer
    does not tell it. Returns None if the reply cannot be read.
    """
    line_of_each_item = order_verdict(reply, line_count, shown_texts)
    if line_of_each_item is None:
        return None
    verdict = {}
    for line in range(1, line_count + 1):
        is_told = line in line_of_each_item
        verdict[f"place_{line}"] = line_of_each_item.index(line) + 1 if is_told else 0
    return {**verdict, "items": len(line_of_each_item)}


def _is_about_order(verdict: JudgeVerdict) -> bool:
    """Return whether a verdict was read by ``_read_order``, not by ``_read_line``."""
    return "items" in verdict


def _corrected_score(verdict: JudgeVerdict) -> float:
    """Return the corrected score of a verdict, from 0 to 1: the mean of its lines, or its order.

    An order of which no line is told scores 0.
    """
    if _is_about_order(verdict):
        return _order_score(verdict) if any(_places(verdict)) else 0.0
    return sum(verdict.values()) / (2 * len(verdict))


def _published_score(verdict: JudgeVerdict) -> float:
    """Return the published score of a verdict: a line that is half right counts as wrong."""
    if _is_about_order(verdict):
        return _order_score(verdict)
    full_lines = sum(halves == 2 for halves in verdict.values())
    return full_lines / len(verdict)


def _order_score(verdict: JudgeVerdict) -> float:
    """Return the score of an order, as ``order_score`` defines it."""
    return order_score(_places(verdict), verdict["items"])


def _places(verdict: JudgeVerdict) -> list[int]:
    """Return the places of the lines that ``_read_order`` found."""
    line_count = len(verdict) - 1  # All numbers but that of the items are places.
    return [verdict[f"place_{line}"] for line in range(1, line_count + 1)]


FAMILY = Family(
    name="beam",
    prompts=read_prompts("beam", _PROMPTS),
    units=lambda context: split_before(_MESSAGE, context),
    # Tokens of a chunk and of an answer, by protocol.
    budgets=set_budgets(paper=(2048, 500), repository=(4096, 500)),
    metric="rubric_score",
    row_checks=(needs_metadata("beam", "rubrics"),),
    rubric=Rubric(
        templates=read_prompts("beam.judges", _PROMPTS),
        prompts_for=_prompts_for,
        value=_corrected_score,
        compared="line_1",
        published=_published_score,
    ),
)
