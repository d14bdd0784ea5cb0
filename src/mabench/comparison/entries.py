"""What is compared: runs, or several builds of one, with the scores of the same questions.

Builds are runs of the same agent with the same settings, each with a memory of its own. A source is
a set of questions about some histories. The support of a question is what of its history answers
it, and stages are where that may be lost on its way into an answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Self

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
    name_shared_texts,
    refuse_repeats,
)

_SHORT_HASH = 16  # Characters of a hash, or of another setting, in an error.


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
        """Return what its builds looked at in the memory for a source; nothing for a table.

        Of each build: whether it listed the records of the memory, and whether it listed them also
        right after the memory was told a question's support. Builds that did the same are one.
        """
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
        """Open a run, or the folder of a repeated run.

        Args:
            run: the run or the folder.
            score: which of the scores is compared.
            unfinished: whether a run may be unfinished. None also means no, for callers that have
                no parameter ``common``: errors then do not name it.

        Raises:
            DataError: when a run cannot be read.
            UsageError: when there is no run, or it is unfinished, or the builds are different runs.
        """
        folder = run.folder if isinstance(run, Run) else Path(run)
        runs = _open_builds(folder)
        entries = [_read_build(build, score, unfinished) for build in runs]
        first = entries[0]
        without = {name: reason for entry in entries for name, reason in entry.without.items()}
        for name, judge in first.judges.items():
            if any(entry.judges.get(name, judge) != judge for entry in entries):
                without[name] = f"{folder} has builds that different judges judged"
        builds = [
            {name: answers for name, answers in entry.builds[0].items() if name not in without}
            for entry in entries
        ]
        return cls(
            name=str(folder),
            score=score,
            runs=runs,
            builds=builds,
            without=without,
            judges=first.judges,
        )

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
            shared: dict[str, set[Key]] = {}
            for name in entries[0].sources:
                questions = set.intersection(*(entry.questions(name) for entry in entries))
                if questions:
                    shared[name] = questions
            entries = [entry.only(shared) for entry in entries]
        first, *others = entries
        for other, name in product(others, first.sources):
            here, there = first.questions(name), other.questions(name)
            if name in other.sources and here != there:
                remedy = ""
                if common is False:
                    remedy = "; `common` compares those that all runs share"
                raise UsageError(
                    f"{first.name} and {other.name} cannot be compared: they were asked different "
                    f"questions of {name}, {_describe_difference(here, there)}{remedy}"
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
        if not self.record.data.benchmark:
            return set()
        return {
            name
            for name in sources
            if name in BY_NAME and len(self.questions(name)) == BY_NAME[name].questions
        }

    def calls(self) -> CallsSummary | None:
        """Return the calls of all builds together."""
        if not any(run.summary.calls for run in self.runs):
            return None
        memories = [memory for run in self.runs for memory in run.store.memories().values()]
        calls = (call for run in self.runs for call in run.store.calls())
        questions = len(self.runs) * sum(self.record.questions.values())
        return CallsSummary.of(memories, calls, questions)

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
        """What names the text of histories that share theirs with another, by split and row."""
        return name_shared_texts(self.runs[0].store.memories())

    def looks(self, source: str) -> set[tuple[bool, bool]]:
        """Return what its builds looked at in the memory for a source, as in ``Entry.looks``."""
        looks = set()
        for run in self.runs:
            stages = run.summary.sources[source].stages
            if stages is None:
                looks.add((False, False))
            else:
                looks.add((stages.listed > 0, stages.followed > 0))
        return looks

    def without_stages(self, source: str) -> RunEntry:
        """Return the entry with one part for all stages at which a source's support was missed."""
        other = replace(self)  # With no table drawn up, so that this one keeps its own.
        other._tables[source] = self.table(source).without_stages()
        return other

    def only(self, questions: Mapping[str, Collection[Key]]) -> Self:
        """Return the entry with no more than some questions, by source."""
        builds = [
            {name: {key: build[name][key] for key in keys} for name, keys in questions.items()}
            for build in self.builds
        ]
        why = "no question was asked of all runs"
        without = dict.fromkeys(self.builds[0].keys() - questions.keys(), why)
        return replace(self, builds=builds, without={**without, **self.without})


def _open_builds(folder: Path) -> list[Run]:
    """Return the run in a folder, or the builds of a repeated run in the order of their numbers.

    Raises:
        UsageError: when the builds are different runs.
    """
    # repeat-10 comes after repeat-9: of two names, the longer one has the larger number.
    repeats = sorted(folder.glob("repeat-*/run.json"), key=lambda file: (len(str(file)), file))
    if (folder / "run.json").exists() or not repeats:
        return [Run(folder)]
    runs = [Run(file.parent) for file in repeats]
    first, *others = runs
    for other in others:
        if differences := first.record.differences(other.record):
            raise UsageError(
                f"{folder}: repeats of different runs: {differences[0]}; compare them one by one"
            )
    return runs


def _read_build(run: Run, score: str, unfinished: bool | None) -> RunEntry:
    """Return one run as an entry; ``unfinished`` is as for ``RunEntry.open``."""
    expected, families = run.record.questions, run.store.families()
    answers: dict[str, dict[Key, QuestionScore]] = {name: {} for name in expected}
    without: dict[str, str] = {}
    judges: dict[str, str] = {}
    for source, scores in run.scores().items():
        answers[source] = {question.key: question for question in scores}
        needs, judge = families[source].needs, run.summary.sources[source].judge
        if any(not question.is_judged for question in scores):
            without[source] = f"{run.folder} is not judged"
        elif is_of_drafts(source, run.record.data.location):
            without[source] = "its questions are drafts"
        elif needs == "golds":
            without[source] = f"{run.folder} has no score: nobody said which answers are right"
        elif needs == "entities" and any(getattr(question, score) is None for question in scores):
            without[source] = f"{run.folder} has no score without entities"
        elif needs == "judge" and judge:
            judges[source] = f"{judge.model}, prompts {judge.prompts[:8]}"
    asked, in_all = sum(map(len, answers.values())), sum(expected.values())
    if asked < in_all and not unfinished:
        alternative = ""
        if unfinished is False:
            alternative = ", or compare the questions that all runs share (`common`)"
        raise UsageError(
            f"{run.folder}: unfinished, {asked} of {write_count(in_all, 'question')} so far; "
            f"resume it{alternative}"
        )
    for name in without:
        del answers[name]
    return RunEntry(
        name=str(run.folder),
        score=score,
        runs=[run],
        builds=[answers],
        without=without,
        judges=judges,
    )


def _check_comparable(entries: Sequence[RunEntry]) -> None:
    """Raise a UsageError for fewer than two runs, or if their data or settings differ."""
    if len(entries) < 2:
        raise UsageError("a comparison needs at least two runs; name another, or a `baseline`")
    refuse_repeats((Path(entry.name), [run.folder for run in entry.runs]) for entry in entries)
    first, *others = entries
    for other in others:
        a, b = first.record.data, other.record.data
        problem = f"{first.name} and {other.name} cannot be compared"
        if a.fingerprint != b.fingerprint:
            if a.name == b.name:
                short_a, short_b = a.fingerprint[:_SHORT_HASH], b.fingerprint[:_SHORT_HASH]
                rows = f"{a.name}, {short_a} and {short_b}"
            else:
                rows = f"{a.name} and {b.name}"
            raise UsageError(f"{problem}: their rows differ: {rows}")
        if different := _list_different_settings(first.record, other.record):
            raise UsageError(f"{problem}: they differ in {', '.join(different)}")


def _list_different_settings(a: RunRecord, b: RunRecord) -> list[str]:
    """Return in words the settings of the harness that differ: ``chunk tokens (512 against 4096)``.

    A setting without a value is shown as ``its own``.
    """
    different = []
    for setting in ("protocol", "chunk_tokens", "prompts"):
        value_a, value_b = getattr(a, setting), getattr(b, setting)
        if value_a != value_b:
            shown_a = str(value_a or "its own")[:_SHORT_HASH]
            shown_b = str(value_b or "its own")[:_SHORT_HASH]
            different.append(f"{setting.replace('_', ' ')} ({shown_a} against {shown_b})")
    return different


def _describe_difference(here: Collection[Key], there: Collection[Key]) -> str:
    """Return in words which rows were asked, or where these are the same, which questions.

    For example: ``rows 0-4 against 0-9``.
    """
    rows_here, rows_there = {row for _, row, _ in here}, {row for _, row, _ in there}
    if rows_here != rows_there:
        return f"rows {_write_range(rows_here)} against {_write_range(rows_there)}"
    questions_here, questions_there = {index for *_, index in here}, {index for *_, index in there}
    if questions_here != questions_there:
        return f"questions {_write_range(questions_here)} against {_write_range(questions_there)}"
    return f"{len(here)} against {len(there)}"


def _write_range(numbers: Collection[int]) -> str:
    """Return the first and the last of some numbers: ``0-4``, or ``3`` alone."""
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low}-{high}"


def _common_sources(entries: Sequence[RunEntry]) -> list[str]:
    """Return the sources that all have a score of, by the same judge where one judged."""
    sources = [
        name
        for name in dict.fromkeys(name for entry in entries for name in entry.record.questions)
        if all(name in entry.sources for entry in entries)
        and len({entry.judges.get(name) for entry in entries}) == 1
    ]
    if not sources:
        reasons = dict.fromkeys(reason for entry in entries for reason in entry.without.values())
        raise UsageError(
            f"{entries[0].name} and the other runs share no source on which all have a score"
            + "".join(f"; {reason}" for reason in reasons)
        )
    return sources
