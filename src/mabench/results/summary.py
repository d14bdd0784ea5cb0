"""The summary of a run, derived from the files of its folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from mabench.data.formats import published_sources
from mabench.injection import PROTOCOLS
from mabench.results.calls import calls_summary
from mabench.results.means import paper_means
from mabench.results.records.files import DamagedLine
from mabench.results.records.measurements import MemoryRecord, Place
from mabench.results.records.sample import Sample
from mabench.results.records.store import RunFolder
from mabench.results.scored import (
    Metric,
    RunVerdicts,
    ScoredQuestion,
    read_verdicts,
    scored_questions,
)
from mabench.results.summaries import (
    AnswerUsage,
    Intervals,
    MeanScore,
    MemorySummary,
    RowUsage,
    RunSummary,
    SourceScores,
    SourceSummary,
)
from mabench.results.tally import AMOUNTS, SourceTally, UsageTally

# How many damaged lines a summary names.
_MOST_NAMED = 20


class ScoreTotals(NamedTuple):
    """What questions come to on their own, in the fields of ``ScoreSummary``."""

    sources: Mapping[str, SourceScores]
    rows: tuple[RowUsage, ...]
    spent: AnswerUsage
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
    record, verdicts = folder.record(), read_verdicts(folder)
    memories = folder.memories()
    scores = total_scores(
        scored_questions(folder, folder.samples(), verdicts),
        record.questions,
        verdicts.metrics,
        verdicts,
        {place: memory.chunks for place, memory in memories.items() if memory.chunks},
        benchmark=record.data.benchmark,
    )
    usage = {(row.split, row.row): row for row in scores.rows}
    source_of = {place: row.source for place, row in {**memories, **usage}.items()}
    seconds: dict[str | None, float] = defaultdict(float)
    timed: dict[str | None, set[int]] = defaultdict(set)
    amounts = []
    for timing in folder.timings():
        amounts.append(timing.wasted or 0.0)
        source = source_of.get((timing.split, timing.row))
        seconds[source] += timing.seconds
        timed[source].add(hash((timing.split, timing.row, timing.question_index)))
    wasted = sum(amounts)
    calls = calls_summary(memories.values(), folder.calls(), scores.spent.n)
    if calls and calls.preflight:
        wasted += calls.preflight.cost or 0.0
    spent = scores.spent
    if wasted:  # The replies that gave no answer were paid, too.
        spent = replace(spent, cost=(spent.cost or 0.0) + wasted)
    sources = {
        name: SourceSummary(
            **{field: getattr(source, field) for field in source.__dataclass_fields__},
            seconds_memorize=_memorizing(name, memories, usage),
            seconds_answer=seconds[name] if len(timed[name]) >= source.n else None,
            memory=_memory([row for row in memories.values() if row.source == name], usage),
        )
        for name, source in scores.sources.items()
    }
    return RunSummary(
        agent=record.agent,
        data=record.data.name,
        protocol=record.protocol,
        **{**scores._asdict(), "sources": sources, "spent": spent},
        calls=calls,
        damaged=_name_damage(folder.damaged()),
        leaks=_leaks(record.protocol, verdicts.metrics) or None,
    )


def total_scores(
    questions: Iterable[ScoredQuestion[Sample]],
    expected: Mapping[str, int],
    metrics: Mapping[str, Metric],
    verdicts: RunVerdicts | None = None,
    chunks: Mapping[Place, int] | None = None,
    *,
    benchmark: bool = True,
) -> ScoreTotals:
    """Add up the scores of questions, one at a time.

    ``expected`` is how many there are in all by source, ``chunks`` how many chunks the agent was
    given of each row, where that is known. Each judge of ``verdicts`` has a summary. Only rows of
    the ``benchmark`` feed the paper's columns.
    """
    tallies = {name: SourceTally(metrics[name], chunks or {}) for name in expected}
    rows: dict[tuple[str, int, str], UsageTally] = defaultdict(UsageTally)
    for scored in questions:
        sample = scored.sample
        tallies[sample.source].add(scored)
        rows[sample.split, sample.row, sample.source].add(sample)
    by_judge, answered = (verdicts.by_judge, verdicts.answered) if verdicts else ({}, {})
    totals = {
        name: tally.scores(by_judge.get(name, {}), answered.get(name, ()), expected[name])
        for name, tally in tallies.items()
    }
    scores = {name: total.scores for name, total in totals.items()}
    official = {name: total.official for name, total in totals.items()}
    corrected = {name: total.corrected for name, total in totals.items()}
    usage = [
        RowUsage(
            split=split, row=row, source=source, n=tally.n, errors=tally.errors, **tally.amounts
        )
        for (split, row, source), tally in rows.items()
    ]
    return ScoreTotals(
        scores,
        tuple(sorted(usage, key=lambda row: (row.split, row.row))),
        _total_usage(usage),
        *paper_means(scores if benchmark else {}, official, corrected),
    )


def _total_usage(rows: Sequence[RowUsage]) -> AnswerUsage:
    amounts = {}
    for name in AMOUNTS:
        known = [value for row in rows if (value := getattr(row, name)) is not None]
        amounts[name] = sum(known) if known else None
    errors = sum([row.errors for row in rows])
    return AnswerUsage(n=sum([row.n for row in rows]), errors=errors, **amounts)


def _memorizing(
    source: str, memories: Mapping[Place, MemoryRecord], usage: Mapping[Place, RowUsage]
) -> float | None:
    """Return how long memorizing took; None unless it is known of every row that was asked."""
    if any(row.source == source and place not in memories for place, row in usage.items()):
        return None
    return sum((memory.seconds for memory in memories.values() if memory.source == source), 0.0)


def _memory(
    records: Sequence[MemoryRecord], usage: Mapping[Place, RowUsage]
) -> MemorySummary | None:
    """Return what is known of a source's memories; None when no row was memorized."""
    if not records:
        return None
    dropped = whole = 0
    for memory in records:
        row = usage.get((memory.split, memory.row))
        if row and memory.tokens and row.dropped_tokens is not None:
            dropped += row.dropped_tokens
            whole += memory.tokens * (row.n - row.errors)
    totals: dict[str, int | None] = {}
    for name in ("chunks", "memories", "bytes", "chunks_without_memory"):
        values = [getattr(record, name) for record in records]
        totals[name] = None if None in values else sum(values)
    return MemorySummary(
        rows=len(records),
        failed=sum([record.error is not None for record in records]),
        **totals,
        dropped_share=min(100.0, 100 * dropped / whole) if whole else None,
    )


def _name_damage(damaged: Sequence[DamagedLine]) -> tuple[str, ...] | None:
    """Return a sentence for each damaged line, for the first ones at least."""
    sentences = tuple(f"{line}." for line in damaged[:_MOST_NAMED])
    if len(damaged) > _MOST_NAMED:
        sentences += (f"{len(damaged) - _MOST_NAMED} more lines cannot be read.",)
    return sentences or None


def _leaks(protocol_name: str, metrics: Mapping[str, Metric]) -> dict[str, str]:
    """Return by source what its histories told the agent about the golds."""
    protocol = PROTOCOLS.get(protocol_name)  # Of files of predictions it is unknown.
    if protocol is None or not protocol.leaks:
        return {}
    leaks = {name: leak.what for name, metric in metrics.items() if (leak := metric.family.leak)}
    others = published_sources() if leaks else ()  # Not in the benchmark's form.
    return {name: what for name, what in leaks.items() if name not in others}
