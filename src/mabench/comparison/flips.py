"""The questions that one run got and another did not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mabench.comparison.entries import open_entry
from mabench.comparison.results import Pair
from mabench.results import JsonRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip(JsonRecord):
    """A question on which two runs differ.

    Attributes:
        source, split, row, question_index: the place of the question.
        question: its text.
        a, b: the scores of the two runs, from 0 to 1; of several builds their mean.
    """

    source: str
    split: str
    row: int
    question_index: int
    question: str
    a: float
    b: float


def flipped(pair: Pair, score: str) -> Iterator[Flip]:
    """Yield the questions on which the runs of a pair differ, in the order of the data."""
    one, other = (open_entry(name, score) for name in (pair.a, pair.b))
    texts = {sample.key: sample.question for sample in one.run.samples()}
    for name in pair.sources:
        questions = sorted(one.questions(name))
        scores = [entry.scores(name, questions).mean(axis=0) for entry in (one, other)]
        for key, a, b in zip(questions, *scores, strict=True):
            if a != b:
                split, row, index = key
                yield Flip(
                    source=name,
                    split=split,
                    row=row,
                    question_index=index,
                    question=texts[key],
                    a=float(a),
                    b=float(b),
                )
