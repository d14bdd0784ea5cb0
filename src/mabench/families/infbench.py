"""InfiniteBench summaries: write a summary of a whole novel.

The question gives the task and two worked examples. The paper scores the summary by a language
model's verdicts on fluency, key points and supported sentences; the text metrics stand beside.
"""

from __future__ import annotations

from mabench.families.family import Family, JudgePrompt, JudgingInput, Rubric, Verdict, budgets
from mabench.families.parts import needs_metadata, paragraphs, read_prompts
from mabench.scoring import counts, summary_score


def _prompts_for(case: JudgingInput) -> list[JudgePrompt]:
    points = case.keypoints
    if not points:
        return []
    numbered = "\n".join(f"{number}. {point}" for number, point in enumerate(points, start=1))
    summary = {"prediction": case.prediction}
    with_points = {**summary, "keypoints": numbered}
    sentences = {**summary, "answer": case.answers[0]}

    # The second name of each number is that of the published judge's replies.
    def read_fluency(reply: str) -> Verdict | None:
        numbers = counts(reply, ("fluent", "fluency"))
        return {"fluent": min(numbers[0], 1)} if numbers else None

    def read_points(reply: str) -> Verdict | None:
        numbers = counts(reply, ("found", "recall"))
        return (
            {"found": min(numbers[0], len(points)), "keypoints": len(points)} if numbers else None
        )

    def read_sentences(reply: str) -> Verdict | None:
        numbers = counts(reply, ("supported", "precision"), ("sentences", "sentence_count"))
        return {"supported": min(numbers), "sentences": numbers[1]} if numbers else None

    return [
        JudgePrompt("judge_fluency", summary, read_fluency),
        JudgePrompt("judge_keypoints", with_points, read_points),
        JudgePrompt("judge_sentences", sentences, read_sentences),
    ]


FAMILY = Family(
    name="infbench",
    prompts=read_prompts("infbench"),
    units=paragraphs,
    budgets=budgets(paper=(4096, 1200), repository=(4096, 1200)),
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
