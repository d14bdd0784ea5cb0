"""A run in its folder, as Python sees it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from mabench.runs.records.judgments import Judgment
from mabench.runs.records.record import RunRecord
from mabench.runs.records.sample import Sample, SampleScores
from mabench.runs.records.store import RunFolder
from mabench.runs.results.summaries import RunSummary
from mabench.runs.results.summary import summarize


class Run:
    """A run in its folder.

    Attributes:
        folder: where it is kept.
        summary: its scores, as in ``summary.json``.
        record: what it is, as in ``run.json``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def summary(self) -> RunSummary:
        """The scores, derived from the stored samples."""
        return summarize(RunFolder(self.folder))

    @cached_property
    def record(self) -> RunRecord:
        """What the run is, as in ``run.json``."""
        return RunFolder(self.folder).record()

    def scores(self) -> Iterator[SampleScores]:
        """Yield the scores of the questions that were asked, without their answers' details."""
        return RunFolder(self.folder).scores()

    def judgments(self) -> Iterator[Judgment]:
        """Yield the verdicts of judges, in the order in which they were given."""
        return RunFolder(self.folder).judgments()

    def samples(self) -> Iterator[Sample]:
        """Yield the questions that were asked, with their answers."""
        return RunFolder(self.folder).samples()
