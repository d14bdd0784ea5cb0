"""Adds up the lines of a run, one by one, to the summary of the run.

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

_MOST_NAMED = 20  # How many damaged lines a summary names.


class RunTally:
    """What is known so far of a run: its questions, times, memories and calls of models."""

    def __init__(self, expected: Mapping[str, int], verdicts: RunVerdicts) -> None:
        """Begin with nothing; ``expected`` is how many questions the run asks of each source."""
        self._verdicts = verdicts
        self._questions = QuestionTally(expected, verdicts)
        self._durations = DurationTally()
        self._memories = LatestMemories()
        self._calls = CallsTally()
        self._begun: dict[str, CallRecord] = {}  # The calls that have not ended, by name.
        # Where cached replies to the memory saved time: the phases of rows.
        self._phases_with_cached: set[tuple[str, Place]] = set()

    def add_sample(self, sample: Sample) -> None:
        """Add the answer to a question."""
        self._questions.add(self._verdicts.score(sample))

    def see(self, stage: StageRecord) -> None:
        """Add what the memory did with the support of a question, after its answer."""
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
            self._phases_with_cached.add((call.phase, call.place))

    def scores(self) -> dict[str, list[QuestionScore]]:
        """Return the scores of the questions by source, in the order stored."""
        return self._questions.scores()

    def row_memories(self, rows: Iterable[RowUsage]) -> list[RowMemory]:
        """Return what is known of the memory of each row, and what its answers took.

        Times are left out in which the memory got cached replies of its model, for these say
        nothing of how long it takes.
        """
        usage = {(row.split, row.row): row for row in rows}
        memories = []
        for place, record in self._memories.by_place.items():
            shown = record
            if ("memorizing", place) in self._phases_with_cached:
                shown = replace(record, adds=None, add_seconds=None, ready_seconds=None)
            is_unknown = ("answering", place) in self._phases_with_cached
            searches = None if is_unknown else self._durations.searches.get(place, ())
            memories.append(RowMemory(shown, usage.get(place), searches))
        return memories

    def summary(self, record: RunRecord, damaged: Sequence[DamagedLine]) -> RunSummary:
        """Return the summary of the run, whose record this is.

        ``damaged`` are the lines of its files that could not be read.
        """
        scores = self._questions.totals(
            benchmark=record.data.benchmark,
            shared_texts=name_shared_texts(self._memories.by_place),
        )
        memories = self.row_memories(scores.rows)
        calls = self._summarize_calls([memory.record for memory in memories], scores.spent.n)
        spent = self._with_waste(scores.spent, calls)
        return RunSummary(
            agent=record.agent,
            data=record.data.name,
            protocol=record.protocol,
            sources=self._summarize_sources(scores, memories),
            rows=scores.rows,
            spent=spent,
            commonest_error=scores.commonest_error,
            **scores.means,
            memory=MemorySummary.of(memories),
            calls=calls,
            damaged=_name_damaged(damaged),
            titles=record.data.titles,
            leaks=_find_leaks(record.protocol, self._verdicts.families) or None,
            takes=record.takes,
        )

    def _summarize_calls(
        self, memories: Sequence[MemoryRecord], questions: int
    ) -> CallsSummary | None:
        """Return what the calls of models took, for some questions.

        Returns None if there was no call, and no memory whose calls could have been counted.
        """
        for call in self._begun.values():  # They can no longer end.
            self._calls.add(call)
        self._begun.clear()
        if not self._calls and not any(memory.metered for memory in memories):
            return None
        return self._calls.summary(memories, questions)

    def _with_waste(self, spent: AnswerUsage, calls: CallsSummary | None) -> AnswerUsage:
        """Return what answers took, with the cost of replies that gave no answer.

        These are replies of no use, and the reply to the preflight before the run.
        """
        wasted = self._durations.wasted
        if calls is not None and calls.preflight is not None:
            wasted += calls.preflight.cost or 0.0
        if wasted == 0:
            return spent
        return replace(spent, cost=(spent.cost or 0.0) + wasted)

    def _summarize_sources(
        self, scores: ScoreTotals, memories: Sequence[RowMemory]
    ) -> dict[str, SourceSummary]:
        """Return the scores of each source with its times and its memories.

        The time to memorize a source is None if a row of it has no memory, and the time to answer
        if a question of it has no time.
        """
        source_of = {(row.split, row.row): row.source for row in scores.rows}
        records = self._memories.by_place
        with_unknown_time = {source for place, source in source_of.items() if place not in records}
        seconds_memorize = dict.fromkeys(scores.sources, 0.0)
        for place, record in records.items():
            seconds_memorize[record.source] += record.seconds
            source_of.setdefault(place, record.source)
        durations = self._durations.by_source(source_of)
        summaries = {}
        for name, source in scores.sources.items():
            seconds_answer, timed_questions = durations.get(name, (0.0, 0))
            scores_of_source = {
                field.name: getattr(source, field.name) for field in fields(SourceScores)
            }
            summaries[name] = SourceSummary(
                **scores_of_source,
                seconds_memorize=None if name in with_unknown_time else seconds_memorize[name],
                seconds_answer=seconds_answer if timed_questions >= source.n else None,
                memory=MemorySummary.of(
                    [memory for memory in memories if memory.record.source == name]
                ),
            )
        return summaries


def _name_damaged(damaged: Sequence[DamagedLine]) -> tuple[str, ...] | None:
    """Return sentences on the first damaged lines, and on how many more there are; None of none."""
    sentences = [f"{line}." for line in damaged[:_MOST_NAMED]]
    more = len(damaged) - len(sentences)
    if more > 0:
        sentences.append(f"Not readable: {write_count(more, 'more line')}.")
    return tuple(sentences) or None


def _find_leaks(protocol_name: str, families: Mapping[str, Family]) -> dict[str, str]:
    """Return by source what the protocol reveals to the agent about the golds.

    Sources of other benchmarks are left out: their histories do not have the form that leaks.
    """
    protocol = PROTOCOLS.get(protocol_name)  # None for a file of predictions.
    if protocol is None or not protocol.leaks:
        return {}
    leaks = {
        source: family.leak.what for source, family in families.items() if family.leak is not None
    }
    if not leaks:
        return {}
    of_others = published_sources()
    return {source: what for source, what in leaks.items() if source not in of_others}
