"""The answers of two runs to the same questions, as a judge and a person see them.

A person judges most where the judge's verdicts on the two answers differ, since there a difference
of the runs is decided, and some where they agree. Which run an answer is of is never shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.results.judging.by_hand import DrawnAnswer, rank_of, verdicts_of
from mabench.results.records.lines import JudgeName, Judgment, Key, Sample
from mabench.results.records.store import RunFolder
from mabench.results.verdicts import RunVerdicts

# The share of a sample that is drawn where the judge's verdicts differ.
_WHERE_THEY_DIFFER = 0.75


class JudgedPair(NamedTuple):
    """Two runs' answers to a question; one that failed is wrong without a verdict."""

    samples: tuple[Sample, Sample]
    values: tuple[float, float]  # The scores by the judge, from 0 to 1.

    @property
    def key(self) -> Key:
        """What names the question."""
        return self.samples[0].key

    @property
    def differ(self) -> bool:
        """Whether the judge tells the two answers apart."""
        return self.values[0] != self.values[1]


@dataclass(frozen=True, slots=True)
class PairsOfSource:
    """The pairs of a source that one judge has judged."""

    judge: JudgeName
    pairs: list[JudgedPair]


def judged_pairs(one: RunFolder, other: RunFolder) -> dict[str, list[PairsOfSource]]:
    """Return the pairs of two runs by source, for each judge of both; most pairs come first."""
    runs = one, other
    samples = [{sample.key: sample for sample in run.samples()} for run in runs]
    verdicts = [RunVerdicts.of(run).by_judge for run in runs]
    found: dict[str, list[PairsOfSource]] = {}
    for source in verdicts[0].keys() & verdicts[1].keys():
        both = verdicts[0][source].keys() & verdicts[1][source].keys()
        for judge in (name for name in verdicts[0][source] if name in both):
            given = [of_run[source][judge] for of_run in verdicts]
            pairs = []
            for key in samples[0].keys() & samples[1].keys():
                pair = samples[0][key], samples[1][key]
                values = [value_of(sample, of) for sample, of in zip(pair, given, strict=True)]
                if pair[0].source == source and None not in values:
                    pairs.append(JudgedPair(pair, (values[0] or 0.0, values[1] or 0.0)))
            if pairs and not judge.is_person:
                pairs.sort(key=lambda pair: pair.key)
                found.setdefault(source, []).append(PairsOfSource(judge, pairs))
    for judged in found.values():
        judged.sort(key=lambda of_judge: -len(of_judge.pairs))
    return found


def value_of(sample: Sample, given: Mapping[Key, Judgment]) -> float | None:
    """Return the score of an answer by a judge's or a person's verdicts; None without one."""
    if sample.prediction is None:
        return 0.0
    judgment = given.get(sample.key)
    if judgment is None or judgment.value is None or judgment.answer != sample.answer_hash:
        return None
    return float(judgment.value)


def draw_pairs(
    one: RunFolder, other: RunFolder, count: int, name: str, seed: int = 0
) -> list[DrawnAnswer]:
    """Return the answers of two runs that a person judges, the two to a question in any order.

    Args:
        one: a run.
        other: a run on the same questions.
        count: how many questions; fewer if fewer were judged in both.
        name: who judges.
        seed: draws another sample.

    Raises:
        UsageError: when no judge has judged the answers of both runs.
    """
    judged = judged_pairs(one, other)
    if not judged:
        raise UsageError(
            f"no judge has judged both {one.path} and {other.path}; let one judge both first, so "
            "that most answers are drawn where its verdicts differ"
        )
    pairs = [pair for of_source in judged.values() for pair in of_source[0].pairs]
    judge_of = {pair.key: of[0].judge for of in judged.values() for pair in of[0].pairs}
    by_rank = sorted(pairs, key=lambda pair: rank_of(pair.key, seed))
    differing = [pair for pair in by_rank if pair.differ]
    agreeing = [pair for pair in by_rank if not pair.differ]
    wanted = max(round(_WHERE_THEY_DIFFER * count), count - len(agreeing))
    differing = differing[:wanted]
    chosen = [*differing, *agreeing[: count - len(differing)]]
    chosen.sort(key=lambda pair: rank_of(pair.key, seed))
    given = [verdicts_of(run, name) for run in (one, other)]
    drawn: list[DrawnAnswer] = []
    for pair in chosen:
        for sample, folders in _select_shown(pair, (one, other), seed):
            verdicts = [
                of_run.get((sample.key, sample.answer_hash))
                for run, of_run in zip((one, other), given, strict=True)
                if run in folders
            ]
            is_same_in_both = len({*verdicts}) == 1
            drawn.append(
                DrawnAnswer(
                    number=len(drawn) + 1,
                    sample=sample,
                    verdict=verdicts[0] if is_same_in_both else None,
                    folders=folders,
                    drawn_by=judge_of[pair.key],
                )
            )
    return drawn


def _select_shown(
    pair: JudgedPair, runs: tuple[RunFolder, RunFolder], seed: int
) -> list[tuple[Sample, tuple[RunFolder, ...]]]:
    """Return the answers of a pair that are shown, each with the runs whose it is.

    The same answer of both is shown once, and one that failed is not shown.
    """
    answered = [
        (sample, (run,))
        for sample, run in zip(pair.samples, runs, strict=True)
        if sample.prediction is not None
    ]
    first, second = pair.samples
    if len(answered) == 2 and first.prediction == second.prediction:
        return [(first, runs)]
    # Any order, but the same each time: by the last bit of a hash.
    is_swapped = rank_of(pair.key, seed)[-1] % 2 == 1
    return [*reversed(answered)] if is_swapped else [*answered]
