"""The table *Memory*: what adding and searching took, and what is shown and kept of a history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mabench.comparison import ComparedRun
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import MemorySummary, RunSummary, ScoreSummary, SourceScores, SourceSummary

# The figures of the table, by the names that programs read.
_TITLES = {
    "add seconds per 1,000 tokens": "Add 1,000 tokens",
    **{f"add p{percent} seconds": f"Add p{percent}" for percent in (50, 95, 99)},
    "ready p50 seconds": "Ready p50",
    **{f"search p{percent} seconds": f"Search p{percent}" for percent in (50, 95, 99)},
    "tokens shown": "Tokens shown",
    "bytes per 1,000 tokens": "Bytes per 1,000 tokens",
}


class MemoryRow(NamedTuple):
    """What is known of the memory of a source, or of a run: of how many calls, and a value."""

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


def memory_rows(summary: ScoreSummary) -> list[MemoryRow]:
    """Return a row for each source of a summary, and one for all where there are several."""
    rows = [
        MemoryRow.of(name, one.memory if isinstance(one, SourceSummary) else None, [one])
        for name, one in summary.sources.items()
    ]
    if len(rows) > 1:
        memory = summary.memory if isinstance(summary, RunSummary) else None
        rows.append(MemoryRow.of("All", memory, summary.sources.values()))
    return rows


def compared_memory(name: str, run: ComparedRun) -> MemoryRow:
    """Return a row for a run: over the sources that are compared, and all its builds."""
    sources = (summary.sources[source] for summary in run.summaries for source in run.sources)
    return MemoryRow.of(name, run.memory, sources)


def memory_table(rows: Sequence[MemoryRow]) -> list[Table]:
    """Return the table of what is known of memories; none where nothing is."""

    def column(name: str) -> Column[MemoryRow]:
        form = duration if "seconds" in name else "{:,.0f}".format

        def text(row: MemoryRow) -> str | None:
            return form(row.figures[name][1]) if name in row.figures else None

        return Column(_TITLES[name], text, "", when=lambda rows: any(map(text, rows)))

    known = [row for row in rows if not row.figures.keys().isdisjoint(_TITLES)]
    title: Column[MemoryRow] = Column("Memory", lambda row: row.name)
    return [tabulate([title, *map(column, _TITLES)], known)] if known else []


def duration(seconds: float) -> str:
    """Return seconds for a reader, with three digits."""
    rounded = float(f"{seconds:.3g}")
    if rounded < 1:
        return f"{1000 * rounded:.3g} ms"
    return f"{rounded:.3g} s" if rounded < 1000 else f"{rounded:,.0f} s"
