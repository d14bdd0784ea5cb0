"""The table of memories: times to add and search, tokens shown to the reader, and storage.

A figure is called by the name that JSON and CSV have for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mabench.comparison import ComparedRun
from mabench.reports.costs.durations import write_seconds
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import MemorySummary, RunSummary, ScoreSummary, SourceScores, SourceSummary

# The titles of the columns, by figure.
_TITLES = {
    "add seconds per 1,000 tokens": "Add 1,000 tokens",
    **{f"add p{percent} seconds": f"Add p{percent}" for percent in (50, 95, 99)},
    "ready p50 seconds": "Ready p50",
    **{f"search p{percent} seconds": f"Search p{percent}" for percent in (50, 95, 99)},
    "tokens shown": "Tokens shown",
    "bytes per 1,000 tokens": "Bytes per 1,000 tokens",
}
# More seconds than these have a column.
_NOTICED = 0.001
# The columns that a narrow terminal leaves out, the first one first.
_LEFT_OUT_FIRST = ("add p95 seconds", "search p95 seconds", "add p99 seconds", "add p50 seconds")


class MemoryRow(NamedTuple):
    """The figures of a memory for one source or for a run.

    Each of ``figures`` is the number of calls that it is taken from, if known, and its value.
    """

    name: str
    figures: Mapping[str, tuple[int | None, float]]

    @classmethod
    def of(
        cls, name: str, memory: MemorySummary | None, sources: Iterable[SourceScores]
    ) -> MemoryRow:
        """Return a row with the figures of a memory, and the tokens shown with a question.

        ``sources`` are those that the memory was asked about.
        """
        figures = memory.figures() if memory else {}
        retrievals = [source.retrieval for source in sources if source.retrieval]
        questions = sum(retrieval.questions for retrieval in retrievals)
        if questions:
            tokens = sum((one.shown_tokens or 0.0) * one.questions for one in retrievals)
            figures["tokens shown"] = questions, tokens / questions
        return cls(name, figures)

    @classmethod
    def of_sources(cls, summary: ScoreSummary) -> list[MemoryRow]:
        """Return a row for each source of a summary, and a row for all if there are several.

        Only a run knows what its memory took; a file of predictions does not.
        """
        rows = []
        for name, source in summary.sources.items():
            own_memory = source.memory if isinstance(source, SourceSummary) else None
            rows.append(MemoryRow.of(name, own_memory, [source]))
        if len(rows) > 1:
            memory = summary.memory if isinstance(summary, RunSummary) else None
            rows.append(MemoryRow.of("All", memory, summary.sources.values()))
        return rows

    @classmethod
    def of_run(cls, name: str, run: ComparedRun) -> MemoryRow:
        """Return a row for a run, over the sources that are compared and all repeated runs."""
        sources = (summary.sources[source] for summary in run.summaries for source in run.sources)
        return MemoryRow.of(name, run.memory, sources)

    @staticmethod
    def tables(rows: Sequence[MemoryRow]) -> list[Table]:
        """Return a table of memories, one at most; none if nothing is known of any."""
        known = [row for row in rows if not row.figures.keys().isdisjoint(_TITLES)]
        if not known:
            return []
        title: Column[MemoryRow] = Column("Memory", lambda row: row.name)
        return [tabulate([title, *map(_figure_column, _TITLES)], known)]


def _figure_column(figure: str) -> Column[MemoryRow]:
    """Return the column of a figure; one of a time is left out if nobody would notice any of it."""

    def is_shown(rows: Sequence[MemoryRow]) -> bool:
        """Return whether the figure is known of any memory, and not too small to be noticed."""
        values = [_find_value(row, figure) for row in rows]
        known = [value for value in values if value is not None]
        if _is_time(figure):
            return any(value > _NOTICED for value in known)
        return bool(known)

    rank = 0
    if figure in _LEFT_OUT_FIRST:
        rank = -1 - _LEFT_OUT_FIRST.index(figure)  # See ``Column.drop_rank``.
    return Column(
        _TITLES[figure],
        lambda row: _write_figure(row, figure),
        spec="",
        when=is_shown,
        drop_rank=lambda _: rank,
    )


def _is_time(figure: str) -> bool:
    """Return whether a figure is a number of seconds."""
    return "seconds" in figure


def _name_of_largest(figure: str) -> str:
    """Return the name of the largest time, which replaces the 99th percentile of too few calls."""
    return figure.replace("p99", "largest")


def _find_value(row: MemoryRow, figure: str) -> float | None:
    """Return a figure of a memory, or the largest time in its place; None if it is unknown."""
    for name in (figure, _name_of_largest(figure)):
        if name in row.figures:
            _, value = row.figures[name]
            return value
    return None


def _write_figure(row: MemoryRow, figure: str) -> str | None:
    """Return the cell of a figure, which says of how many calls a time is the largest, if it is."""
    value = _find_value(row, figure)
    if value is None:
        return None
    written = write_seconds(value) if _is_time(figure) else f"{value:,.0f}"
    if figure in row.figures:
        return written
    calls, _ = row.figures[_name_of_largest(figure)]
    return f"{written}, largest of {calls}"
