"""What a language model passes as a judge, on answers of which the truth is known.

The questions are made-up ones of LongMemEval's kinds. Each gets five answers: its gold, the gold in
a sentence, the gold of another question, "I do not know.", and the question itself. The first two
are right. The model is asked as ``mabench judge`` asks it, up to three times where a reply holds no
verdict. Each verdict is printed as a line of JSON, and at the end a table by kind of answer:

    mabench generate "longmemeval_s*" --tokens 8k --rows 4 --questions 15 --seed 55 --out rows
    python benchmarks/judge.py --data rows --model local [--questions 40] [--skip N] [--cache]

With ``--cache``, replies are kept, and a call after one that was stopped goes on. ``--skip`` leaves
out the first answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import mabench
from mabench.data import Question
from mabench.families import JudgingInput, Prompts, family_of
from mabench.models import ReadingModel
from mabench.specs import ModelSpec

_SOURCE = "longmemeval_s*"
_TOKENS = 16  # Of a reply. The published judge's has 10; a small model fills any limit.
_ATTEMPTS, _WARMER = 3, 0.4
_SHOWN = 100  # Characters of a reply.
RIGHT = ("the gold", "the gold in a sentence")
_NAMES = {1: "passed", 0: "rejected", None: "no verdict"}


class Case(NamedTuple):
    """An answer to a question."""

    question: Question
    kind: str
    prediction: str


def list_cases(questions: list[Question]) -> Iterator[Case]:
    """Yield five answers to each question, those of one question together."""
    for number, question in enumerate(questions):
        gold = question.answers[0]
        other = next(
            one.answers[0]
            for one in questions[number + 1 :] + questions[:number]
            if one.answers[0].lower() != gold.lower()
        )
        asked = question.question.rpartition("Now Answer the Question:")[2].strip()
        answers = {
            "the gold": gold,
            "the gold in a sentence": f"From what you told me, it is {gold}.",
            "another question's gold": other,
            "I do not know": "I do not know.",
            "the question itself": asked,
        }
        for kind, prediction in answers.items():
            yield Case(question, kind, prediction)


async def judge(model: ReadingModel, prompts: Prompts, case: Case) -> tuple[int | None, str]:
    """Return a verdict, None if there is none in three replies, and the last reply."""
    family = family_of(_SOURCE)
    assert family.rubric is not None
    question = case.question
    about = question.question_id, question.question_type, ()
    shown = JudgingInput(question.question, question.answers, case.prediction, *about)
    (prompt,) = family.rubric.prompts_for(shown)
    text, reply = prompts.ask_judge(family.name, prompt), ""
    for attempt in range(_ATTEMPTS):
        heat = _WARMER * attempt
        reply = (await model.reply(text, _TOKENS, temperature=heat, attempt=attempt)).text
        if (verdict := prompt.read(reply)) is not None:
            return verdict["correct"], reply
    return None, reply


async def run(model: ReadingModel, cases: Iterable[Case]) -> Mapping[str, Counter[str]]:
    """Print each verdict, and return how many there are of each, by kind of answer."""
    prompts = Prompts.load(None, {})
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        verdict, reply = await judge(model, prompts, case)
        counts.setdefault(case.kind, Counter())[_NAMES[verdict]] += 1
        line = {
            "id": case.question.question_id,
            "kind": case.kind,
            "right": case.kind in RIGHT,
            "prediction": case.prediction,
            "verdict": verdict,
            "reply": reply[:_SHOWN],
        }
        print(json.dumps(line, ensure_ascii=False), flush=True)
    await model.close()
    return counts


def main() -> None:
    """Judge, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", default="local")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--skip", type=int, default=0, help="answers, five to a question")
    parser.add_argument("--data", required=True, help="rows of LongMemEval, as generate makes them")
    parser.add_argument("--cache", action="store_true")
    given = parser.parse_args()
    dataset = mabench.load(given.data)
    asked = [one for row in dataset.rows([_SOURCE]) for one in row.flatten()]
    asked = [one for one in asked if "_abs" not in (one.question_id or "")][: given.questions]
    model = ReadingModel.open(ModelSpec(given.model, cache=given.cache))
    counts = asyncio.run(run(model, islice(list_cases(asked), given.skip, None)))
    print(f"| answer | {' | '.join(_NAMES.values())} |")
    for kind, each in counts.items():
        print(f"| {kind} | {' | '.join(str(each[name]) for name in _NAMES.values())} |")


if __name__ == "__main__":
    main()
