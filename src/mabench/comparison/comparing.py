"""Paired differences between runs on the same questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean, stdev

from mabench.comparison.entries import SCORES, Entry, open_entry
from mabench.comparison.pairs import compare_pair
from mabench.comparison.results import ComparedRun, Comparison, Flip, Pair
from mabench.errors import UsageError
from mabench.results import Run
from mabench.suggestions import unknown
from mabench.uncertainty import ALPHA, holm


def compare(
    runs: Sequence[Run | Path | str],
    *,
    baseline: Run | Path | str | None = None,
    score: str = "official",
) -> Comparison:
    """Compare runs on the same questions.

    Each run is a ``Run`` or its folder; the folder of a repeated run stands for all its builds.

    Args:
        runs: at least two runs, or one with a baseline.
        baseline: a run with which each of the others is compared; else every pair is.
        score: ``official`` or ``corrected``.

    Returns:
        The differences of each pair in points, those of the first run less the second.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when there are too few runs, or runs that are unfinished or differ in data,
            protocol or questions, or have no scored source in common.
    """
    if score not in SCORES:
        raise UsageError(unknown("unknown score", score, SCORES), parameter="score")
    entries = [open_entry(run, score) for run in [*runs, *([baseline] if baseline else [])]]
    _check_comparable(entries)
    sources = _common_sources(entries)
    if baseline:
        couples = [(entry, entries[-1]) for entry in entries[:-1]]
    else:
        couples = list(combinations(entries, 2))
    pairs = [compare_pair(a, b, sources) for a, b in couples]
    adjusted = holm([pair.headline.p for pair in pairs])
    pairs = [pair.with_adjusted(p) for pair, p in zip(pairs, adjusted, strict=True)]
    best = {entry.name for entry in entries} if baseline else _best(entries, pairs)
    return Comparison(
        score=score,
        runs=tuple(_describe(entry, sources, entry.name in best) for entry in entries),
        pairs=tuple(pairs),
    )


def flipped(pair: Pair, score: str) -> Iterator[Flip]:
    """Yield the questions on which the runs of a pair differ, in the order of the data."""
    first, second = (open_entry(name, score) for name in (pair.a, pair.b))
    texts = {sample.key: sample.question for sample in first.run.samples()}
    for name in pair.sources:
        questions = sorted(first.questions(name))
        scores = [entry.scores(name, questions).mean(axis=0) for entry in (first, second)]
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


def _check_comparable(entries: Sequence[Entry]) -> None:
    if len(entries) < 2:
        raise UsageError("a comparison takes two runs at least; name another, or a `baseline`")
    names = [entry.name for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"{name} is named twice; a run is not compared with itself, so name it once, as a "
                "run or as the `baseline`"
            )
    first = entries[0]
    for other in entries[1:]:
        a, b = first.record, other.record
        differences = {
            "protocol": a.protocol != b.protocol,
            "chunk tokens": a.chunk_tokens != b.chunk_tokens,
            "prompts": a.prompts != b.prompts,
            "data": a.data.fingerprint != b.data.fingerprint,
        }
        if any(differences.values()):
            raise UsageError(
                f"{first.name} and {other.name} cannot be compared: they differ in "
                f"{', '.join(name for name, differs in differences.items() if differs)}"
            )
        for name in first.builds[0]:
            if name in other.builds[0] and first.questions(name) != other.questions(name):
                raise UsageError(
                    f"{first.name} and {other.name} cannot be compared: they were asked "
                    f"different questions of {name}"
                )


def _common_sources(entries: Sequence[Entry]) -> list[str]:
    """Return the sources that can be compared; note in each run why others cannot."""
    first, sources = entries[0], []
    for name in dict.fromkeys(name for entry in entries for name in entry.record.questions):
        judges = {entry.judges.get(name) for entry in entries}
        if all(name in entry.builds[0] for entry in entries) and len(judges) == 1:
            sources.append(name)
    if not sources:
        reasons = dict.fromkeys(reason for entry in entries for reason in entry.without.values())
        raise UsageError(
            f"{first.name} and the other runs have no source in common that all have a score of"
            + "".join(f"; {reason}" for reason in reasons)
        )
    return sources


def _best(entries: Sequence[Entry], pairs: Sequence[Pair]) -> set[str]:
    """Return the runs that are not shown to be worse than the best."""
    means: dict[str, float] = {}
    for pair in pairs:
        means[pair.a], means[pair.b] = pair.headline.a, pair.headline.b
    best = max(means, key=means.__getitem__)
    worse = {
        pair.b if pair.a == best else pair.a
        for pair in pairs
        if best in (pair.a, pair.b) and pair.headline.adjusted_p < ALPHA
    }
    return {entry.name for entry in entries} - worse


def _describe(entry: Entry, sources: Sequence[str], among_best: bool) -> ComparedRun:
    means = [100 * mean for mean in entry.mean(sources)]
    reasons = dict.fromkeys(entry.builds[0], "another run has no score of it")
    reasons.update(entry.without)
    return ComparedRun(
        run=entry.name,
        agent=entry.record.agent,
        builds=len(entry.builds),
        mean=fmean(means),
        build_deviation=stdev(means) if len(means) > 1 else None,
        not_compared={name: why for name, why in reasons.items() if name not in sources},
        among_best=among_best,
        calls=entry.calls,
        summaries=tuple(entry.summaries),
    )
