"""The table *Memory*: what adding and searching took, and what is shown and kept of a history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from mabench.comparison import ComparedRun
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import (
    CallTimes,
    MemorySummary,
    RetrievalSummary,
    RunSummary,
    ScoreSummary,
    SourceScores,
    SourceSummary,
)


class MemoryRow(NamedTuple):
    """What is known of the memory of a source, or of a run."""

    name: str
    memory: MemorySummary | None
    tokens_shown: float | None  # With a question, in the mean.


def duration(seconds: float) -> str:
    """Return seconds for a reader, with three digits."""
    rounded = float(f"{seconds:.3g}")
    if rounded < 1:
        return f"{1000 * rounded:.3g} ms"
    return f"{rounded:.3g} s" if rounded < 1000 else f"{rounded:,.0f} s"


def memory_rows(summary: ScoreSummary) -> list[MemoryRow]:
    """Return a row for each source of a summary, and one for all where there are several."""
    rows = [
        MemoryRow(name, one.memory if isinstance(one, SourceSummary) else None, _shown([one]))
        for name, one in summary.sources.items()
    ]
    if len(rows) > 1:
        memory = summary.memory if isinstance(summary, RunSummary) else None
        rows.append(MemoryRow("All", memory, _shown(summary.sources.values())))
    return rows


def compared_memory(name: str, run: ComparedRun) -> MemoryRow:
    """Return a row for a run: over the sources that are compared, and all its builds."""
    sources = (summary.sources[name] for summary in run.summaries for name in run.sources)
    return MemoryRow(name, run.memory, _shown(sources))


def memory_table(rows: Sequence[MemoryRow]) -> list[Table]:
    """Return the table of what is known of memories; none where nothing is."""
    known = [row for row in rows if any(memory_figures(row))]
    columns: tuple[Column[MemoryRow], ...] = (
        Column("Memory", lambda row: row.name),
        _column("Add 1,000 tokens", lambda memory: memory.add_per_1000_tokens, duration),
        *_percentiles("Add", lambda memory: memory.add),
        _column("Ready p50", lambda memory: memory.ready and memory.ready.p50, duration),
        *_percentiles("Search", lambda memory: memory.search),
        Column("Tokens shown", lambda row: row.tokens_shown, ",.0f", when=_tokens_are_shown),
        _column("Bytes per 1,000 tokens", lambda memory: memory.bytes_per_1000_tokens),
    )
    return [tabulate(columns, known)] if known else []


def memory_figures(row: MemoryRow) -> Iterator[tuple[str, int | None, float]]:
    """Yield the same for programs: a name, of how many calls it is, and a value."""
    if row.memory:
        yield from row.memory.figures()
    if row.tokens_shown is not None:
        yield "tokens shown", None, row.tokens_shown


def _column(
    title: str,
    value: Callable[[MemorySummary], float | None],
    form: Callable[[float], str] = lambda value: f"{value:,.0f}",
) -> Column[MemoryRow]:
    def text(row: MemoryRow) -> str | None:
        known = value(row.memory) if row.memory else None
        return None if known is None else form(float(known))

    return Column(title, text, "", when=lambda rows: any(map(text, rows)))


def _percentiles(
    what: str, times: Callable[[MemorySummary], CallTimes | None]
) -> Iterable[Column[MemoryRow]]:
    def column(percentile: str) -> Column[MemoryRow]:
        def value(memory: MemorySummary) -> float | None:
            known = times(memory)
            return float(known[percentile]) if known else None

        return _column(f"{what} {percentile}", value, duration)

    return map(column, ("p50", "p95", "p99"))


def _tokens_are_shown(rows: Sequence[MemoryRow]) -> bool:
    return any(row.tokens_shown is not None for row in rows)


def _shown(sources: Iterable[SourceScores]) -> float | None:
    """Return the tokens that are shown with a question, in the mean over those of all sources."""
    known: list[RetrievalSummary] = [
        one.retrieval for one in sources if one.retrieval and one.retrieval.questions
    ]
    questions = sum(each.questions for each in known)
    shown = sum((each.shown_tokens or 0.0) * each.questions for each in known)
    return shown / questions if questions else None
