"""How a language model settles the answers that no rule of the corrected score can tell."""

from __future__ import annotations

from mabench.families.family import JudgePrompt, JudgingInput, Rubric
from mabench.scoring import yes_or_no

ROLE = "judge_unclear"

_TEMPLATE = """\
Below are a question, its accepted answers, and the reply that somebody gave. Decide whether the \
reply comes to one of the accepted answers in the end. Other words, another spelling and more \
detail are fine, as long as they say the same. A reply that only mentions an accepted answer, \
takes it back, or leaves it open beside others does not come to it.

Question: {question}

Accepted answers: {answers}

Reply: {prediction}

Does the reply come to an accepted answer? Say yes or no, and nothing else."""


def _prompts_for(case: JudgingInput) -> list[JudgePrompt]:
    slots = {
        "question": case.question,
        "answers": " | ".join(dict.fromkeys(case.answers)),
        "prediction": case.prediction,
    }
    return [JudgePrompt(ROLE, slots, _read)]


def _read(reply: str) -> dict[str, int] | None:
    said = yes_or_no(reply)
    return None if said is None else {"correct": int(said)}


UNCLEAR = Rubric(
    templates={ROLE: _TEMPLATE},
    prompts_for=_prompts_for,
    value=lambda verdict: float(verdict["correct"]),
    compared="correct",
)
