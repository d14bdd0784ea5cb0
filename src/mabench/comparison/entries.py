"""What is compared: a run, or several builds of one, with the scores of its questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from mabench.errors import UsageError
from mabench.families import family_of
from mabench.results import NOT_JUDGED, CallsSummary, Run, RunSummary, ScoredQuestion
from mabench.results.calls import calls_summary
from mabench.results.records.record import RunRecord
from mabench.results.records.sample import Key, SampleScores
from mabench.results.scored import scored_questions
from mabench.uncertainty import Floats

SCORES = ("official", "corrected")


@dataclass(frozen=True, slots=True)
class Entry:
    """A run, or several builds of the same, with the scores of its questions.

    Attributes:
        name: the folder, as it was given.
        run: its first build.
        record: what the run is.
        builds: for each build and source the score of each question, from 0 to 1.
        without: sources without a score, with the reason.
        judges: who judged, by source.
        types: the type of each question that has one, by source.
        calls: the calls of models of all builds together; None where none are known.
        summaries: the summary of each build.
    """

    name: str
    run: Run
    record: RunRecord
    builds: Sequence[Mapping[str, Mapping[Key, float]]]
    without: Mapping[str, str]
    judges: Mapping[str, str]
    types: Mapping[str, Mapping[Key, str]]
    calls: CallsSummary | None
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
    runs = [Run(one) for one in _builds(folder)]
    record = runs[0].record
    for other in runs[1:]:
        if differences := record.differences(other.record):
            raise UsageError(
                f"{folder}: repeats of different runs: {differences[0]}; compare them one by one"
            )
    opened = [_open(one, score) for one in runs]
    without = {name: reason for one in opened for name, reason in one.without.items()}
    for name, judge in opened[0].judges.items():
        if any(one.judges.get(name, judge) != judge for one in opened):
            without[name] = f"{folder} has builds that different judges judged"
    return Entry(
        name=str(folder),
        run=runs[0],
        record=record,
        builds=[
            {name: values for name, values in one.scores.items() if name not in without}
            for one in opened
        ],
        without=without,
        judges=opened[0].judges,
        types=opened[0].types,
        calls=calls_summary(
            [memory for one in runs for memory in one.store.memories().values()],
            (call for one in runs for call in one.store.calls()),
            sum(one.asked for one in opened),
        ),
        summaries=[one.summary for one in runs],
    )


def _builds(folder: Path) -> list[Path]:
    """Return the folders of the runs in a folder: itself, or those of a repeated run."""
    if (folder / "run.json").exists():
        return [folder]
    repeats = sorted(folder.glob("repeat-*/run.json"), key=lambda file: (len(str(file)), file))
    if not repeats:
        raise UsageError(
            f"{folder}: no run here (there is no run.json, and no repeat-1/run.json either); "
            "give a folder of `mabench run`"
        )
    return [file.parent for file in repeats]


class _Opened(NamedTuple):
    """A run's questions by source: scores, who judged, what has none and why, and their types.

    ``asked`` is the number of all questions.
    """

    scores: dict[str, Mapping[Key, float]]
    judges: dict[str, str]
    without: dict[str, str]
    types: dict[str, Mapping[Key, str]]
    asked: int


def _open(run: Run, score: str) -> _Opened:
    questions: dict[str, list[ScoredQuestion[SampleScores]]] = {
        name: [] for name in run.record.questions
    }
    for one in scored_questions(run.store, run.store.scores()):
        questions[one.sample.source].append(one)
    opened = _Opened({}, {}, {}, {}, sum(map(len, questions.values())))
    _refuse_unfinished(run, opened.asked)
    for name, scored in questions.items():
        samples = [one.sample for one in scored]
        opened.types[name] = {one.key: one.question_type for one in samples if one.question_type}
        family = family_of(name, run.record.all_sources)
        if any(one.verdict == NOT_JUDGED for one in scored):
            opened.without[name] = f"{run.folder} is not judged"
            continue
        values = {one.sample.key: getattr(one, score) for one in scored}
        if family.needs_entities and None in values.values():
            opened.without[name] = f"{run.folder} has no score without entities"
            continue
        judge = next((one.judge for one in scored if one.judge and family.needs_judge), None)
        if judge:
            opened.judges[name] = f"{judge.model}, prompts {judge.prompts[:8]}"
        opened.scores[name] = {key: float(value or 0) for key, value in values.items()}
    return opened


def _refuse_unfinished(run: Run, asked: int) -> None:
    expected = sum(run.record.questions.values())
    if asked < expected:
        raise UsageError(
            f"{run.folder}: unfinished, {asked} of {expected} questions so far; resume it before "
            "it is compared"
        )


def entries_differ(entries: Sequence[Entry]) -> Iterator[str]:
    """Name what keeps runs from being compared."""
    records = [entry.record for entry in entries]
    if len({record.protocol for record in records}) > 1:
        yield "protocol"
    if len({record.chunk_tokens for record in records}) > 1:
        yield "chunk tokens"
    if len({record.prompts for record in records}) > 1:
        yield "prompts"
    if len({record.data.fingerprint for record in records}) > 1:
        yield "data"
