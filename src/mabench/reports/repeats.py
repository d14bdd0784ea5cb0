"""The table of runs that repeat each other, with the same settings: how much scores vary."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from mabench.reports.tables import Table, Value, plain_table
from mabench.results import Measure, Run


def repeat_table(runs: Sequence[Run]) -> Table:
    """Return a table with the mean and the standard deviation of each source's scores.

    ``runs`` are two or more, all of the same sources.
    """
    rows: list[Sequence[Value]] = []
    for name in runs[0].summary.sources:
        sources = [run.summary.sources[name] for run in runs]
        official_mean, official_sd = _mean_and_deviation([one.official for one in sources])
        corrected_mean, corrected_sd = _mean_and_deviation([one.corrected for one in sources])
        scores = (official_mean, official_sd, corrected_mean, corrected_sd)
        rows.append((name, len(runs), *scores))
    return plain_table(("Source", "Runs", "Official", "SD", "Corrected", "SD"), rows)


def _mean_and_deviation(scores: Sequence[float | None]) -> tuple[Value, Value]:
    """Return the mean and the standard deviation of scores; None twice unless all are known."""
    known = [score for score in scores if score is not None]
    if len(known) < len(scores):
        return None, None
    return Measure(fmean(known)), Measure(stdev(known))
