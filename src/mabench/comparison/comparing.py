"""Comparing runs on the same questions, or anybody's scores: the entry point."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import cast

from mabench.comparison.adjusting import adjust_holm
from mabench.comparison.entries import Entry, RunEntry
from mabench.comparison.pairs import PairedRuns, compare_pair
from mabench.comparison.ranking import rank_runs, sort_best_first
from mabench.comparison.results import Comparison
from mabench.comparison.score_tables import is_score_table, open_scores
from mabench.errors import UsageError, unknown
from mabench.results import Run, is_same_place

_SCORES = ("official", "corrected")


def compare(
    runs: Sequence[Run | Path | str] | object,
    *,
    baseline: Run | Path | str | None = None,
    score: str = "official",
    common: bool = False,
    equal_within: float | None = None,
) -> Comparison:
    """Compare runs on the same questions, or anybody's scores.

    Each run is a ``Run`` or its folder; the folder of a repeated run means all its builds. Scores
    are a table with a line for each question: see ``open_scores``.

    Args:
        runs: at least two runs, or one with a baseline; or a table of scores: the path of a CSV or
            Parquet file, a data frame, a mapping of columns, or records.
        baseline: a run with which each of the others is compared; it may be among them. By
            default every pair is compared. Of a table of scores, an agent in it.
        score: ``official`` or ``corrected``; a table has one score, which is compared.
        common: compare only the questions that all were asked; runs may be unfinished.
        equal_within: also say which runs are equal within this many points.

    Returns:
        The runs, the best first, and the differences of each pair in points: the better run minus
        the other, or each run minus the baseline.

    Raises:
        DataError: when a run or a table cannot be read.
        UsageError: when there are too few runs, or runs that are unfinished or differ in data,
            protocol or questions, or have no scored source in common.
    """
    if score not in _SCORES:
        raise UsageError(unknown("unknown score", score, _SCORES), parameter="score")
    if equal_within is not None and not 0 < equal_within < 100:
        raise UsageError("must be between 0 and 100 points", parameter="equal_within")
    entries: Sequence[Entry]
    baseline_entry: Entry | None = None
    # A table of scores, or runs.
    if (table := _find_table(runs)) is not None:
        entries, sources = open_scores(table, common=common)
        score = "given"
        if baseline is not None:
            baseline_entry = _find_agent(entries, str(baseline))
    else:
        folders = cast("Sequence[Run | Path | str]", runs)
        if baseline:
            folders = _put_baseline_last(folders, baseline)
        entries, sources = RunEntry.open_comparable(folders, score, common=common)
        if baseline:
            baseline_entry = entries[-1]
    entries = sort_best_first(entries, sources)
    if baseline_entry:
        couples = [(entry, baseline_entry) for entry in entries if entry is not baseline_entry]
    else:
        couples = [*combinations(entries, 2)]
    paired = [PairedRuns.of(a, b, sources) for a, b in couples]
    adjusted = adjust_holm([pair.headline.p for pair in paired])
    pairs = [
        compare_pair(pair, len(paired), p, equal_within)
        for pair, p in zip(paired, adjusted, strict=True)
    ]
    if equal_within is not None:
        equal_ps = adjust_holm([pair.headline.equal_p or 0.0 for pair in pairs])
        pairs = [pair.with_equal_p(p) for pair, p in zip(pairs, equal_ps, strict=True)]
    ranked = tuple(rank_runs(entries, sources, paired))
    return Comparison(score=score, runs=ranked, pairs=tuple(pairs), equal_within=equal_within)


def _find_table(given: object) -> object | None:
    """Return the table of scores that is given, alone or in a list of one; None for runs.

    A list of one mapping is itself a table, with one record.
    """
    if is_score_table(given):
        return given
    if isinstance(given, list | tuple) and len(given) == 1:
        only: object = given[0]
        return only if is_score_table(only) else None
    return None


def _find_agent(entries: Sequence[Entry], name: str) -> Entry:
    """Return the agent of that name; a UsageError if the table has none."""
    for entry in entries:
        if entry.name == name:
            return entry
    names = [entry.name for entry in entries]
    raise UsageError(unknown("no such agent in the scores:", name, names), parameter="baseline")


def _put_baseline_last(
    runs: Sequence[Run | Path | str], baseline: Run | Path | str
) -> list[Run | Path | str]:
    """Return the runs with the baseline after the others, once, even if it is among them."""
    place = _folder(baseline)
    return [*(run for run in runs if not is_same_place(_folder(run), place)), baseline]


def _folder(run: Run | Path | str) -> Path:
    return run.folder if isinstance(run, Run) else Path(run)
