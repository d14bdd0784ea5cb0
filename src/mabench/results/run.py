"""A run in its folder, as Python and notebooks see it, and its summary, derived from its files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Self

from mabench.data.formats import published_sources
from mabench.families import Family
from mabench.injection import PROTOCOLS
from mabench.printable import printable, write_count
from mabench.results.calls import CallsSummary
from mabench.results.columns import QuestionValues, in_columns, to_arrow
from mabench.results.memory import MemorySummary, RowMemory
from mabench.results.records.lines import Judgment, Sample
from mabench.results.records.record import RunRecord
from mabench.results.records.store import RunFolder
from mabench.results.scored import ScoredQuestion
from mabench.results.summaries import RunSummary, SourceSummary
from mabench.results.summing.questions import total_scores
from mabench.results.verdicts import RunVerdicts

if TYPE_CHECKING:
    import pyarrow

_HEADERS = ("Source", "Metric", "n", "Errors", "Official", "95 %", "Corrected", "95 %")
# How many damaged lines a summary names.
_MOST_NAMED = 20


class Run:
    """A run in its ``folder``, whose files its ``store`` reads."""

    def __init__(self, folder: Path, store: RunFolder | None = None) -> None:
        self.folder = folder
        self.store = store or RunFolder(folder)

    @classmethod
    def summarize(cls, store: RunFolder) -> Self:
        """Write the summary of a run anew, and return the run."""
        run = cls(store.path, store)
        store.write_summary(run.summary)
        return run

    @cached_property
    def summary(self) -> RunSummary:
        """The scores, from 0 to 100, as in ``summary.json``; derived from the stored samples."""
        return _summarize(self.store)

    @property
    def record(self) -> RunRecord:
        """What the run is, as in ``run.json``."""
        return self.store.record()

    def memories(self) -> list[RowMemory]:
        """Return what is known of each row's memory."""
        store, rows, calls = self.store, self.summary.rows, self.summary.calls
        return RowMemory.of_rows(store, store.memories(), store.timings(), rows, calls)

    def judgments(self) -> Iterator[Judgment]:
        """Yield the verdicts of judges, in the order in which they were given."""
        return self.store.judgments()

    def samples(self) -> Iterator[Sample]:
        """Yield the questions that were asked, with their answers."""
        return self.store.samples()

    def questions(self) -> Iterator[ScoredQuestion]:
        """Yield the questions that were asked, with the scores and verdicts that count."""
        verdicts = RunVerdicts.of(self.store)
        timings = {timing.key: timing for timing in self.store.timings()}
        for sample in self.store.samples():
            yield verdicts.score(sample, timings.get(sample.key))

    def rows(self) -> Iterator[QuestionValues]:
        """Yield the questions that were asked by the names of the columns of a table."""
        return in_columns(str(self.folder), self.record, self.questions())

    def table(self) -> pyarrow.Table:
        """Return the same rows as an Arrow table, which pandas, polars and DuckDB take.

        The column ``golds`` holds lists. A mark replaces each lone surrogate, which Arrow cannot
        hold.
        """
        return to_arrow(self.rows())

    def __repr__(self) -> str:
        """Which run it is; it is not summarized for that."""
        return f"<Run {str(self.folder)!r}>"

    def _repr_html_(self) -> str:
        """Return the scores as a table, which notebooks show; every text in it is escaped.

        The intervals are those for new histories where there are any, else those for these
        histories, which are marked with †.
        """
        summary = self.summary
        title = f"{summary.agent} on {summary.data}, protocol {summary.protocol}"
        rows = []
        for name, source in summary.sources.items():
            n = f"{source.n}" if source.n == source.expected else f"{source.n} of {source.expected}"
            figures = (
                figure
                for score in source.measures.values()
                for figure in ([f"{score:.1f}", score.range()] if score else "--")
            )
            rows.append((name, source.metric, n, f"{source.errors}", *figures))
        head, *body = (
            "".join(f"<{tag}>{escape(printable(cell))}</{tag}>" for cell in cells)
            for tag, cells in [("th", _HEADERS), *(("td", row) for row in rows)]
        )
        return (
            f"<p><b>{escape(printable(title))}</b><br>"
            f"<small>{escape(printable(str(self.folder)))}</small></p><table><thead><tr>{head}</tr>"
            f"</thead><tbody>{''.join(f'<tr>{row}</tr>' for row in body)}</tbody></table>"
        )


def _summarize(folder: RunFolder) -> RunSummary:
    record, verdicts = folder.record(), RunVerdicts.of(folder)
    memories, timings = folder.memories(), [*folder.timings()]
    scores = total_scores(
        map(verdicts.score, folder.samples()),
        record.questions,
        verdicts,
        benchmark=record.data.benchmark,
    )
    usage = {(row.split, row.row): row for row in scores.rows}
    source_of = {place: row.source for place, row in {**memories, **usage}.items()}
    seconds: dict[str | None, float] = defaultdict(float)
    timed: dict[str | None, set[int]] = defaultdict(set)
    for timing in timings:
        source = source_of.get((timing.split, timing.row))
        seconds[source] += timing.seconds
        timed[source].add(hash((timing.split, timing.row, timing.question_index)))
    wasted = sum(timing.wasted or 0.0 for timing in timings)
    unknown = {row.source for place, row in usage.items() if place not in memories}
    memorized: dict[str, float] = defaultdict(float)
    for memory in memories.values():
        memorized[memory.source] += memory.seconds
    calls = None
    if any(row.metered for row in memories.values()) or next(folder.calls(), None):
        calls = CallsSummary.of(memories.values(), folder.calls(), scores.spent.n)
        wasted += (calls.preflight and calls.preflight.cost) or 0.0
    spent = scores.spent
    if wasted:  # The replies that gave no answer were paid, too.
        spent = replace(spent, cost=(spent.cost or 0.0) + wasted)
    damaged = [f"{line}." for line in folder.damaged()]
    if len(damaged) > _MOST_NAMED:
        damaged[_MOST_NAMED:] = [
            f"Not readable: {write_count(len(damaged) - _MOST_NAMED, 'more line')}."
        ]
    of_rows = RowMemory.of_rows(folder, memories, timings, scores.rows, calls)
    sources = {
        name: SourceSummary(
            **{field: getattr(source, field) for field in source.__dataclass_fields__},
            seconds_memorize=None if name in unknown else memorized[name],
            seconds_answer=seconds[name] if len(timed[name]) >= source.n else None,
            memory=MemorySummary.of([row for row in of_rows if row.record.source == name]),
        )
        for name, source in scores.sources.items()
    }
    return RunSummary(
        agent=record.agent,
        data=record.data.name,
        protocol=record.protocol,
        sources=sources,
        rows=scores.rows,
        spent=spent,
        commonest_error=scores.commonest_error,
        **scores.means,
        memory=MemorySummary.of(of_rows),
        calls=calls,
        damaged=tuple(damaged) or None,
        titles=record.data.titles,
        leaks=_leaks(record.protocol, verdicts.families) or None,
        takes=record.takes,
    )


def _leaks(protocol_name: str, families: Mapping[str, Family]) -> dict[str, str]:
    protocol = PROTOCOLS.get(protocol_name)  # Of files of predictions it is unknown.
    if protocol is None or not protocol.leaks:
        return {}
    leaks = {name: leak.what for name, family in families.items() if (leak := family.leak)}
    others = published_sources() if leaks else ()  # Not in the benchmark's form.
    return {name: what for name, what in leaks.items() if name not in others}
