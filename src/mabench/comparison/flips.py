"""The questions on which two runs differ."""

from __future__ import annotations

from collections.abc import Iterator

from mabench.comparison.entries import RunEntry
from mabench.comparison.results import Flip, Pair


def find_flips(pair: Pair, score: str) -> Iterator[Flip]:
    """Yield the questions on which the runs of a pair differ, in the order of the data."""
    couple, _ = RunEntry.open_comparable([pair.a, pair.b], score, common=True)
    texts = {sample.key: sample.question for sample in couple[0].runs[0].samples()}
    for name in pair.sources:
        scores = (entry.table(name).scores.mean(axis=0) for entry in couple)
        for key, a, b in zip(sorted(couple[0].questions(name)), *scores, strict=True):
            if a != b:
                place = dict(zip(("split", "row", "question_index"), key, strict=True))
                question = texts[key]
                yield Flip(source=name, **place, question=question, a=float(a), b=float(b))
