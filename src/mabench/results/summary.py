"""The summary of a run, derived from the files of its folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from mabench.data import BY_NAME, Source
from mabench.data.formats import published_sources
from mabench.families import family_of
from mabench.injection import PROTOCOLS
from mabench.results.calls import calls_summary
from mabench.results.means import (
    category_means,
    column_means,
    mean_intervals,
    mean_of_all,
    overall_weights,
)
from mabench.results.records.files import DamagedLine
from mabench.results.records.measurements import MemoryRecord, Place, Timing
from mabench.results.records.record import RunRecord
from mabench.results.records.sample import Sample
from mabench.results.records.store import RunFolder
from mabench.results.scored import (
    RunVerdicts,
    ScoredQuestion,
    read_verdicts,
    scored_questions,
)
from mabench.results.summaries import (
    Intervals,
    MeanScore,
    MemorySummary,
    RowUsage,
    RunSummary,
    SourceScores,
    SourceSummary,
    Usage,
)
from mabench.results.tally import AMOUNTS, SourceTally, UsageTally

# How many damaged lines a summary names.
_NAMED = 20


class ScoreTotals(NamedTuple):
    """What questions come to on their own, in the fields of ``ScoreSummary``."""

    sources: Mapping[str, SourceScores]
    rows: tuple[RowUsage, ...]
    spent: Usage
    columns: Mapping[str, MeanScore]
    categories: Mapping[str, MeanScore]
    overall: float | None
    overall_corrected: float | None
    overall_interval: Intervals | None
    overall_corrected_interval: Intervals | None


def summarize(folder: RunFolder) -> RunSummary:
    """Return the summary of a run.

    Raises:
        DataError: when a file of the run cannot be read.
    """
    record = folder.record()
    verdicts = read_verdicts(folder, folder.scores())
    memories = folder.memories()
    chunks = {place: memory.chunks for place, memory in memories.items() if memory.chunks}
    scores = total_scores(
        scored_questions(folder, folder.samples(), verdicts),
        record.questions,
        record.all_sources,
        verdicts,
        chunks,
        benchmark=record.data.benchmark,
    )
    usage = {row.place: row for row in scores.rows}
    rows = {**memories, **usage}
    answering: dict[str, _Answering] = defaultdict(_Answering)
    amounts = []
    for timing in folder.timings():
        amounts.append(timing.wasted or 0.0)
        if row := rows.get((timing.split, timing.row)):
            answering[row.source].add(timing)
    wasted = sum(amounts)
    calls = calls_summary(memories.values(), folder.calls(), scores.spent.n)
    if calls and calls.preflight:
        wasted += calls.preflight.cost or 0.0
    sources = {
        name: SourceSummary(
            **{field: getattr(source, field) for field in source.__dataclass_fields__},
            seconds_memorize=_memorizing(name, memories, usage),
            seconds_answer=answering[name].total(source.n),
            memory=_memory([one for one in memories.values() if one.source == name], usage),
        )
        for name, source in scores.sources.items()
    }
    return RunSummary(
        agent=record.agent,
        data=record.data.name,
        protocol=record.protocol,
        **{**scores._asdict(), "sources": sources, "spent": _with(wasted, scores.spent)},
        calls=calls,
        damaged=_named(folder.damaged()),
        leaks=_leaks(record) or None,
    )


def _leaks(record: RunRecord) -> dict[str, str]:
    """Return by source what its histories told the agent about the golds."""
    protocol = PROTOCOLS.get(record.protocol)  # Of files of predictions it is unknown.
    sources = record.all_sources
    others = published_sources()  # Their histories are not in the benchmark's form.
    families = {name: family_of(name, sources) for name in record.questions if name not in others}
    leaks = {name: protocol and protocol.leak(family) for name, family in families.items()}
    return {name: what for name, what in leaks.items() if what}


def _named(damaged: Sequence[DamagedLine]) -> tuple[str, ...] | None:
    """Return a sentence for each damaged line, for the first ones at least."""
    sentences = tuple(f"{line}." for line in damaged[:_NAMED])
    if len(damaged) > _NAMED:
        sentences += (f"{len(damaged) - _NAMED} more lines cannot be read.",)
    return sentences or None


def _memorizing(
    source: str, memories: Mapping[Place, MemoryRecord], usage: Mapping[Place, RowUsage]
) -> float | None:
    """Return how long memorizing took; None unless it is known of every row that was asked."""
    if any(row.source == source and place not in memories for place, row in usage.items()):
        return None
    return sum((memory.seconds for memory in memories.values() if memory.source == source), 0.0)


class _Answering:
    """How long the answers of a source took."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._questions: set[int] = set()

    def add(self, timing: Timing) -> None:
        self._seconds += timing.seconds
        self._questions.add(hash(timing.key))

    def total(self, questions: int) -> float | None:
        """Return the sum; None unless as many questions were timed as were asked."""
        return self._seconds if len(self._questions) >= questions else None


def total_scores(
    questions: Iterable[ScoredQuestion[Sample]],
    expected: Mapping[str, int],
    sources: Mapping[str, Source] = BY_NAME,
    verdicts: RunVerdicts | None = None,
    chunks: Mapping[Place, int] | None = None,
    *,
    benchmark: bool = True,
) -> ScoreTotals:
    """Add up the scores of questions, one at a time.

    Args:
        questions: the questions.
        expected: how many questions there are in all, by source.
        sources: the sources of the questions, by name.
        verdicts: all verdicts on the answers, of which each judge has a summary.
        chunks: how many chunks the agent was given of each row, where that is known.
        benchmark: whether the rows are the benchmark's, which alone feed the paper's columns.
    """
    tallies = {name: SourceTally(family_of(name, sources), chunks or {}) for name in expected}
    rows: dict[tuple[str, int, str], UsageTally] = defaultdict(UsageTally)
    for scored in questions:
        sample = scored.sample
        tallies[sample.source].add(scored)
        rows[sample.split, sample.row, sample.source].add(sample)
    by_judge, answered = (verdicts.by_judge, verdicts.answered) if verdicts else ({}, {})
    scores_of = {
        name: tally.scores(by_judge.get(name, {}), answered.get(name, ()), expected[name])
        for name, tally in tallies.items()
    }
    scores = {name: one.scores for name, one in scores_of.items()}
    official = {name: one.official for name, one in scores_of.items()}
    corrected = {name: one.corrected for name, one in scores_of.items()}
    usage = [
        RowUsage(split=split, row=row, source=source, n=one.n, errors=one.errors, **one.amounts)
        for (split, row, source), one in rows.items()
    ]
    columns = column_means(scores, official, corrected) if benchmark else {}
    categories = category_means(columns, official, corrected)
    overall = mean_of_all(category.official for category in categories.values())
    overall_corrected = mean_of_all(category.corrected for category in categories.values())
    weights = overall_weights()
    return ScoreTotals(
        scores,
        tuple(sorted(usage, key=lambda row: row.place)),
        _total(usage),
        columns,
        categories,
        overall,
        overall_corrected,
        mean_intervals(weights, official) if overall is not None else None,
        mean_intervals(weights, corrected) if overall_corrected is not None else None,
    )


def _total(rows: Sequence[RowUsage]) -> Usage:
    known = {
        name: [value for row in rows if (value := getattr(row, name)) is not None]
        for name in AMOUNTS
    }
    return Usage(
        n=sum(row.n for row in rows),
        errors=sum(row.errors for row in rows),
        **{name: sum(values) if values else None for name, values in known.items()},
    )


def _with(wasted: float, spent: Usage) -> Usage:
    """Return what all answers took, with the replies that gave none."""
    return replace(spent, cost=(spent.cost or 0.0) + wasted) if wasted else spent


def _memory(
    records: Sequence[MemoryRecord], usage: Mapping[Place, RowUsage]
) -> MemorySummary | None:
    """Return what is known of a source's memories; None when no row was memorized."""
    if not records:
        return None
    return MemorySummary(
        rows=len(records),
        failed=sum(record.error is not None for record in records),
        chunks=_sum([record.chunks for record in records]),
        memories=_sum([record.memories for record in records]),
        bytes=_sum([record.bytes for record in records]),
        chunks_without_memory=_sum([record.chunks_without_memory for record in records]),
        dropped_share=_dropped_share(records, usage),
    )


def _sum(values: Sequence[int | None]) -> int | None:
    """Return the sum over rows; None unless it is known of every row."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _dropped_share(
    records: Iterable[MemoryRecord], usage: Mapping[Place, RowUsage]
) -> float | None:
    """Return how much of the history an answer did without, in the mean, from 0 to 100."""
    dropped = whole = 0
    for memory in records:
        row = usage.get(memory.place)
        if row and memory.tokens and row.dropped_tokens is not None:
            dropped += row.dropped_tokens
            whole += memory.tokens * (row.n - row.errors)
    return min(100.0, 100 * dropped / whole) if whole else None
