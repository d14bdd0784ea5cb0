"""The table of repeated runs: how much their scores vary."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from mabench.reports.tables import Table, Value, plain_table
from mabench.results import Measure, Run


def repeat_table(runs: Sequence[Run]) -> Table:
    """Return one row for each source: mean and standard deviation over two runs or more."""
    rows: list[Sequence[Value]] = []
    for name in runs[0].summary.sources:
        sources = [run.summary.sources[name] for run in runs]
        official = _spread([source.official for source in sources])
        corrected = _spread([source.corrected for source in sources])
        rows.append((name, len(runs), *official, *corrected))
    return plain_table(("Source", "Runs", "Official", "SD", "Corrected", "SD"), rows)


def _spread(scores: Sequence[float | None]) -> tuple[Value, Value]:
    """Return the mean and the standard deviation of scores; None twice unless all are known."""
    values = [score for score in scores if score is not None]
    if len(values) < len(scores):
        return None, None
    return Measure(fmean(values)), Measure(stdev(values))
