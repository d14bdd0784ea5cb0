"""A run in its folder, as Python sees it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.results.notebook import html_of
from mabench.results.questions import QuestionRow, question_rows, table_of
from mabench.results.records.judgments import Judgment
from mabench.results.records.record import RunRecord
from mabench.results.records.sample import Sample, SampleScores
from mabench.results.records.store import RunFolder
from mabench.results.scored import ScoredQuestion, scored_questions
from mabench.results.summaries import RunSummary
from mabench.results.summary import summarize

if TYPE_CHECKING:
    import pyarrow


class Run:
    """A run in its folder.

    Args:
        folder: where it is kept.
        summary: its summary, where that has been made.
        store: what reads its files, where something does.

    Attributes:
        folder: where it is kept.
        store: reads its files.
    """

    def __init__(
        self, folder: Path, summary: RunSummary | None = None, store: RunFolder | None = None
    ) -> None:
        self.folder = folder
        self.store = store or RunFolder(folder)
        if summary is not None:
            self.summary = summary

    @cached_property
    def summary(self) -> RunSummary:
        """The scores, from 0 to 100, as in ``summary.json``; derived from the stored samples."""
        return summarize(self.store)

    @property
    def record(self) -> RunRecord:
        """What the run is, as in ``run.json``."""
        return self.store.record()

    def scores(self) -> Iterator[SampleScores]:
        """Yield the scores of the questions that were asked, without their answers' details."""
        return self.store.scores()

    def judgments(self) -> Iterator[Judgment]:
        """Yield the verdicts of judges, in the order in which they were given."""
        return self.store.judgments()

    def samples(self) -> Iterator[Sample]:
        """Yield the questions that were asked, with their answers."""
        return self.store.samples()

    def questions(self) -> Iterator[ScoredQuestion[Sample]]:
        """Yield the questions that were asked, with the scores and verdicts that count."""
        return scored_questions(self.store, self.store.samples())

    def rows(self) -> Iterator[QuestionRow]:
        """Yield the questions that were asked as flat rows, with scores, verdicts and seconds."""
        return question_rows(self.store)

    def table(self) -> pyarrow.Table:
        """Return the same rows as an Arrow table, which pandas, polars and DuckDB take.

        The columns are the fields of ``QuestionRow``; ``golds`` holds lists.
        """
        return table_of(self.store)

    def _repr_html_(self) -> str:
        """Return the scores as a table, which notebooks show."""
        return html_of(self.summary, self.folder)
