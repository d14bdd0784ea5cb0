"""The figures of a user's own run, to be put beside published ones, and what it lacks for more.

A run has a figure on a column of the paper's table, or on a category of columns, once it has asked
every question of the sources that feed it.
"""

from __future__ import annotations

from collections.abc import Iterator

from mabench.data.inventory import SOURCES, without_length
from mabench.reports.leaderboard.figure import Figure
from mabench.results import Run
from mabench.uncertainty.score_intervals import Intervals


def figures_of(run: Run) -> dict[str, Figure]:
    """Return the figures of a run on the columns and categories that it completes, by name."""
    return {
        place: _make_figure(run, place, mean.official, mean.interval)
        for place, mean in run.summary.means.items()
        if mean.official is not None
    }


def _make_figure(run: Run, place: str, score: float, interval: Intervals | None) -> Figure:
    """Return the figure of a run on a column, a category or all of these."""
    record, summary = run.record, run.summary
    names = [source.name for source in SOURCES if place in source.places]
    sources = [summary.sources[name] for name in names if name in summary.sources]
    judges = {source.judge.model for source in sources if source.judge}
    metrics = {source.metric for source in sources}
    return Figure(
        system=summary.agent,
        reader=record.model.name if record.model else None,
        chunk_tokens=record.chunk_tokens,
        judge=" and ".join(sorted(judges)) if judges else None,
        on=place,
        metric=metrics.pop() if len(metrics) == 1 else "official",
        score=score,
        asked=sum(source.n for source in sources),
        published=str(run.folder),
        party="own",
        interval=interval,
    )


def list_shortfalls(run: Run) -> Iterator[str]:
    """Yield why a run completes no column, or what the columns lack of which it has a source."""
    if not run.record.data.benchmark:
        yield f"{run.folder} feeds no column: its rows are not the benchmark's own."
        return
    # A source in any of its lengths counts, since the paper has only the longest.
    begun = {without_length(name) for name in run.summary.sources}
    columns = dict.fromkeys(
        source.column
        for source in SOURCES
        if source.column is not None and without_length(source.name) in begun
    )
    lacks = [lack for column in columns for lack in _list_lacks(run, column)]
    completes_any = bool(figures_of(run))
    if lacks or not completes_any:
        what = "lacks columns" if completes_any else "does not complete any column"
        why = "; ".join(lacks) if lacks else "no column uses its sources"
        yield f"{run.folder} {what}: {why}."


def _list_lacks(run: Run, column: str) -> Iterator[str]:
    """Yield which questions a column still needs, or else what their scores need, if anything."""
    summary = run.summary
    members = [source for source in SOURCES if source.column == column]
    missing = []
    for source in members:
        asked = summary.sources[source.name].n if source.name in summary.sources else 0
        if asked == 0:
            missing.append(source.name)
        elif asked < source.questions:
            missing.append(f"{source.name} ({asked} of {source.questions} asked)")
    if missing:
        yield f"{column} needs {', '.join(missing)}"
    elif summary.columns[column].official is None:
        needs = {summary.sources[source.name].needs for source in members}
        named = sorted(need for need in needs if need)
        yield f"{column} needs {', '.join(named)}: mabench judge, or entities"
