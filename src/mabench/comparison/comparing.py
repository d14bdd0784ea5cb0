"""Comparing runs on the same questions: the entry point."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from mabench.comparison.adjusting import adjust_holm
from mabench.comparison.entries import Entry
from mabench.comparison.pairs import compare_pair
from mabench.comparison.ranking import rank_runs, sort_best_first
from mabench.comparison.results import Comparison
from mabench.errors import UsageError, unknown
from mabench.results import Run, is_same_place

_SCORES = ("official", "corrected")


def compare(
    runs: Sequence[Run | Path | str],
    *,
    baseline: Run | Path | str | None = None,
    score: str = "official",
    common: bool = False,
) -> Comparison:
    """Compare runs on the same questions.

    Each run is a ``Run`` or its folder; the folder of a repeated run means all its builds.

    Args:
        runs: at least two runs, or one with a baseline.
        baseline: a run with which each of the others is compared; it may be among them. By
            default every pair is compared.
        score: ``official`` or ``corrected``.
        common: compare only the questions that all were asked; runs may be unfinished.

    Returns:
        The runs, the best first, and the differences of each pair in points: the better run minus
        the other, or each run minus the baseline.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when there are too few runs, or runs that are unfinished or differ in data,
            protocol or questions, or have no scored source in common.
    """
    if score not in _SCORES:
        raise UsageError(unknown("unknown score", score, _SCORES), parameter="score")
    if baseline:
        held_to = _folder(baseline)
        runs = [*(run for run in runs if not is_same_place(_folder(run), held_to)), baseline]
    entries, sources = Entry.open_comparable(runs, score, common=common)
    last = entries[-1]
    entries = sort_best_first(entries, sources)
    if baseline:
        couples = [(entry, last) for entry in entries if entry is not last]
    else:
        couples = [*combinations(entries, 2)]
    pairs = [compare_pair(a, b, sources) for a, b in couples]
    adjusted = adjust_holm([pair.headline.p for pair in pairs])
    pairs = [pair.with_adjusted(p) for pair, p in zip(pairs, adjusted, strict=True)]
    ranked = tuple(rank_runs(entries, sources, pairs))
    return Comparison(score=score, runs=ranked, pairs=tuple(pairs))


def _folder(run: Run | Path | str) -> Path:
    return run.folder if isinstance(run, Run) else Path(run)
