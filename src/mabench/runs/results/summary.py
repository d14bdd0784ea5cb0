"""The summary of a run, derived from the files of its folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mabench.data import BY_NAME, Source
from mabench.families import family_of
from mabench.runs.records.judgments import JudgeName
from mabench.runs.records.measurements import MemoryRecord, Place, Timing
from mabench.runs.records.sample import Sample
from mabench.runs.records.store import RunFolder
from mabench.runs.results.columns import means
from mabench.runs.results.judges import Verdicts, verdicts_by_judge
from mabench.runs.results.memory import memory_summaries
from mabench.runs.results.summaries import (
    RowUsage,
    RunSummary,
    SourceScores,
    SourceSummary,
    Usage,
)
from mabench.runs.results.tally import SourceTally
from mabench.runs.results.usage import UsageTally, total_usage


class SampleScores(NamedTuple):
    """What samples say on their own.

    Attributes:
        sources: the scores of each source.
        rows: what the answers of each row took.
        spent: what all answers took.
    """

    sources: dict[str, SourceScores]
    rows: tuple[RowUsage, ...]
    spent: Usage


def summarize(folder: RunFolder) -> RunSummary:
    """Return the summary of a run.

    Raises:
        DataError: when a file of the run cannot be read.
    """
    record = folder.record()
    judges = verdicts_by_judge(folder.judgments(), folder.samples())
    scores = score_samples(folder.samples(), record.questions, judges, record.all_sources)
    memories = folder.memories()
    summaries = memory_summaries(memories, scores.rows)
    memorizing, answering = _seconds(memories, folder.timings(), scores.rows)
    sources = {
        name: SourceSummary(
            **{field: source[field] for field in source.__dataclass_fields__},
            seconds_memorize=memorizing.get(name, 0.0),
            seconds_answer=answering.get(name, 0.0),
            memory=summaries.get(name),
        )
        for name, source in scores.sources.items()
    }
    return RunSummary(
        agent=record.agent,
        data=record.data.name,
        protocol=record.protocol,
        sources=sources,
        rows=scores.rows,
        spent=scores.spent,
        **means(sources),
    )


def score_samples(
    samples: Iterable[Sample],
    questions: Mapping[str, int],
    judges: Mapping[str, Mapping[JudgeName, Verdicts]] | None = None,
    sources: Mapping[str, Source] = BY_NAME,
) -> SampleScores:
    """Add up samples, one at a time.

    Args:
        samples: the samples.
        questions: how many questions there are in all, by source.
        judges: the judgments on the samples, by source and judge.
        sources: the sources of the samples, by name.
    """
    tallies = {name: SourceTally(family_of(name, sources)) for name in questions}
    rows: dict[Place, UsageTally] = {}
    source_of: dict[Place, str] = {}
    for sample in samples:
        tallies[sample.source].add(sample)
        place = (sample.split, sample.row)
        if place not in rows:
            rows[place], source_of[place] = UsageTally(), sample.source
        rows[place].add(sample)
    scores = {
        name: tally.scores((judges or {}).get(name, {}), questions[name])
        for name, tally in tallies.items()
    }
    usage = tuple(
        RowUsage(
            split=split,
            row=row,
            source=source_of[split, row],
            n=tally.n,
            errors=tally.errors,
            **tally.amounts,
        )
        for (split, row), tally in sorted(rows.items(), key=lambda item: item[0])
    )
    return SampleScores(scores, usage, total_usage(rows.values()))


def _seconds(
    memories: Mapping[Place, MemoryRecord], timings: Iterable[Timing], rows: Iterable[RowUsage]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return how long memorizing and answering took, by source."""
    sources = {(row.split, row.row): row.source for row in rows}
    memorizing: dict[str, float] = {}
    answering: dict[str, float] = {}
    for place, memory in memories.items():
        sources[place] = memory.source
        memorizing[memory.source] = memorizing.get(memory.source, 0.0) + memory.seconds
    for timing in timings:
        source = sources.get((timing.split, timing.row))
        if source is not None:
            answering[source] = answering.get(source, 0.0) + timing.seconds
    return memorizing, answering
