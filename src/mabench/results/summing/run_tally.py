"""What a run comes to, added up from its lines one by one.

A run adds each line as it writes it, so that its summary takes no second reading of all answers;
whoever opens a run later adds each line as it is read. No text is kept, so that a long run needs
little more memory than a short one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace

from mabench.data.formats import published_sources
from mabench.families import Family
from mabench.injection import PROTOCOLS
from mabench.printable import write_count
from mabench.results.answers import AnswerUsage, RowUsage
from mabench.results.calls import CallsSummary, CallsTally
from mabench.results.memory import MemorySummary, RowMemory
from mabench.results.records.files import DamagedLine
from mabench.results.records.lines import (
    CallRecord,
    MemoryRecord,
    Place,
    Sample,
    StageRecord,
    Timing,
)
from mabench.results.records.memories import LatestMemories
from mabench.results.records.record import RunRecord
from mabench.results.scored import QuestionScore
from mabench.results.summaries import RunSummary, SourceScores, SourceSummary
from mabench.results.summing.durations import DurationTally
from mabench.results.summing.questions import QuestionTally, ScoreTotals
from mabench.results.summing.shared_texts import name_shared_texts
from mabench.results.verdicts import RunVerdicts

# How many damaged lines a summary names.
_MOST_NAMED = 20


class RunTally:
    """What is known so far of a run: its questions, times, memories and calls of models."""

    def __init__(self, expected: Mapping[str, int], verdicts: RunVerdicts) -> None:
        self._verdicts = verdicts
        self._questions = QuestionTally(expected, verdicts)
        self._durations = DurationTally()
        self._memories = LatestMemories()
        self._calls = CallsTally()
        self._begun: dict[str, CallRecord] = {}  # The calls that have not ended, by name.
        # What was answered by a kept reply to a memory: the phase, and the row.
        self._kept: set[tuple[str, Place]] = set()

    def add_sample(self, sample: Sample) -> None:
        """Add the answer to a question."""
        self._questions.add(self._verdicts.score(sample))

    def see(self, stage: StageRecord) -> None:
        """Add what was seen of the support of a question, after its answer."""
        self._questions.see(stage)

    def add_timing(self, timing: Timing) -> None:
        """Add how long an answer took."""
        self._durations.add(timing)

    def add_memory(self, memory: MemoryRecord) -> None:
        """Add what is known of the memory of a row."""
        self._memories.add(memory)

    def add_call(self, call: CallRecord) -> None:
        """Add that a call of a model began, or how it ended."""
        if not call.ended:
            self._begun[call.call] = call
            return
        self._begun.pop(call.call, None)
        self._calls.add(call)
        if call.kept and call.by == "memory":
            self._kept.add((call.phase, call.place))

    def scores(self) -> dict[str, list[QuestionScore]]:
        """Return the scores of the questions by source, in the order stored."""
        return self._questions.scores()

    def row_memories(self, rows: Iterable[RowUsage]) -> list[RowMemory]:
        """Return the memory of each row, without the times of what kept replies made faster."""
        usage = {(row.split, row.row): row for row in rows}
        memories = []
        for place, record in self._memories.by_place.items():
            if ("memorizing", place) in self._kept:
                record = replace(record, adds=None, add_seconds=None, ready_seconds=None)
            unknown = ("answering", place) in self._kept
            searches = None if unknown else self._durations.searches(place)
            memories.append(RowMemory(record, usage.get(place), searches))
        return memories

    def summary(self, record: RunRecord, damaged: Sequence[DamagedLine]) -> RunSummary:
        """Return what a run comes to, of whose files some lines are ``damaged``."""
        scores = self._questions.totals(
            benchmark=record.data.benchmark,
            shared_texts=name_shared_texts(self._memories.by_place),
        )
        memories = self.row_memories(scores.rows)
        calls = self._summarize_calls([memory.record for memory in memories], scores.spent.n)
        of_sources = self._summarize_sources(scores, memories)
        of_all_memories = MemorySummary.of(memories)
        return RunSummary(
            agent=record.agent,
            data=record.data.name,
            protocol=record.protocol,
            sources=of_sources,
            rows=scores.rows,
            spent=self._with_waste(scores.spent, calls),
            commonest_error=scores.commonest_error,
            **scores.means,
            memory=of_all_memories,
            calls=calls,
            damaged=_name_damaged(damaged),
            titles=record.data.titles,
            leaks=_find_leaks(record.protocol, self._verdicts.families) or None,
            takes=record.takes,
        )

    def _summarize_calls(
        self, memories: Sequence[MemoryRecord], questions: int
    ) -> CallsSummary | None:
        """Return what the calls came to; None if none was made that could be counted."""
        for call in self._begun.values():  # They can no longer end.
            self._calls.add(call)
        self._begun.clear()
        if not self._calls and not any(memory.metered for memory in memories):
            return None
        return self._calls.summary(memories, questions)

    def _with_waste(self, spent: AnswerUsage, calls: CallsSummary | None) -> AnswerUsage:
        """Return what answers took with what was paid for the replies that gave no answer."""
        preflight = calls.preflight if calls else None
        wasted = self._durations.wasted + ((preflight and preflight.cost) or 0.0)
        return replace(spent, cost=(spent.cost or 0.0) + wasted) if wasted else spent

    def _summarize_sources(
        self, scores: ScoreTotals, memories: Sequence[RowMemory]
    ) -> dict[str, SourceSummary]:
        """Return the scores of each source with its times and its memories."""
        source_of = {(row.split, row.row): row.source for row in scores.rows}
        memorized = dict.fromkeys(scores.sources, 0.0)
        without_memory = {*source_of} - {(row.record.split, row.record.row) for row in memories}
        unknown = {source_of[place] for place in without_memory}
        for record, _, _ in memories:
            memorized[record.source] += record.seconds
            source_of.setdefault((record.split, record.row), record.source)
        durations = self._durations.by_source(source_of)
        summaries = {}
        for name, source in scores.sources.items():
            seconds, timed = durations.get(name, (0.0, 0))
            summaries[name] = SourceSummary(
                **{field.name: getattr(source, field.name) for field in fields(SourceScores)},
                seconds_memorize=None if name in unknown else memorized[name],
                seconds_answer=seconds if timed >= source.n else None,
                memory=MemorySummary.of([row for row in memories if row.record.source == name]),
            )
        return summaries


def _name_damaged(damaged: Sequence[DamagedLine]) -> tuple[str, ...] | None:
    """Return the damaged lines in words, and of many how many more there are; None of none."""
    named = [f"{line}." for line in damaged[:_MOST_NAMED]]
    if more := len(damaged) - len(named):
        named.append(f"Not readable: {write_count(more, 'more line')}.")
    return tuple(named) or None


def _find_leaks(protocol_name: str, families: Mapping[str, Family]) -> dict[str, str]:
    """Return by source what the protocol reveals to the agent about the golds."""
    protocol = PROTOCOLS.get(protocol_name)  # Of files of predictions it is unknown.
    if protocol is None or not protocol.leaks:
        return {}
    leaks = {name: leak.what for name, family in families.items() if (leak := family.leak)}
    others = published_sources() if leaks else ()  # Not in the benchmark's form.
    return {name: what for name, what in leaks.items() if name not in others}
