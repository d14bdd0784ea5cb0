"""The summary of a run, derived from its files, with the columns and means of the paper's table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, NamedTuple

from mabench.data.formats import published_sources
from mabench.data.inventory import BY_NAME, CATEGORIES, SOURCES
from mabench.injection import PROTOCOLS
from mabench.results.calls import calls_summary
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
from mabench.results.tally import AMOUNTS, SourceTally, SourceTotals, UsageTally, source_intervals
from mabench.uncertainty import MIN_HISTORIES, Grouped, Part, combine, spread, student

# How many damaged lines a summary names.
_MOST_NAMED = 20


class _ScoreTotals(NamedTuple):
    """What questions come to on their own."""

    sources: Mapping[str, SourceScores]
    rows: tuple[RowUsage, ...]
    spent: AnswerUsage
    means: Mapping[str, Any]  # Of the paper's table, in the fields of ``ScoreSummary``.


def summarize(folder: RunFolder) -> RunSummary:
    """Return the summary of a run; a file that cannot be read gives a DataError."""
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
        sources=sources,
        rows=scores.rows,
        spent=spent,
        **scores.means,
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
) -> _ScoreTotals:
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
    usage = [
        RowUsage(
            split=split, row=row, source=source, n=tally.n, errors=tally.errors, **tally.amounts
        )
        for (split, row, source), tally in rows.items()
    ]
    return _ScoreTotals(
        {name: total.scores for name, total in totals.items()},
        tuple(sorted(usage, key=lambda row: (row.split, row.row))),
        _total_usage(usage),
        _paper_means(totals if benchmark else {}),
    )


def _total_usage(rows: Sequence[RowUsage]) -> AnswerUsage:
    amounts = {}
    for name in AMOUNTS:
        known = [value for row in rows if (value := getattr(row, name)) is not None]
        amounts[name] = sum(known) if known else None
    n, errors = sum([row.n for row in rows]), sum([row.errors for row in rows])
    return AnswerUsage(n=n, errors=errors, **amounts)


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
    sentences = tuple(f"{line}." for line in damaged[:_MOST_NAMED])
    if len(damaged) > _MOST_NAMED:
        sentences += (f"{len(damaged) - _MOST_NAMED} more lines cannot be read.",)
    return sentences or None


def _leaks(protocol_name: str, metrics: Mapping[str, Metric]) -> dict[str, str]:
    protocol = PROTOCOLS.get(protocol_name)  # Of files of predictions it is unknown.
    if protocol is None or not protocol.leaks:
        return {}
    leaks = {name: leak.what for name, metric in metrics.items() if (leak := metric.family.leak)}
    others = published_sources() if leaks else ()  # Not in the benchmark's form.
    return {name: what for name, what in leaks.items() if name not in others}


def column_weights(columns: Sequence[str]) -> dict[str, float]:
    """Return the weight of each source in the mean of some columns; they add up to 1."""
    members = [[source.name for source in SOURCES if source.column == name] for name in columns]
    return {name: 1 / (len(columns) * len(names)) for names in members for name in names}


def overall_weights() -> dict[str, float]:
    """Return the weight of each source in the mean of the categories."""
    return {
        name: weight / len(CATEGORIES)
        for category in CATEGORIES
        for name, weight in column_weights(category.columns).items()
    }


def _paper_means(totals: Mapping[str, SourceTotals]) -> dict[str, Any]:
    """Return the columns that sources feed, all categories, and the mean over the categories.

    A column has scores only when every question of its sources in the inventory is there, a
    category only when all its columns have.
    """
    columns, categories = {}, {}
    for column in dict.fromkeys(BY_NAME[name].column for name in totals if name in BY_NAME):
        if column:
            members = [source for source in SOURCES if source.column == column]
            present = [totals[member.name].scores for member in members if member.name in totals]
            expected = sum(member.questions for member in members)
            complete = sum(source.n for source in present) == expected
            coverage = sum(source.n - source.missing for source in present) / expected
            columns[column] = _mean(column_weights([column]), present, complete, coverage, totals)
    for category in CATEGORIES:
        names = category.columns
        parts = [columns[name] for name in names if name in columns]
        complete = len(parts) == len(names) and all(column.complete for column in parts)
        coverage = sum(column.coverage for column in parts) / len(names)
        weights = column_weights(names)
        categories[category.name] = _mean(weights, parts, complete, coverage, totals)
    complete = all(category.complete for category in categories.values())
    overall = _mean(overall_weights(), [*categories.values()], complete, 1.0, totals)
    return {
        "columns": columns,
        "categories": categories,
        "overall": overall.official,
        "overall_corrected": overall.corrected,
        "overall_interval": overall.interval,
        "overall_corrected_interval": overall.interval_corrected,
    }


def _mean(
    weights: Mapping[str, float],
    parts: Sequence[SourceScores | MeanScore],
    complete: bool,
    coverage: float,
    totals: Mapping[str, SourceTotals],
) -> MeanScore:
    """Return the mean over parts with the weights of their sources, which add up to 1."""
    if not complete:
        return MeanScore(official=None, corrected=None, complete=False, coverage=coverage)
    official = [part.official for part in parts if part.official is not None]
    corrected = [part.corrected for part in parts if part.corrected is not None]
    return MeanScore(
        official=fmean(official) if len(official) == len(parts) else None,
        corrected=fmean(corrected) if len(corrected) == len(parts) else None,
        interval=_mean_intervals(weights, {name: of.official for name, of in totals.items()}),
        interval_corrected=_mean_intervals(
            weights, {name: of.corrected for name, of in totals.items()}
        ),
        complete=True,
        coverage=coverage,
    )


def _mean_intervals(
    weights: Mapping[str, float], scores: Mapping[str, Grouped | None]
) -> Intervals | None:
    """Return the intervals of a weighted mean over sources.

    None unless the scores of every source are known. That for new histories takes the sources
    with fewer than five histories as given, and is null where all are.
    """
    known = [(weight, scores.get(name)) for name, weight in weights.items()]
    groups = [(weight, group) for weight, group in known if group and group.n]
    if len(groups) < len(weights):
        return None
    if len(groups) == 1:
        return source_intervals(groups[0][1])
    these, new = (
        student(
            *combine(
                Part(weight, group.mean, spread(group, new=over_new)) for weight, group in groups
            ),
            Metric.low,
            Metric.high,
        )
        for over_new in (False, True)
    )
    several = any(group.groups >= MIN_HISTORIES for _, group in groups)
    return Intervals(these_histories=these.percent, new_histories=new.percent if several else None)
