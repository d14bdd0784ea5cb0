"""Scoring the answers of a run again, by the rules of this version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

from mabench.errors import MabenchError, UsageError
from mabench.loading import catalogue_of, load
from mabench.results.records.lines import Key
from mabench.results.records.store import RunFolder
from mabench.results.run import Run
from mabench.results.samples import score_again
from mabench.results.verdicts import RunVerdicts


class CountingScores(NamedTuple):
    """The scores of a question that count, from 0 to 1, and its verdict."""

    official: float | None
    corrected: float | None
    verdict: str | None

    @classmethod
    def by_question(cls, folder: RunFolder) -> dict[Key, Self]:
        """Return those of every question of a run."""
        verdicts = RunVerdicts.of(folder)
        scored = map(verdicts.score, folder.samples())
        return {one.sample.key: cls(one.official, one.corrected, one.verdict) for one in scored}


class ScoreChange(NamedTuple):
    """A question that has other scores, or another verdict, since it was scored again."""

    source: str
    row: int
    question_index: int
    before: CountingScores
    after: CountingScores

    def __str__(self) -> str:
        fields = zip(CountingScores._fields, self.before, self.after, strict=True)
        changes = [
            f"{name} {_in_words(old)} -> {_in_words(new)}"
            for name, old, new in fields
            if old != new
        ]
        place = f"{self.source}, row {self.row}, question {self.question_index}"
        return f"{place}: {', '.join(changes)}"


def _in_words(value: float | str | None) -> str:
    """Return a score from 0 to 100, or a verdict as it is."""
    if value is None:
        return "none"
    return value if isinstance(value, str) else f"{100 * value:.1f}"


def rescore(
    path: str | Path,
    entities: str | Path | None = None,
    data: str | None = None,
    changed: Callable[[Sequence[ScoreChange]], None] | None = None,
) -> Run:
    """Score every sample of a run again, by this version's rules, and store the scores.

    ``changed`` is told which questions have other scores now.

    A sample from whose prediction a secret was taken out keeps its scores: they are those of what
    the agent answered, which is not stored.

    The ``entities`` of recommendation samples are else those of the run's data set, which lies
    where ``data`` says, if not where the run found it.

    Raises:
        DataError: when a file of the run cannot be read.
        UsageError: when the folder holds no run, another process is writing there, or ``data`` is
            another data set.
    """
    folder = RunFolder(Path(path))
    dataset = None
    record = folder.record()
    with folder.own():
        folder.repair()
        if data is not None:
            dataset = load(data)
            if dataset.fingerprint != record.data.fingerprint:
                raise UsageError(
                    f"{data} does not hold the rows of this run, from "
                    f"{record.data.location or record.data.name}; leave out `data`, or give that "
                    "data set",
                    parameter="data",
                )
        elif record.data.location:
            with suppress(MabenchError):  # It may have moved since.
                dataset = load(record.data.location, offline=True)
        families = folder.families()
        catalogue = catalogue_of(dataset, entities, families.values())
        before = CountingScores.by_question(folder) if changed else {}
        folder.replace_samples(
            sample if sample.redacted else score_again(sample, families[sample.source], catalogue)
            for sample in folder.samples(every=True)
        )
        if changed:
            after = CountingScores.by_question(folder)
            source_of = {sample.key: sample.source for sample in folder.samples()}
            changes = []
            for key, scores in after.items():
                if scores != before[key]:
                    _, row, question_index = key
                    change = ScoreChange(source_of[key], row, question_index, before[key], scores)
                    changes.append(change)
            changed(changes)
        return Run.summarize(folder)
