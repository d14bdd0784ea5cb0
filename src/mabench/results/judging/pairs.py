"""Pairs: the answers of two runs to the same questions, which a judge and a person judge.

A person judges most pairs of those on which the judge's verdicts differ, since these decide the
difference of the runs, and some of those on which they agree. Which run an answer is of is never
shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.results.judging.by_hand import DrawnAnswer, rank_of, verdicts_of
from mabench.results.records.lines import JudgeName, Judgment, Key, Sample
from mabench.results.records.store import RunFolder
from mabench.results.verdicts import RunVerdicts

# The share of a sample that is drawn from the pairs on which the judge's verdicts differ.
_DIFFERING_SHARE = 0.75


class JudgedPair(NamedTuple):
    """Two runs' answers to a question, in the order of the runs.

    A question that failed scores 0 without a verdict.
    """

    samples: tuple[Sample, Sample]
    values: tuple[float, float]  # The scores by the judge, from 0 to 1.

    @property
    def key(self) -> Key:
        """What names the question."""
        return self.samples[0].key

    @property
    def differ(self) -> bool:
        """Whether the judge gives the two answers different scores."""
        return self.values[0] != self.values[1]


@dataclass(frozen=True, slots=True)
class PairsOfSource:
    """The pairs of a source that one judge has judged."""

    judge: JudgeName
    pairs: list[JudgedPair]


def judged_pairs(one: RunFolder, other: RunFolder) -> dict[str, list[PairsOfSource]]:
    """Return the pairs of two runs by source, for each judge that judged both runs.

    The judge with most pairs of a source comes first.
    """
    samples = list(_samples_of_both(one, other))
    of_one, of_other = RunVerdicts.of(one).by_judge, RunVerdicts.of(other).by_judge
    pairs_by_source: dict[str, list[PairsOfSource]] = {}
    for source in of_one:
        if source not in of_other:
            continue
        samples_of_source = [pair for pair in samples if pair[0].source == source]
        for judge in of_one[source]:
            if judge.is_person or judge not in of_other[source]:
                continue
            judgments = of_one[source][judge], of_other[source][judge]
            pairs = _pairs_of(samples_of_source, judgments)
            if pairs:
                pairs_by_source.setdefault(source, []).append(PairsOfSource(judge, pairs))
    for judges in pairs_by_source.values():
        judges.sort(key=lambda of_judge: len(of_judge.pairs), reverse=True)
    return pairs_by_source


def _samples_of_both(one: RunFolder, other: RunFolder) -> Iterator[tuple[Sample, Sample]]:
    """Yield the samples of the questions that both runs have, in the order of the questions."""
    samples = {sample.key: sample for sample in one.samples()}
    other_samples = {sample.key: sample for sample in other.samples()}
    for key in sorted(samples.keys() & other_samples.keys()):
        yield samples[key], other_samples[key]


def _pairs_of(
    samples: Iterable[tuple[Sample, Sample]],
    judgments: tuple[Mapping[Key, Judgment], Mapping[Key, Judgment]],
) -> list[JudgedPair]:
    """Return the pairs of samples of which a judge has judged both; its judgments are by run."""
    pairs = []
    for first, second in samples:
        first_score = score_of(first, judgments[0])
        second_score = score_of(second, judgments[1])
        if first_score is not None and second_score is not None:
            pairs.append(JudgedPair((first, second), (first_score, second_score)))
    return pairs


def score_of(sample: Sample, judgments: Mapping[Key, Judgment]) -> float | None:
    """Return the score of an answer by a judge's or a person's judgments; None without one.

    A judgment of another answer to the question does not count. A question that failed scores 0.
    """
    if sample.prediction is None:
        return 0.0
    judgment = judgments.get(sample.key)
    if judgment is None or judgment.value is None or judgment.answer != sample.answer_hash:
        return None
    return float(judgment.value)


def draw_pairs(
    one: RunFolder, other: RunFolder, count: int, name: str, seed: int = 0
) -> list[DrawnAnswer]:
    """Return the answers of two runs that a person judges.

    The two answers to a question follow each other, in any order.

    Args:
        one: a run.
        other: a run on the same questions.
        count: how many questions; fewer if fewer were judged in both.
        name: who judges.
        seed: draws another sample.

    Raises:
        UsageError: when no judge has judged the answers of both runs.
    """
    pairs_by_source = judged_pairs(one, other)
    if not pairs_by_source:
        raise UsageError(
            f"no judge has judged both {one.path} and {other.path}; let one judge both first, so "
            "that most answers are drawn where its verdicts differ"
        )
    judge_by_key: dict[Key, JudgeName] = {}
    pairs: list[JudgedPair] = []
    for judges in pairs_by_source.values():
        of_most = judges[0]  # The judge with most pairs of the source.
        pairs += of_most.pairs
        judge_by_key |= {pair.key: of_most.judge for pair in of_most.pairs}
    verdicts_by_run = [(run, verdicts_of(run, name)) for run in (one, other)]
    drawn: list[DrawnAnswer] = []
    for pair in _choose_pairs(pairs, count, seed):
        for shown in _select_shown(pair, (one, other), seed):
            answer_name = shown.sample.key, shown.sample.answer_hash
            verdicts = {
                of_run.get(answer_name) for run, of_run in verdicts_by_run if run in shown.folders
            }
            drawn.append(
                DrawnAnswer(
                    number=len(drawn) + 1,
                    sample=shown.sample,
                    # An answer of both runs was judged if both have the same verdict.
                    verdict=verdicts.pop() if len(verdicts) == 1 else None,
                    folders=shown.folders,
                    drawn_by=judge_by_key[pair.key],
                )
            )
    return drawn


def _choose_pairs(pairs: Sequence[JudgedPair], count: int, seed: int) -> list[JudgedPair]:
    """Return ``count`` pairs at random, most of them of those on which the judge's verdicts differ.

    There are fewer if there are not so many. If one part has too few pairs, the other gives more.
    """
    shuffled = sorted(pairs, key=lambda pair: rank_of(pair.key, seed))
    differing = [pair for pair in shuffled if pair.differ]
    agreeing = [pair for pair in shuffled if not pair.differ]
    wanted = max(round(_DIFFERING_SHARE * count), count - len(agreeing))
    chosen = differing[:wanted]
    chosen += agreeing[: count - len(chosen)]
    return sorted(chosen, key=lambda pair: rank_of(pair.key, seed))


class _ShownAnswer(NamedTuple):
    """An answer that a person is shown, with the runs that gave it."""

    sample: Sample
    folders: tuple[RunFolder, ...]


def _select_shown(
    pair: JudgedPair, runs: tuple[RunFolder, RunFolder], seed: int
) -> list[_ShownAnswer]:
    """Return the answers of a pair that a person is shown.

    The same answer of both is shown once, and a question that failed is not shown.
    """
    first, second = pair.samples
    has_both = first.prediction is not None and second.prediction is not None
    if has_both and first.prediction == second.prediction:
        return [_ShownAnswer(first, runs)]
    shown = [
        _ShownAnswer(sample, (run,))
        for sample, run in zip(pair.samples, runs, strict=True)
        if sample.prediction is not None
    ]
    # Any order, but the same each time: by the last bit of a hash.
    is_swapped = rank_of(pair.key, seed)[-1] % 2 == 1
    return list(reversed(shown)) if is_swapped else shown
