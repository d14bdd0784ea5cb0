"""What is compared: runs, or several builds of one, with the scores of the same questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Self

from mabench.comparison.shared_texts import name_shared_texts
from mabench.comparison.tables import BuildScores
from mabench.data.inventory import BY_NAME
from mabench.data.sheets import is_of_drafts
from mabench.errors import UsageError
from mabench.printable import write_count
from mabench.results import (
    CallsSummary,
    Key,
    MemorySummary,
    Place,
    QuestionScore,
    Run,
    RunRecord,
    RunSummary,
    refuse_repeats,
)

_SHORT = 16  # Characters of a hash.


class Entry(ABC):
    """What is compared: a name, an agent, and the scores of its builds by source."""

    name: str  # The folder as it was given, or the agent of a table of scores.
    agent: str  # The agent's name with its settings.
    builds_count: int
    without: Mapping[str, str]  # Why sources have no score.

    @property
    @abstractmethod
    def sources(self) -> Collection[str]:
        """The sources that have a score."""

    @abstractmethod
    def questions(self, source: str) -> Collection[Hashable]:
        """Return what names the questions of a source that have a score."""

    @abstractmethod
    def table(self, source: str) -> BuildScores:
        """Return what the builds have of a source."""

    def complete(self, sources: Iterable[str]) -> set[str]:
        """Return the sources of the benchmark whose questions were all asked."""
        return set()

    @property
    def repeats_itself(self) -> bool:
        """Whether another build is known to score the same."""
        return False

    @property
    def summaries(self) -> tuple[RunSummary, ...]:
        """The summary of each build; none of a table of scores."""
        return ()

    def calls(self) -> CallsSummary | None:
        """Return the calls of all builds together, if any are known."""
        return None

    def memory(self, sources: Collection[str]) -> MemorySummary | None:
        """Return what all builds together memorized of some sources, if it is known."""
        return None

    def looks(self, source: str) -> set[tuple[bool, bool]]:
        """Return what its builds looked at in the memory for a source; nothing for a table."""
        return set()

    def without_stages(self, source: str) -> Entry:
        """Return the entry with one part for all stages at which a source's support was missed."""
        return self


@dataclass(frozen=True)
class RunEntry(Entry):
    """A run, or several builds of the same, with the scores of its questions."""

    name: str
    score: str  # Which of the scores is compared, ``official`` or ``corrected``.
    runs: Sequence[Run]  # Its builds.
    builds: Sequence[Mapping[str, Mapping[Key, QuestionScore]]]  # By source, of those with a score.
    without: Mapping[str, str]
    judges: Mapping[str, str]  # By source.
    _tables: dict[str, BuildScores] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def open(cls, run: Run | Path | str, score: str, *, unfinished: bool | None = None) -> Self:
        """Open a run, or the folder of a repeated run; ``unfinished`` ones only where they may be.

        None is for callers that have no ``common``, which errors then do not name.

        Raises:
            DataError: when a run cannot be read.
            UsageError: when there is no run, or it is unfinished, or the builds are different runs.
        """
        folder = run.folder if isinstance(run, Run) else Path(run)
        repeats = sorted(folder.glob("repeat-*/run.json"), key=lambda file: (len(str(file)), file))
        is_one = (folder / "run.json").exists() or not repeats
        runs = [Run(folder)] if is_one else [Run(file.parent) for file in repeats]
        record = runs[0].record
        for other in runs[1:]:
            if differences := record.differences(other.record):
                raise UsageError(
                    f"{folder}: repeats of different runs: {differences[0]}; "
                    "compare them one by one"
                )
        entries = [_read_build(build, score, unfinished) for build in runs]
        first = entries[0]
        without = {name: reason for entry in entries for name, reason in entry.without.items()}
        for name, judge in first.judges.items():
            if any(entry.judges.get(name, judge) != judge for entry in entries):
                without[name] = f"{folder} has builds that different judges judged"
        builds = [
            {name: values for name, values in build.items() if name not in without}
            for entry in entries
            for build in entry.builds
        ]
        return cls(str(folder), score, runs, builds, without, first.judges)

    @classmethod
    def open_comparable(
        cls, runs: Sequence[Run | Path | str], score: str, *, common: bool | None = None
    ) -> tuple[list[Self], list[str]]:
        """Open runs on the same questions, with the sources that all have a score of.

        ``common`` is as ``unfinished`` of ``open``.

        Raises:
            DataError, UsageError: as ``compare`` does.
        """
        entries = [cls.open(run, score, unfinished=common) for run in runs]
        _check_comparable(entries)
        if common:
            sources = {
                name: set.intersection(*(entry.questions(name) for entry in entries))
                for name in entries[0].builds[0]
            }
            asked = {name: questions for name, questions in sources.items() if questions}
            entries = [entry.only(asked) for entry in entries]
        first, *others = entries
        for other, name in product(others, first.builds[0]):
            here, there = first.questions(name), other.questions(name)
            if name in other.builds[0] and here != there:
                more = "; `common` compares those that all runs share" * (common is False)
                raise UsageError(
                    f"{first.name} and {other.name} cannot be compared: they were asked different "
                    f"questions of {name}, {_difference(here, there)}{more}"
                )
        return entries, _common_sources(entries)

    @property
    def record(self) -> RunRecord:
        """The record of the first build."""
        return self.runs[0].record

    @property
    def agent(self) -> str:  # type: ignore[override]
        """The agent's name with its settings."""
        return self.record.agent

    @property
    def builds_count(self) -> int:  # type: ignore[override]
        """How many builds there are."""
        return len(self.builds)

    @property
    def sources(self) -> Collection[str]:
        """The sources that have a score."""
        return self.builds[0].keys()

    @property
    def repeats_itself(self) -> bool:
        """Whether the agent declares that another build of it answers the same."""
        return self.record.deterministic is True

    @property
    def summaries(self) -> tuple[RunSummary, ...]:
        """The summary of each build."""
        return tuple(run.summary for run in self.runs)

    def complete(self, sources: Iterable[str]) -> set[str]:
        """Return the sources of the benchmark whose questions were all asked."""
        return {
            name
            for name in sources
            if self.record.data.benchmark
            and name in BY_NAME
            and len(self.questions(name)) == BY_NAME[name].questions
        }

    def calls(self) -> CallsSummary | None:
        """Return the calls of all builds together."""
        if not any(run.summary.calls for run in self.runs):
            return None
        return CallsSummary.of(
            [memory for run in self.runs for memory in run.store.memories().values()],
            (call for run in self.runs for call in run.store.calls()),
            len(self.runs) * sum(self.record.questions.values()),
        )

    def memory(self, sources: Collection[str]) -> MemorySummary | None:
        """Return what all builds together memorized of some sources."""
        rows = [row for run in self.runs for row in run.memories()]
        return MemorySummary.of([row for row in rows if row.record.source in sources])

    def questions(self, source: str) -> set[Key]:
        """Return the questions of a source that have a score."""
        return {*self.builds[0].get(source, ())}

    def table(self, source: str) -> BuildScores:
        """Return what the builds have of a source: drawn up once, for many pairs need it."""
        if source not in self._tables:
            builds = [build[source] for build in self.builds]
            self._tables[source] = BuildScores.of(builds, self.score, self._texts)
        return self._tables[source]

    @cached_property
    def _texts(self) -> Mapping[Place, Place]:
        return name_shared_texts(self.runs[0].store.memories())

    def looks(self, source: str) -> set[tuple[bool, bool]]:
        """Return what its builds looked at in the memory for a source: the store, and how often."""
        stages = [run.summary.sources[source].stages for run in self.runs]
        return {(one.listed > 0, one.followed > 0) if one else (False, False) for one in stages}

    def without_stages(self, source: str) -> RunEntry:
        """Return the entry with one part for all stages at which a source's support was missed."""
        other = replace(self)
        other._tables[source] = self.table(source).without_stages()
        return other

    def only(self, questions: Mapping[str, Collection[Key]]) -> Self:
        """Return the entry with no more than some questions, by source."""
        builds = [
            {name: {key: build[name][key] for key in keys} for name, keys in questions.items()}
            for build in self.builds
        ]
        why = "no question was asked of all runs"
        without = dict.fromkeys(self.builds[0].keys() - questions, why)
        return replace(self, builds=builds, without={**without, **self.without})


def _read_build(run: Run, score: str, unfinished: bool | None) -> RunEntry:
    expected, families = run.record.questions, run.store.families()
    answers: dict[str, dict[Key, QuestionScore]] = {name: {} for name in expected}
    without: dict[str, str] = {}
    judges: dict[str, str] = {}
    for source, scores in run.scores().items():
        answers[source] = {one.key: one for one in scores}
        needs, judge = families[source].needs, run.summary.sources[source].judge
        if any(not one.is_judged for one in scores):
            without[source] = f"{run.folder} is not judged"
        elif is_of_drafts(source, run.record.data.location):
            without[source] = "its questions are drafts"
        elif needs == "golds":
            without[source] = f"{run.folder} has no score: nobody said which answers are right"
        elif needs == "entities" and any(getattr(one, score) is None for one in scores):
            without[source] = f"{run.folder} has no score without entities"
        elif needs == "judge" and judge:
            judges[source] = f"{judge.model}, prompts {judge.prompts[:8]}"
    asked = sum(map(len, answers.values()))
    if asked < sum(expected.values()) and not unfinished:
        more = ", or compare the questions that all runs share (`common`)" * (unfinished is False)
        raise UsageError(
            f"{run.folder}: unfinished, {asked} of "
            f"{write_count(sum(expected.values()), 'question')} so far; "
            f"resume it{more}"
        )
    for name in without:
        answers.pop(name)
        judges.pop(name, None)
    return RunEntry(str(run.folder), score, [run], [answers], without, judges)


def _check_comparable(entries: Sequence[RunEntry]) -> None:
    if len(entries) < 2:
        raise UsageError("a comparison needs at least two runs; name another, or a `baseline`")
    refuse_repeats((Path(entry.name), [run.folder for run in entry.runs]) for entry in entries)
    first, *others = entries
    for other in others:
        a, b = first.record, other.record
        problem = f"{first.name} and {other.name} cannot be compared"
        if a.data.fingerprint != b.data.fingerprint:
            rows = f"{a.data.name} and {b.data.name}"
            if a.data.name == b.data.name:
                hashes = (a.data.fingerprint[:_SHORT], b.data.fingerprint[:_SHORT])
                rows = f"{a.data.name}, {' and '.join(hashes)}"
            raise UsageError(f"{problem}: their rows differ: {rows}")
        different = []
        for setting in ("protocol", "chunk_tokens", "prompts"):
            of = getattr(a, setting), getattr(b, setting)
            if of[0] != of[1]:
                said = " against ".join(str(each or "its own")[:_SHORT] for each in of)
                different.append(f"{setting.replace('_', ' ')} ({said})")
        if different:
            raise UsageError(f"{problem}: they differ in {', '.join(different)}")


def _difference(here: Collection[Key], there: Collection[Key]) -> str:
    """Return in words which rows were asked, or where these are the same, which questions."""
    for place, noun in ((1, "rows"), (2, "questions")):
        numbers = [sorted({int(key[place]) for key in keys}) for keys in (here, there)]
        if numbers[0] != numbers[1]:
            ranges = (f"{of[0]}-{of[-1]}" if len(of) > 1 else str(of[0]) for of in numbers)
            return f"{noun} {' against '.join(ranges)}"
    return f"{len(here)} against {len(there)}"


def _common_sources(entries: Sequence[RunEntry]) -> list[str]:
    """Return the sources that all have a score of, by the same judge where one judged."""
    sources = [
        name
        for name in dict.fromkeys(name for entry in entries for name in entry.record.questions)
        if all(name in entry.builds[0] for entry in entries)
        and len({entry.judges.get(name) for entry in entries}) == 1
    ]
    if not sources:
        reasons = dict.fromkeys(reason for entry in entries for reason in entry.without.values())
        raise UsageError(
            f"{entries[0].name} and the other runs share no source on which all have a score"
            + "".join(f"; {reason}" for reason in reasons)
        )
    return sources
