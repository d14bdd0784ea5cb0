"""The table of memories: times to add and search, tokens shown to the reader, and storage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mabench.comparison import ComparedRun
from mabench.reports.costs.durations import write_seconds
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import MemorySummary, RunSummary, ScoreSummary, SourceScores, SourceSummary

# The titles of the columns, by the names of the figures in JSON and CSV.
_TITLES = {
    "add seconds per 1,000 tokens": "Add 1,000 tokens",
    **{f"add p{percent} seconds": f"Add p{percent}" for percent in (50, 95, 99)},
    "ready p50 seconds": "Ready p50",
    **{f"search p{percent} seconds": f"Search p{percent}" for percent in (50, 95, 99)},
    "tokens shown": "Tokens shown",
    "bytes per 1,000 tokens": "Bytes per 1,000 tokens",
}
# Seconds from which on a time has a column.
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
        """Return a row with the figures of a memory, and the tokens shown with a question."""
        figures = memory.figures() if memory else {}
        known = [each.retrieval for each in sources if each.retrieval]
        questions = sum(each.questions for each in known)
        if questions:
            tokens = sum((each.shown_tokens or 0.0) * each.questions for each in known)
            figures["tokens shown"] = questions, tokens / questions
        return cls(name, figures)

    @classmethod
    def of_sources(cls, summary: ScoreSummary) -> list[MemoryRow]:
        """Return a row for each source of a summary, and a row for all if there are several."""
        rows = [
            MemoryRow.of(name, one.memory if isinstance(one, SourceSummary) else None, [one])
            for name, one in summary.sources.items()
        ]
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
        """Return a table of memories, or none if nothing is known of any."""

        def column(name: str) -> Column[MemoryRow]:
            form = write_seconds if "seconds" in name else "{:,.0f}".format

            def text(row: MemoryRow) -> str | None:
                if name in row.figures:
                    return form(row.figures[name][1])
                largest = row.figures.get(name.replace("p99", "largest"))
                return f"{form(largest[1])}, largest of {largest[0]}" if largest else None

            def is_shown(rows: Sequence[MemoryRow]) -> bool:
                kept = [row for row in rows if text(row) is not None]
                return bool(kept) and ("seconds" not in name or any(map(is_noticed, kept)))

            def is_noticed(row: MemoryRow) -> bool:
                other = name.replace("p99", "largest")
                return (row.figures.get(name) or row.figures[other])[1] > _NOTICED

            rank = 0
            if name in _LEFT_OUT_FIRST:
                rank = -1 - _LEFT_OUT_FIRST.index(name)
            return Column(_TITLES[name], text, "", when=is_shown, drop_rank=lambda _: rank)

        known = [row for row in rows if not row.figures.keys().isdisjoint(_TITLES)]
        title: Column[MemoryRow] = Column("Memory", lambda row: row.name)
        return [tabulate([title, *map(column, _TITLES)], known)] if known else []
