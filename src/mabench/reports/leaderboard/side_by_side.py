"""A run next to a published system, or next to the best figure of each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from mabench.errors import UsageError, unknown
from mabench.reports.leaderboard.figure import Figure, published_figures
from mabench.reports.leaderboard.own_figures import figures_of, list_shortfalls
from mabench.reports.leaderboard.standings import figures_by_system
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, plain_table, tabulate
from mabench.results import Measure, Run

_BEST = "best"
# The settings of a figure, by their titles.
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
    own, model = figures_of(run), run.record.model
    listed = [one for one in published_figures() if not one.unlike]
    entries = figures_by_system(listed)
    named = [of for entry, of in entries.items() if entry.name.lower() == system.lower()]
    if system == _BEST:  # With any reader and judge.
        fit = [one for one in listed if one.read != "second-hand"]
        named = [{one.on: one for one in sorted(fit, key=lambda one: one.score)}]
    if not named:
        systems = dict.fromkeys([_BEST, *(entry.name for entry in entries)])
        raise UsageError(unknown("unknown system", system, systems), parameter="beside")

    def nearness(of: Mapping[str, Figure]) -> tuple[bool, int]:
        readers = {one.reader for one in of.values()}
        return readers == {model.name if model else None}, len(of.keys() & own)

    theirs = {on: one for on, one in max(named, key=nearness).items() if on in own}
    columns: tuple[Column[tuple[Measure, Figure]], ...] = (
        Column("Column", lambda row: row[1].on),
        Column("Here", lambda row: row[0], ""),
        Column("Published", lambda row: row[1].score, ".1f"),
        Column("Difference", lambda row: row[0].value - row[1].score, "+.1f"),
        Column("System", lambda row: row[1].system),
        Column("Reader", lambda row: row[1].reader),
    )
    table = tabulate(columns, [(own[on].measure, figure) for on, figure in theirs.items()])
    tables = [table, _other_settings(run, own, [*theirs.values()])] if theirs else []
    places = ", ".join(dict.fromkeys(figure.published for figure in theirs.values()))
    remarks = [*([f"Published: {places}."] if theirs else []), *list_shortfalls(run)]
    return Report("", [one for one in tables if one.values], remarks), [*theirs.values()]


def _other_settings(run: Run, own: Mapping[str, Figure], theirs: Sequence[Figure]) -> Table:
    depths = [one.retrieval.depth for one in run.summary.sources.values() if one.retrieval]
    known = [depth for depth in depths if depth is not None]
    rows = []
    for title, field in _SETTINGS.items():
        here, there = (
            ", ".join({f"{value}": 0 for one in listed if (value := getattr(one, field))})
            for listed in ([own[figure.on] for figure in theirs], theirs)
        )
        if field == "depth" and known:
            here = f"{fmean(known):.3g}"
        if field == "chunk_tokens":
            here = here or f"by the protocol {run.record.protocol}"
        if here != there:
            rows.append((title, here or None, there or None))
    return plain_table(("Setting", "Here", "Published"), rows)
