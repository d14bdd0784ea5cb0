"""Compares the answers of several memories with each other, since no right answers are known.

They are answers that a language model made from what each memory retrieved for the same questions.
"""

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
    """Return the answers of each run by question, by the name of its agent.

    A run without a language model is left out: its agent only retrieves. So are failed answers.
    """
    return {
        agent: {sample.key: sample.prediction or "" for sample in _answered_samples(run)}
        for agent, run in runs.items()
        if run.record.model is not None
    }


def share_same(first: Mapping[Key, str], second: Mapping[Key, str]) -> float | None:
    """Return the percentage of questions with the same answer in both, of those with an answer.

    Case, punctuation and articles make no difference. Return None if no question has two answers.
    """
    answered_by_both = first.keys() & second.keys()
    if not answered_by_both:
        return None
    same = sum(normalize(first[key]) == normalize(second[key]) for key in answered_by_both)
    return _PERCENT * same / len(answered_by_both)


def find_differing(
    runs: Mapping[str, Run], answers: Mapping[str, Mapping[Key, str]]
) -> tuple[DifferingAnswers, ...]:
    """Return the first questions whose answers differ by more than form, in the order of the data.

    Args:
        runs: the runs, by the names of their agents.
        answers: what ``read_answers`` returns for them.
    """
    agents = list(answers)
    if not agents:
        return ()
    # All runs were asked the same questions, so the first run gives their texts and order.
    differing = _iterate_differing(runs[agents[0]], answers)
    return tuple(islice(differing, _LISTED))


def _iterate_differing(
    run: Run, answers: Mapping[str, Mapping[Key, str]]
) -> Iterator[DifferingAnswers]:
    """Yield the questions of a run whose answers differ between agents."""
    for sample in _answered_samples(run):
        by_agent = {
            agent: answers_of_agent[sample.key]
            for agent, answers_of_agent in answers.items()
            if sample.key in answers_of_agent
        }
        if len({normalize(answer) for answer in by_agent.values()}) > 1:
            yield DifferingAnswers(
                question=sample.question, known=reply_of(sample.answers), answers=by_agent
            )


def _answered_samples(run: Run) -> Iterator[Sample]:
    """Yield the samples of a run whose answer did not fail."""
    return (sample for sample in run.samples() if sample.error is None)
