"""What a model answered with the passages of several memories, compared without right answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from mabench.json_text import JsonRecord
from mabench.observing.asked import reply_of
from mabench.results import Key, Run, Sample
from mabench.scoring import normalize

_PERCENT = 100
_LISTED = 20  # Questions that are listed as examples.


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferingAnswers(JsonRecord):
    """A question to which a model gives different answers with different memories."""

    question: str
    known: str | None  # What was said next, or the answer of the sheet; null if nobody replied.
    answers: Mapping[str, str]  # The answers, by agent.


def read_answers(runs: Mapping[str, Run]) -> dict[str, dict[Key, str]]:
    """Return the answers of each run for which a model read, by the name of its agent."""
    return {
        name: {one.key: one.prediction or "" for one in _answered(run)}
        for name, run in runs.items()
        if run.record.model is not None
    }


def share_same(first: Mapping[Key, str], second: Mapping[Key, str]) -> float | None:
    """Return how many of 100 answers are the same in both; None if no question has two."""
    both = first.keys() & second.keys()
    same = sum(normalize(first[key]) == normalize(second[key]) for key in both)
    return _PERCENT * same / len(both) if both else None


def find_differing(
    runs: Mapping[str, Run], answers: Mapping[str, Mapping[Key, str]]
) -> tuple[DifferingAnswers, ...]:
    """Return the first questions with answers that differ by more than form, in stored order."""
    first = next(iter(answers), None)
    if first is None:
        return ()
    return tuple(islice(_differing(runs[first], answers), _LISTED))


def _differing(run: Run, answers: Mapping[str, Mapping[Key, str]]) -> Iterator[DifferingAnswers]:
    for sample in _answered(run):
        given = {name: own[sample.key] for name, own in answers.items() if sample.key in own}
        if len({normalize(answer) for answer in given.values()}) > 1:
            yield DifferingAnswers(
                question=sample.question, known=reply_of(sample.answers), answers=given
            )


def _answered(run: Run) -> Iterator[Sample]:
    return (sample for sample in run.samples() if sample.error is None)
