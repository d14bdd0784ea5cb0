"""The figures of a run, and what it lacks for others."""

from __future__ import annotations

from collections.abc import Iterator

from mabench.data.inventory import SOURCES, without_length
from mabench.reports.leaderboard.figure import Figure
from mabench.results import Run


def figures_of(run: Run) -> dict[str, Figure]:
    """Return the figures of a run on the columns and categories that it completes, by name."""
    summary, record = run.summary, run.record
    scores = {}
    for place, mean in summary.means.items():
        names = [one.name for one in SOURCES if place in one.places]
        parts = [summary.sources[name] for name in names if name in summary.sources]
        metrics = {one.metric for one in parts}
        if mean.official is not None:
            scores[place] = Figure(
                system=summary.agent,
                reader=record.model.name if record.model else None,
                chunk_tokens=record.chunk_tokens,
                judge=" and ".join(sorted({one.judge.model for one in parts if one.judge})) or None,
                on=place,
                metric=metrics.pop() if len(metrics) == 1 else "official",
                score=mean.official,
                asked=sum(one.n for one in parts),
                published=str(run.folder),
                party="own",
                interval=mean.interval,
            )
    return scores


def list_shortfalls(run: Run) -> Iterator[str]:
    """Yield why a run completes no column, or what its columns lack."""
    sources, folder, columns = run.summary.sources, run.folder, run.summary.columns
    if not run.record.data.benchmark:
        yield f"{folder} feeds no column: its rows are not the benchmark's own."
        return
    touched = {without_length(name) for name in sources}
    lacks = []
    for column in {one.column: None for one in SOURCES if without_length(one.name) in touched}:
        members = [one for one in SOURCES if column and one.column == column]
        asked = {one.name: sources[one.name].n if one.name in sources else 0 for one in members}
        missing = [
            one.name + (f" ({asked[one.name]} of {one.questions} asked)" * (asked[one.name] > 0))
            for one in members
            if asked[one.name] < one.questions
        ]
        if missing:
            lacks.append(f"{column} needs {', '.join(missing)}")
        elif members and columns[column or ""].official is None:
            needs = {sources[name].needs or "" for name in asked} - {""}
            lacks.append(f"{column} needs {', '.join(sorted(needs))}: mabench judge, or entities")
    what = "lacks columns" if figures_of(run) else "does not complete any column"
    if lacks or not figures_of(run):
        yield f"{folder} {what}: {'; '.join(lacks) or 'no column uses its sources'}."
