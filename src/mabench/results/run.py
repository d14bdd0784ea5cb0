"""A run in its folder, as Python and notebooks see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from html import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_type_hints

from mabench.json_text import without_surrogates
from mabench.printable import printable
from mabench.results.records.record import RunRecord
from mabench.results.records.sample import Judgment, Sample
from mabench.results.records.store import RunFolder
from mabench.results.scored import ScoredQuestion, scored_questions
from mabench.results.summaries import Intervals, RunSummary
from mabench.results.summary import summarize

if TYPE_CHECKING:
    import pyarrow

# Rows that are turned into columns at a time.
_BATCH = 1_000
_HEADERS = ("Source", "Metric", "n", "Errors", "Official", "95 %", "Corrected", "95 %")


class QuestionRow(NamedTuple):
    """One question of a run with its answer and scores; what is not known is None.

    Attributes:
        source: the source of the row.
        split, row: the place of the history.
        question_index: which of its questions, from 0.
        question: the question.
        golds: the answers that the data set accepts.
        prediction: the agent's answer; None when it failed.
        error: why there is no prediction.
        official, corrected, verdict, rule: as in ``ScoredQuestion``.
        hit_rank: the rank, from 1, of the first passage in which a gold stands.
        seconds: how long the answer took.
        input_tokens, output_tokens: what the answer took.
        cost: of the answer, in US dollars.
        question_type: the type of the question, such as its category, where there are types.
        evidence_recall: the share of the turns that the question rests on which was retrieved.
    """

    source: str
    split: str
    row: int
    question_index: int
    question: str
    golds: list[str]
    prediction: str | None
    error: str | None
    official: float | None
    corrected: float | None
    verdict: str | None
    rule: str | None
    hit_rank: int | None
    seconds: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    question_type: str | None = None
    evidence_recall: float | None = None


class Run:
    """A run in its folder.

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
        seconds = {timing.key: timing.seconds for timing in self.store.timings()}
        for scored in self.questions():
            sample = scored.sample
            values: dict[str, Any] = {
                name: getattr(scored, name, getattr(sample, name, None))
                for name in QuestionRow._fields
            }
            values |= {"golds": list(sample.answers), "seconds": seconds.get(sample.key)}
            for name in ("seconds", "cost", "evidence_recall"):
                values[name] = None if values[name] is None else float(values[name])
            yield QuestionRow(**values)

    def table(self) -> pyarrow.Table:
        """Return the same rows as an Arrow table, which pandas, polars and DuckDB take.

        The columns are the fields of ``QuestionRow``; ``golds`` holds lists. A mark stands for
        each lone surrogate, which Arrow cannot hold.
        """
        import pyarrow

        kinds = {
            str: pyarrow.string(),
            int: pyarrow.int64(),
            float: pyarrow.float64(),
            list[str]: pyarrow.list_(pyarrow.string()),
        }
        hints = get_type_hints(QuestionRow)
        types = {name: hint if hint in kinds else get_args(hint)[0] for name, hint in hints.items()}
        schema = pyarrow.schema([(name, kinds[kind]) for name, kind in types.items()])
        rows = (
            {name: _arrow_value(value) for name, value in row._asdict().items()}
            for row in self.rows()
        )
        batches = []
        while batch := list(islice(rows, _BATCH)):
            batches.append(pyarrow.RecordBatch.from_pylist(batch, schema))
        return pyarrow.Table.from_batches(batches, schema)

    def _repr_html_(self) -> str:
        """Return the scores as a table, which notebooks show; every text in it is escaped.

        The intervals are those for new histories where there are any, else those for these
        histories, which are marked with †.
        """
        summary = self.summary
        title = f"{summary.agent} on {summary.data}, protocol {summary.protocol}"
        body = ""
        for name, source in summary.sources.items():
            n = f"{source.n}" if source.n == source.expected else f"{source.n} of {source.expected}"
            official = _cells(source.official, source.interval)
            corrected = _cells(source.corrected, source.interval_corrected)
            cells = (name, source.metric, n, str(source.errors), *official, *corrected)
            body += _html_row("td", cells)
        return (
            f"<p><b>{_html(title)}</b><br><small>{_html(str(self.folder))}</small></p>"
            f"<table><thead>{_html_row('th', _HEADERS)}</thead><tbody>{body}</tbody></table>"
        )


def _arrow_value(value: object) -> object:
    if isinstance(value, str):
        return without_surrogates(value)
    return [_arrow_value(part) for part in value] if isinstance(value, list) else value


def _cells(score: float | None, intervals: Intervals | None) -> tuple[str, str]:
    limits, mark = intervals and intervals.new_histories, ""
    if intervals and not limits:
        limits, mark = intervals.these_histories, "†"
    interval = f"{limits[0]:.1f} to {limits[1]:.1f}{mark}" if limits else "-"
    return "-" if score is None else f"{score:.1f}", interval


def _html_row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_html(cell)}</{tag}>' for cell in cells)}</tr>"


def _html(text: str) -> str:
    return escape(printable(text))
