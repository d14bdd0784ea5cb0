"""A run in its folder, as Python and notebooks see it, and its summary, derived from its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Self

from mabench.data.sheets import is_of_drafts
from mabench.printable import printable
from mabench.results.columns import QuestionValues, in_columns, to_arrow
from mabench.results.memory import RowMemory
from mabench.results.records.lines import Judgment, Sample
from mabench.results.records.record import RunRecord
from mabench.results.records.store import RunFolder
from mabench.results.scored import QuestionScore, ScoredQuestion
from mabench.results.summaries import RunSummary, SourceSummary
from mabench.results.summing.run_tally import RunTally
from mabench.results.verdicts import RunVerdicts

if TYPE_CHECKING:
    import pyarrow

_HEADERS = ("Source", "Metric", "n", "Errors", "Official", "95 %", "Corrected", "95 %")


class Run:
    """A run in its ``folder``, whose files its ``store`` reads."""

    def __init__(self, folder: Path, store: RunFolder | None = None) -> None:
        self.folder = folder
        self.store = store or RunFolder(folder)

    @classmethod
    def summarize(cls, store: RunFolder, tally: RunTally | None = None) -> Self:
        """Write the summary of a run anew, and return the run.

        Its files are not read for that where the ``tally`` has all their lines.
        """
        run = cls(store.path, store)
        if tally is not None:
            run.tally = tally
        store.write_summary(run.summary)
        return run

    @cached_property
    def tally(self) -> RunTally:
        """What the lines of the run's files come to; they are read once."""
        tally = RunTally(self.record.questions, RunVerdicts.of(self.store))
        self.store.read(tally)
        return tally

    @cached_property
    def summary(self) -> RunSummary:
        """The scores, from 0 to 100, as in ``summary.json``; derived from the stored samples."""
        tally = self.tally  # Reading it finds which lines are damaged.
        return tally.summary(self.record, self.store.damaged())

    def without_drafts(self) -> Self:
        """Return the run without the scores of drafted questions, which nobody has accepted."""
        location, sources = self.record.data.location, self.summary.sources
        kept = {name: one for name, one in sources.items() if not is_of_drafts(name, location)}
        if len(kept) == len(sources):
            return self
        run = type(self)(self.folder, self.store)
        run.summary = replace(self.summary, sources=kept, mean_interval=None)
        return run

    @property
    def record(self) -> RunRecord:
        """What the run is, as in ``run.json``."""
        return self.store.record()

    def memories(self) -> list[RowMemory]:
        """Return what is known of each row's memory."""
        return self.tally.row_memories(self.summary.rows)

    def scores(self) -> dict[str, list[QuestionScore]]:
        """Return the scores of the questions by source, without their texts, in stored order."""
        return self.tally.scores()

    def judgments(self) -> Iterator[Judgment]:
        """Yield the verdicts of judges, in the order in which they were given."""
        return self.store.judgments()

    def samples(self) -> Iterator[Sample]:
        """Yield the questions that were asked, with their answers."""
        return self.store.samples()

    def questions(self) -> Iterator[ScoredQuestion]:
        """Yield the questions that were asked, with the scores and verdicts that count."""
        verdicts = RunVerdicts.of(self.store)
        timings = {timing.key: timing for timing in self.store.timings()}
        for sample in self.store.samples():
            yield verdicts.score(sample, timings.get(sample.key))

    def rows(self) -> Iterator[QuestionValues]:
        """Yield the questions that were asked by the names of the columns of a table."""
        return in_columns(str(self.folder), self.record, self.questions())

    def table(self) -> pyarrow.Table:
        """Return the same rows as an Arrow table, which pandas, polars and DuckDB take.

        The column ``golds`` holds lists. A mark replaces each lone surrogate, which Arrow cannot
        hold.
        """
        return to_arrow(self.rows())

    def __repr__(self) -> str:
        """Which run it is; it is not summarized for that."""
        return f"<Run {str(self.folder)!r}>"

    def _repr_html_(self) -> str:
        """Return the scores as a table, which notebooks show; every text in it is escaped.

        The intervals are those for new histories where there are any, else those for these
        histories, which are marked with †.
        """
        summary = self.summary
        title = f"{summary.agent} on {summary.data}, protocol {summary.protocol}"
        head = _html_row("th", _HEADERS)
        body = "".join(_html_row("td", _cells(*item)) for item in summary.sources.items())
        return (
            f"<p><b>{escape(printable(title))}</b><br>"
            f"<small>{escape(printable(str(self.folder)))}</small></p>"
            f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
        )


def _cells(name: str, source: SourceSummary) -> list[str]:
    """Return the cells of a source, one for each of ``_HEADERS``."""
    n = f"{source.n}" if source.n == source.expected else f"{source.n} of {source.expected}"
    cells = [name, source.metric, n, f"{source.errors}"]
    for measure in source.measures.values():
        cells += [f"{measure:.1f}", measure.range()] if measure else ["-", "-"]
    return cells


def _html_row(tag: str, cells: Iterable[str]) -> str:
    """Return a line of a table; ``tag`` is that of its cells, ``th`` or ``td``."""
    return "<tr>" + "".join(f"<{tag}>{escape(printable(cell))}</{tag}>" for cell in cells) + "</tr>"
