"""What the memory of a run took: times, tokens shown and storage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mabench.comparison import ComparedRun
from mabench.reports.costs.durations import write_seconds
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import MemorySummary, RunSummary, ScoreSummary, SourceScores, SourceSummary

# The columns, by the names that programs read.
_TITLES = {
    "add seconds per 1,000 tokens": "Add 1,000 tokens",
    **{f"add p{percent} seconds": f"Add p{percent}" for percent in (50, 95, 99)},
    "ready p50 seconds": "Ready p50",
    **{f"search p{percent} seconds": f"Search p{percent}" for percent in (50, 95, 99)},
    "tokens shown": "Tokens shown",
    "bytes per 1,000 tokens": "Bytes per 1,000 tokens",
}
# The columns that say the least, in the order in which a narrow terminal leaves them out.
_LEAST_TELLING = ("add p95 seconds", "search p95 seconds", "add p99 seconds", "add p50 seconds")


class MemoryRow(NamedTuple):
    """The memory of a source or a run.

    ``figures`` have, by name, a number of calls, if it is known, and a value.
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
        if questions := sum(each.questions for each in known):
            tokens = sum((each.shown_tokens or 0.0) * each.questions for each in known)
            figures["tokens shown"] = questions, tokens / questions
        return cls(name, figures)

    @classmethod
    def of_sources(cls, summary: ScoreSummary) -> list[MemoryRow]:
        """Return a row for each source of a summary, and one for all if there are several."""
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
        """Return a row for a run: over the sources that are compared, and all its builds."""
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

            rank = -1 - _LEAST_TELLING.index(name) if name in _LEAST_TELLING else 0
            return Column(_TITLES[name], text, "", when="known", drop_rank=lambda _: rank)

        known = [row for row in rows if not row.figures.keys().isdisjoint(_TITLES)]
        title: Column[MemoryRow] = Column("Memory", lambda row: row.name)
        return [tabulate([title, *map(column, _TITLES)], known)] if known else []
