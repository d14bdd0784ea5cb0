"""The report of a run beside a published system, or beside the best figure of each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from mabench.errors import UsageError, unknown
from mabench.reports.leaderboard.figure import Figure, published_figures
from mabench.reports.leaderboard.own_figures import figures_of, list_shortfalls
from mabench.reports.leaderboard.standings import figures_by_system
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, plain_table, tabulate
from mabench.results import Run

# What a user gives in place of a system for the best figure of each column.
_BEST = "best"
# The fields of a figure that are settings, by the titles of their rows.
_SETTINGS = {
    "agent": "system",
    "reader": "reader",
    "embedder": "embedder",
    "passages": "depth",
    "tokens a chunk": "chunk_tokens",
    "judge": "judge",
}


def put_beside(run: Run, system: str) -> tuple[Report, Sequence[Figure]]:
    """Return a report of a run next to a published system, and the figures of that system.

    If a system was published several times, the one with the run's reader counts, then the one
    with more figures. With ``best`` for a system it is the best figure of each column.

    Raises:
        UsageError: when there is no such system.
    """
    own = figures_of(run)
    publications = _best_figures() if system == _BEST else _find_publications(system)
    reader = run.record.model.name if run.record.model else None

    def nearness(figures: Mapping[str, Figure]) -> tuple[bool, int]:
        """Return what decides which publication counts; the largest does."""
        has_same_reader = {figure.reader for figure in figures.values()} == {reader}
        return has_same_reader, len(figures.keys() & own)

    nearest = max(publications, key=nearness)
    theirs = [figure for on, figure in nearest.items() if on in own]
    if not theirs:
        return Report(remarks=[*list_shortfalls(run)]), theirs
    places = ", ".join(dict.fromkeys(figure.published for figure in theirs))
    tables = [_scores_table(own, theirs), _settings_table(run, own, theirs)]
    report = Report(
        tables=[table for table in tables if table.values],
        remarks=[f"Published: {places}.", *list_shortfalls(run)],
    )
    return report, theirs


def _best_figures() -> list[Mapping[str, Figure]]:
    """Return the highest figure on each column and category, by any reader and judge, in a list.

    Figures that cannot be compared, and those that were only quoted by others, do not count.
    """
    first_hand = [figure for figure in _comparable_figures() if figure.read != "second-hand"]
    best: dict[str, Figure] = {}
    for figure in sorted(first_hand, key=lambda figure: figure.score):
        best[figure.on] = figure  # In place of a lower one.
    return [best]


def _find_publications(system: str) -> list[Mapping[str, Figure]]:
    """Return the figures of each publication of a system, by column and category.

    Raises:
        UsageError: when there is no such system.
    """
    by_system = figures_by_system(_comparable_figures())
    publications: list[Mapping[str, Figure]] = [
        figures for one, figures in by_system.items() if one.name.lower() == system.lower()
    ]
    if not publications:
        known = dict.fromkeys([_BEST, *(one.name for one in by_system)])
        raise UsageError(unknown("unknown system", system, known), parameter="beside")
    return publications


def _comparable_figures() -> list[Figure]:
    """Return the published figures that can be compared for what they measure."""
    return [figure for figure in published_figures() if not figure.unlike]


def _scores_table(own: Mapping[str, Figure], theirs: Sequence[Figure]) -> Table:
    """Return a table of a run's scores beside published ones.

    ``own`` are the figures of the run by column and category.
    """
    columns: tuple[Column[Figure], ...] = (
        Column("Column", lambda figure: figure.on),
        Column("Here", lambda figure: own[figure.on].measure, spec=""),
        Column("Published", lambda figure: figure.score, spec=".1f"),
        Column("Difference", lambda figure: own[figure.on].score - figure.score, spec="+.1f"),
        Column("System", lambda figure: figure.system),
        Column("Reader", lambda figure: figure.reader),
    )
    return tabulate(columns, theirs)


def _settings_table(run: Run, own: Mapping[str, Figure], theirs: Sequence[Figure]) -> Table:
    """Return a table of the settings that differ between a run and published figures."""
    ours = [own[figure.on] for figure in theirs]
    rows = []
    for title, field in _SETTINGS.items():
        here, there = _list_settings(ours, field), _list_settings(theirs, field)
        if field == "depth":
            here = _mean_depth(run) or here
        if field == "chunk_tokens":
            here = here or f"by the protocol {run.record.protocol}"
        if here != there:
            rows.append((title, here or None, there or None))
    return plain_table(("Setting", "Here", "Published"), rows)


def _list_settings(figures: Sequence[Figure], field: str) -> str:
    """Return the values that a setting has in some figures, each once; empty if unknown."""
    values = [getattr(figure, field) for figure in figures]
    return ", ".join(dict.fromkeys(f"{value}" for value in values if value))


def _mean_depth(run: Run) -> str:
    """Return how many passages a run retrieved on average over its sources; empty if unknown."""
    retrievals = [source.retrieval for source in run.summary.sources.values()]
    depths = [one.depth for one in retrievals if one is not None and one.depth is not None]
    return f"{fmean(depths):.3g}" if depths else ""
