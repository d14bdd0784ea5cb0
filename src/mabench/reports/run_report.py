"""The report of a run: short or full, with what was asked to be put beside it, in any format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from mabench.families import OWN_FAMILIES, family_of
from mabench.lookup import Capabilities
from mabench.printable import write_count
from mabench.reports.brief.remarks import shared_title
from mabench.reports.brief.run import brief_run_report, headlines
from mabench.reports.costs.calls import call_remarks, calls_table
from mabench.reports.diagnosis import diagnose, look_remarks, store_remarks
from mabench.reports.failures import failure_remarks
from mabench.reports.formats import show_reports
from mabench.reports.leaderboard import Figure, put_beside
from mabench.reports.program_tables import ScoreLine, score_rows, score_table
from mabench.reports.report import Report
from mabench.reports.run_tables import run_tables
from mabench.reports.score_remarks import leak_remarks, letter_remarks, score_remarks
from mabench.reports.sentences import say
from mabench.reports.tables import Table, retitle, titles_of
from mabench.reports.verdicts.calibrations import calibration_remarks
from mabench.reports.verdicts.judges import share_sentence
from mabench.reports.verdicts.marks import describe_marks, marks_table
from mabench.reports.verification import verify_scores
from mabench.results import (
    Mark,
    ModelRecord,
    Run,
    RunRecord,
    RunSummary,
    ScoreSummary,
    SourceScores,
    estimate_shares,
)


class ReportOptions(NamedTuple):
    """What a report has beside the score, one table and the first remarks."""

    full: bool = False  # All tables and remarks.
    # Questions that a program drafted and nobody accepted count, too, as a source of their own.
    drafts: bool = False
    marks: bool = False  # What people marked as wrong is listed.


def show(
    run: Run,
    layout: str,
    console: Console,
    audit_file: Path | None = None,
    system: str | None = None,
    *,
    options: ReportOptions | None = None,
) -> None:
    """Print the report of a run.

    Args:
        run: the run.
        layout: ``table``, ``markdown``, ``latex``, ``csv`` or ``json``.
        console: where to print.
        audit_file: an audit of the data; adds the scores on the questions that it does not flag.
        system: adds the published figures of this system; ``best``: the best of each column.
        options: what is printed beside the score, one table and the first remarks.

    Raises:
        DataError: when the run or the audit cannot be read.
        UsageError: when there is no such format or system, or the audit is of other data.
    """
    options = options or ReportOptions()
    counted = run if options.drafts else run.without_drafts()
    shown = _ShownRun(
        run=counted,
        marks=counted.store.marks(),
        options=options,
        first_remarks=[*_draft_remarks(run, counted)],
        published=put_beside(counted, system) if system else None,
        verified=verify_scores(counted, audit_file) if audit_file else None,
    )
    show_reports(shown.reports(layout), shown.content, layout, console, shown.score_table)


@dataclass(frozen=True, slots=True)
class _ShownRun:
    """A run that is printed, with what is printed beside its own scores.

    Attributes:
        run: the run, without the drafted questions that do not count.
        marks: what people marked as wrong in it.
        options: what the report has.
        first_remarks: sentences that come before those on the run.
        published: a report with figures of a published system, and these figures; None without.
        verified: the scores on the questions that an audit does not flag; None without an audit.
    """

    run: Run
    marks: Sequence[Mark]
    options: ReportOptions
    first_remarks: Sequence[str]
    published: tuple[Report, Sequence[Figure]] | None
    verified: Mapping[str, SourceScores] | None

    def reports(self, layout: str) -> Iterator[Report]:
        """Yield the report of the run, short or full, and what was asked for beside it."""
        full = self.options.full
        if layout == "table" and not (full or self.published or self.verified):
            yield self._brief_report()
        else:
            # Papers seldom have a table of memories.
            yield self._full_report(with_memory=full or layout != "latex")
        if self.published:
            report, _ = self.published
            yield report
        if self.options.marks and self.marks:
            yield Report("Marks", [marks_table(self.marks)])

    def _brief_report(self) -> Report:
        """Return the short report, whose remarks begin with the most important ones."""
        summary, record = self.run.summary, self.run.record
        remarks = _order_by_weight(summary, _remarks_by_subject(self.run, record))
        first_remarks = [*self.first_remarks, *self._mark_remarks()]
        return brief_run_report(summary, [*first_remarks, *remarks], _own_sources(summary, record))

    def _full_report(self, *, with_memory: bool) -> Report:
        """Return the report with all remarks and tables, that of the memory if asked for."""
        by_subject = _remarks_by_subject(self.run, self.run.record)
        first_remarks = [*self.first_remarks, *self._mark_remarks()]
        remarks = [*first_remarks, *chain.from_iterable(by_subject.values())]
        return _report(self.run.summary, remarks, self.verified, with_memory=with_memory)

    def _mark_remarks(self) -> Iterator[str]:
        """Yield how much people marked as wrong; if they marked nothing, only on request."""
        described = describe_marks(self.marks)
        if described is not None:
            yield described
        elif self.options.marks:
            yield "Nobody has marked a gold or a verdict as wrong."

    def content(self) -> object:
        """Return what JSON has of the run."""
        fields = self.run.summary.as_dict()
        if self.published:
            _, figures = self.published
            fields["beside"] = {figure.on: figure.as_dict() for figure in figures}
        if self.options.marks:
            fields["marks"] = [mark.as_dict() for mark in self.marks]
        if self.verified:
            fields["verified"] = {name: one.as_dict() for name, one in self.verified.items()}
        return fields

    def score_table(self) -> Table:
        """Return the table that CSV has of the run, with a line for each published figure, too."""
        lines = [*score_rows(self.run.summary, str(self.run.folder), self.verified)]
        if self.published:
            _, figures = self.published
            lines += [
                ScoreLine(
                    run=figure.published,
                    agent=figure.system,
                    source=figure.on,
                    metric="official",
                    n=figure.asked,
                    score=figure.score,
                )
                for figure in figures
            ]
        return score_table(lines)


def _draft_remarks(run: Run, counted: Run) -> Iterator[str]:
    """Yield a sentence on each source of a run that does not count, since it is of drafts."""
    left_out = run.summary.sources.keys() - counted.summary.sources.keys()
    for source in sorted(left_out):
        questions = run.summary.sources[source].n
        drafts = write_count(questions, "drafted question")
        verb, pronoun = ("is", "it") if questions == 1 else ("are", "them")
        yield f"{source}: {drafts} {verb} left out, since nobody has accepted {pronoun}."


def _own_sources(summary: RunSummary, record: RunRecord) -> list[str]:
    """Return the sources whose rows are a user's own, and not of a benchmark."""
    sources = record.all_sources
    return [name for name in summary.sources if sources[name].family in OWN_FAMILIES]


def _report(
    summary: ScoreSummary,
    remarks: list[str],
    verified: Mapping[str, SourceScores] | None = None,
    *,
    with_memory: bool = True,
) -> Report:
    """Return the report of a summary, with its failures before the tables.

    ``verified`` are the scores on the questions that an audit does not flag, by source.
    """
    by_subject = run_tables(summary, verified)
    if not with_memory:
        by_subject.pop("memory")
    tables = list(chain.from_iterable(by_subject.values()))
    calls = summary.calls if isinstance(summary, RunSummary) else None
    if calls and calls.memorizing.totals.calls + calls.answering.totals.calls:
        tables.append(calls_table(calls))
    titles = titles_of([summary])
    # What all titles share, such as ``made up``, is said once, after the name of the data.
    shared, short_titles = shared_title(titles)
    data = f"{summary.data} ({shared})" if shared else summary.data
    title = f"{summary.agent} on {data}, protocol {summary.protocol}"
    first = [*failure_remarks(summary), *headlines(summary, shared)]
    report = Report.of(title, tables, remarks)._replace(first=first)
    # The tables have whole titles in place of names already, so these are shortened, too.
    short_of_whole = {whole: short_titles[name] for name, whole in titles.items()}
    return retitle(report, {**short_titles, **short_of_whole})


def _remarks_by_subject(run: Run, record: RunRecord) -> dict[str, list[str]]:
    """Return the sentences below the tables of a run, by what they are about.

    ``record`` is that of the run.
    """
    summary = run.summary
    return {
        "damage": [*(summary.damaged or ())],
        "takes": [f"Conversations are {summary.takes}."] if summary.takes else [],
        "order": [*_order_remarks(record)],
        "scores": [*score_remarks(summary)],
        "model": [*_model_remarks(record.model)],
        "calls": [*call_remarks(summary.calls)],
        "memory": diagnose(summary),
        "letters": [*letter_remarks(summary.sources)],
        "leaks": leak_remarks(summary.leaks or {}),
        "store": [*store_remarks(summary)],
        "golds": [*_gold_remarks(run, record)],
        "shares": [*_share_remarks(run)],
        "calibrations": [*calibration_remarks(run)],
    }


def _order_by_weight(summary: RunSummary, remarks: Mapping[str, list[str]]) -> list[str]:
    """Return the sentences on a run, those first without which its score would mislead.

    How the support of questions was looked for, which is least important, comes last.
    """
    weighty = [*failure_remarks(summary)]
    for subject in ("damage", "leaks", "calls", "memory", "letters", "order"):
        weighty += remarks[subject]
    looks = [*look_remarks(summary)]  # The remarks on the memory have them, too.
    all_remarks = chain.from_iterable(remarks.values())
    others = [remark for remark in all_remarks if remark not in weighty]
    return [*(remark for remark in weighty if remark not in looks), *others, *looks]


def _order_remarks(record: RunRecord) -> Iterator[str]:
    """Yield a sentence on the order of options, if it is not the data's."""
    if record.shuffle_options is not None:
        yield (
            f"Options were shown in a random order (seed {record.shuffle_options}). Models prefer "
            "some letters, so scores of other orders may differ."
        )


def _share_remarks(run: Run) -> Iterator[str]:
    """Yield what a judge's share of right answers becomes by the verdicts of people.

    Judges by whose verdicts no source is scored are left out.
    """
    for share in estimate_shares(run):
        if share.judge == run.summary.sources[share.source].judge:
            yield share_sentence(share)


def _model_remarks(model: ModelRecord | None) -> Iterator[str]:
    """Yield that answers may differ between runs, if a local model reads several at a time."""
    if model and model.local and model.local.slots > 1:
        yield say("slots", model=model.name, slots=model.local.slots)


def _gold_remarks(run: Run, record: RunRecord) -> Iterator[str]:
    """Yield a sentence for each question that the oracle gets wrong; none for other agents.

    The oracle is an agent that is given the gold answers, so a wrong answer is a fault in scoring.
    """
    if not Capabilities.of(record.agent).takes_gold:
        return
    for question in run.questions():
        sample, score = question.sample, question.official
        if score is not None and score < 1:
            yield say(
                "short_of_gold",
                agent=record.agent.capitalize(),
                metric=family_of(sample.source, record.all_sources).metric,
                value=score,
                source=sample.source,
                row=sample.row,
                question=sample.question_index,
                prediction=sample.prediction,
                golds=sample.answers,
            )
