"""InfiniteBench: Write a summary of a whole novel.

The question gives the task and two worked examples. The paper scores a summary by a language
model's verdicts on fluency, key points and supported sentences; text metrics are reported as well.
"""

from __future__ import annotations

from mabench.families.budget import set_budgets
from mabench.families.cutting import split_paragraphs
from mabench.families.family import Family
from mabench.families.prompt_tables import read_prompts
from mabench.families.row_checks import needs_metadata
from mabench.families.rubric import JudgePrompt, JudgeVerdict, JudgingInput, Rubric
from mabench.scoring.judge_replies import counts, flag, summary_score


def _prompts_for(case: JudgingInput) -> list[JudgePrompt]:
    """Return the three prompts for a summary; none if the question has no key points."""
    points = case.keypoints
    if not points:
        return []
    numbered = "\n".join(f"{number}. {point}" for number, point in enumerate(points, start=1))
    summary = {"prediction": case.prediction}
    with_points = {**summary, "keypoints": numbered}
    with_reference = {**summary, "answer": case.answers[0]}
    shown = [case.prediction, case.answers[0], *points]

    # Each number may have two names in a reply: ours, and that of the published judge.
    def read_fluency(reply: str) -> JudgeVerdict | None:
        fluent = flag(reply, ("fluent", "fluency"), shown)
        return None if fluent is None else {"fluent": fluent}

    def read_points(reply: str) -> JudgeVerdict | None:
        numbers = counts(reply, ("found", "recall"), shown=shown)
        if not numbers:
            return None
        (found,) = numbers
        return {"found": min(found, len(points)), "keypoints": len(points)}

    def read_sentences(reply: str) -> JudgeVerdict | None:
        names = ("supported", "precision"), ("sentences", "sentence_count")
        numbers = counts(reply, *names, shown=shown)
        if not numbers:
            return None
        supported, sentences = numbers
        return {"supported": min(supported, sentences), "sentences": sentences}

    return [
        JudgePrompt("judge_fluency", summary, read_fluency),
        JudgePrompt("judge_keypoints", with_points, read_points),
        JudgePrompt("judge_sentences", with_reference, read_sentences),
    ]


FAMILY = Family(
    name="infbench",
    prompts=read_prompts("infbench"),
    units=split_paragraphs,
    budgets=set_budgets(paper=(4096, 1200), repository=(4096, 1200)),
    metric="judge_f1",
    rubric=Rubric(
        templates=read_prompts("infbench.judges"),
        prompts_for=_prompts_for,
        value=lambda verdict: summary_score(**verdict),
        compared="fluent",
    ),
    row_checks=(needs_metadata("infbench", "keypoints"),),
    repeated_ids="warning",  # Whether they restart in every row is not documented.
)
