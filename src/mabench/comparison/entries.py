"""What is compared: a run, or several builds of one, with the scores of its questions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np

from mabench.errors import UsageError
from mabench.results import (
    NOT_JUDGED,
    CallsSummary,
    Key,
    MemorySummary,
    Run,
    RunRecord,
    RunVerdicts,
    calls_summary,
    memory_summary,
)
from mabench.uncertainty import Floats


@dataclass(frozen=True, slots=True)
class Entry:
    """A run, or several builds of the same, with the scores of its questions."""

    name: str  # The folder, as it was given.
    runs: Sequence[Run]  # Its builds.
    builds: Sequence[Mapping[str, Mapping[Key, float]]]  # Their scores from 0 to 1, by source.
    without: Mapping[str, str]  # Why sources have no score.
    judges: Mapping[str, str]  # By source.
    types: Mapping[str, Mapping[Key, str]]  # Of the questions that have one, by source.
    parts: Sequence[Mapping[str, Mapping[Key, str]]]  # Of each build's questions, by source.

    @property
    def record(self) -> RunRecord:
        """The record of the first build."""
        return self.runs[0].record

    def calls(self) -> CallsSummary | None:
        """Return the calls of all builds together."""
        if not any(run.summary.calls for run in self.runs):
            return None
        return calls_summary(
            [memory for run in self.runs for memory in run.store.memories().values()],
            (call for run in self.runs for call in run.store.calls()),
            len(self.runs) * sum(self.record.questions.values()),
        )

    def memory(self, sources: Collection[str]) -> MemorySummary | None:
        """Return what all builds together memorized of some sources."""
        rows = [row for run in self.runs for row in run.memories()]
        return memory_summary([row for row in rows if row.record.source in sources])

    def questions(self, source: str) -> set[Key]:
        """Return the questions of a source that have a score."""
        return set(self.builds[0].get(source, ()))

    def scores(self, source: str, questions: Sequence[Key]) -> Floats:
        """Return the scores of a source's questions, one row for each build."""
        return np.array([[build[source][key] for key in questions] for build in self.builds])

    def only(self, questions: Mapping[str, Collection[Key]]) -> Entry:
        """Return the entry with no more than some questions, by source."""
        builds = [
            {name: {key: build[name][key] for key in keys} for name, keys in questions.items()}
            for build in self.builds
        ]
        without = dict.fromkeys(self.builds[0].keys() - questions, "no question was asked of all")
        return replace(self, builds=builds, without={**without, **self.without})

    def part(self, name: str, source: str, questions: Sequence[Key]) -> Floats:
        """Return 1 for each question of a source that has a part, one row for each build."""
        return np.array(
            [[float(build[source][key] == name) for key in questions] for build in self.parts]
        )

    def mean(self, sources: Sequence[str]) -> list[float]:
        """Return the mean score over some sources, of each build."""
        return [fmean(fmean(build[name].values()) for name in sources) for build in self.builds]


def open_entry(run: Run | Path | str, score: str, *, unfinished: bool = False) -> Entry:
    """Open a run, or the folder of a repeated run; ``unfinished`` ones only where they may be.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when there is no run, or it is unfinished, or the builds are different runs.
    """
    folder = run.folder if isinstance(run, Run) else Path(run)
    if (folder / "run.json").exists():
        runs = [Run(folder)]
    else:
        repeats = sorted(folder.glob("repeat-*/run.json"), key=lambda file: (len(str(file)), file))
        runs = [Run(file.parent) for file in repeats]
    if not runs:
        raise UsageError(
            f"{folder}: no run here (there is no run.json, and no repeat-1/run.json either); "
            "give a folder of `mabench run`"
        )
    record = runs[0].record
    for other in runs[1:]:
        if differences := record.differences(other.record):
            raise UsageError(
                f"{folder}: repeats of different runs: {differences[0]}; compare them one by one"
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
    parts = [build for entry in entries for build in entry.parts]
    return Entry(str(folder), runs, builds, without, first.judges, first.types, parts)


def _read_build(run: Run, score: str, unfinished: bool) -> Entry:
    verdicts, expected = RunVerdicts.of(run.store), run.record.questions
    scores: dict[str, dict[Key, float]] = {name: {} for name in expected}
    types: dict[str, dict[Key, str]] = {name: {} for name in expected}
    parts: dict[str, dict[Key, str]] = {name: {} for name in expected}
    without: dict[str, str] = {}
    judges: dict[str, str] = {}
    asked = 0
    for scored in map(verdicts.score, run.store.samples()):
        asked += 1
        sample, value = scored.sample, getattr(scored, score)
        source, key = sample.source, sample.key
        needs = verdicts.metrics[source].needs
        scores[source][key] = float(value or 0)
        parts[source][key] = scored.part
        if sample.question_type:
            types[source][key] = sample.question_type
        if scored.verdict == NOT_JUDGED:
            without[source] = f"{run.folder} is not judged"
        elif needs == "entities" and value is None:
            without.setdefault(source, f"{run.folder} has no score without entities")
        elif needs == "judge" and scored.judge:
            prompts = scored.judge.prompts[:8]
            judges.setdefault(source, f"{scored.judge.model}, prompts {prompts}")
    if asked < sum(expected.values()) and not unfinished:
        raise UsageError(
            f"{run.folder}: unfinished, {asked} of {sum(expected.values())} questions so far; "
            "resume it, or compare what all were asked (`common`)"
        )
    for name in without:
        scores.pop(name)
        judges.pop(name, None)
    return Entry(str(run.folder), [run], [scores], without, judges, types, [parts])
