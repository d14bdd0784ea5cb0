"""The questions on which two runs differ."""

from __future__ import annotations

from collections.abc import Iterator

from mabench.comparison.entries import RunEntry
from mabench.comparison.results import Flip, Pair


def find_flips(pair: Pair, score: str) -> Iterator[Flip]:
    """Yield the questions on which the runs of a pair differ, in the order of the data.

    Of several builds, the mean scores are compared.
    """
    (first, second), _ = RunEntry.open_comparable([pair.a, pair.b], score, common=True)
    texts = {sample.key: sample.question for sample in first.runs[0].samples()}
    for source in pair.sources:
        keys = sorted(first.questions(source))
        scores_a = first.table(source).scores.mean(axis=0)
        scores_b = second.table(source).scores.mean(axis=0)
        for key, a, b in zip(keys, scores_a, scores_b, strict=True):
            if a != b:
                split, row, question_index = key
                yield Flip(
                    source=source,
                    split=split,
                    row=row,
                    question_index=question_index,
                    question=texts[key],
                    a=float(a),
                    b=float(b),
                )
