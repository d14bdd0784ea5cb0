"""What is compared: a run, or several builds of one, with the scores of its questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

import numpy as np

from mabench.errors import UsageError
from mabench.results import NOT_JUDGED, CallsSummary, Run, RunSummary
from mabench.results.calls import calls_summary
from mabench.results.records.record import RunRecord
from mabench.results.records.sample import Key
from mabench.results.scored import read_verdicts, scored_questions
from mabench.uncertainty import Floats


@dataclass(frozen=True, slots=True)
class Entry:
    """A run, or several builds of the same, with the scores of its questions."""

    name: str  # The folder, as it was given.
    run: Run  # The first build.
    record: RunRecord
    builds: Sequence[Mapping[str, Mapping[Key, float]]]  # Scores from 0 to 1, by source.
    without: Mapping[str, str]  # Why sources have no score.
    judges: Mapping[str, str]  # By source.
    types: Mapping[str, Mapping[Key, str]]  # Of the questions that have one, by source.
    calls: CallsSummary | None  # Of all builds together.
    summaries: Sequence[RunSummary]

    def questions(self, source: str) -> set[Key]:
        """Return the questions of a source that have a score."""
        return set(self.builds[0].get(source, ()))

    def scores(self, source: str, questions: Sequence[Key]) -> Floats:
        """Return the scores of a source's questions, one row for each build."""
        return np.array([[build[source][key] for key in questions] for build in self.builds])

    def mean(self, sources: Sequence[str]) -> list[float]:
        """Return the mean score over some sources, of each build."""
        return [fmean(fmean(build[name].values()) for name in sources) for build in self.builds]


def open_entry(run: Run | Path | str, score: str) -> Entry:
    """Open a run, or the folder of a repeated run.

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
    builds = [_read_build(build, score) for build in runs]
    without = {name: reason for build in builds for name, reason in build.without.items()}
    for name, judge in builds[0].judges.items():
        if any(build.judges.get(name, judge) != judge for build in builds):
            without[name] = f"{folder} has builds that different judges judged"
    return Entry(
        name=str(folder),
        run=runs[0],
        record=record,
        builds=[
            {name: values for name, values in build.scores.items() if name not in without}
            for build in builds
        ],
        without=without,
        judges=builds[0].judges,
        types=builds[0].types,
        calls=calls_summary(
            [memory for build in runs for memory in build.store.memories().values()],
            (call for build in runs for call in build.store.calls()),
            len(runs) * sum(record.questions.values()),
        ),
        summaries=[build.summary for build in runs],
    )


@dataclass(frozen=True, slots=True)
class _Build:
    """What a run has by source: scores, who judged, why it has no score, and types."""

    scores: dict[str, dict[Key, float]]
    types: dict[str, dict[Key, str]]
    judges: dict[str, str] = field(default_factory=dict)
    without: dict[str, str] = field(default_factory=dict)


def _read_build(run: Run, score: str) -> _Build:
    verdicts, expected = read_verdicts(run.store), run.record.questions
    build, asked = _Build({name: {} for name in expected}, {name: {} for name in expected}), 0
    for scored in scored_questions(run.store, run.store.scores(), verdicts):
        asked += 1
        sample, value = scored.sample, getattr(scored, score)
        source, key = sample.source, sample.key
        needs = verdicts.metrics[source].needs
        build.scores[source][key] = float(value or 0)
        if sample.question_type:
            build.types[source][key] = sample.question_type
        if scored.verdict == NOT_JUDGED:
            build.without[source] = f"{run.folder} is not judged"
        elif needs == "entities" and value is None:
            build.without.setdefault(source, f"{run.folder} has no score without entities")
        elif needs == "judge" and scored.judge:
            prompts = scored.judge.prompts[:8]
            build.judges.setdefault(source, f"{scored.judge.model}, prompts {prompts}")
    if asked < sum(expected.values()):
        raise UsageError(
            f"{run.folder}: unfinished, {asked} of {sum(expected.values())} questions so far; "
            "resume it before it is compared"
        )
    for name in build.without:
        build.scores.pop(name)
        build.judges.pop(name, None)
    return build
