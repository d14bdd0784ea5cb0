"""The report of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from mabench.reports.leaderboard import put_beside
from mabench.reports.program_tables import score_rows, score_table
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
    drafts: bool = False  # Drafted questions count, too, as a source of their own.
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
    whole, run = run, run if options.drafts else run.without_drafts()
    marks = run.store.marks()
    left_out = whole.summary.sources.keys() - run.summary.sources.keys()
    remark = [_draft_remark(whole, name) for name in sorted(left_out)]
    if of_marks := describe_marks(marks):
        remark.append(of_marks)
    elif options.marks:
        remark.append("Nobody has marked a gold or a verdict as wrong.")
    published, theirs = put_beside(run, system) if system else (Report(), ())
    verified = verify_scores(run, audit_file) if audit_file else None

    def reports() -> Iterator[Report]:
        summary, record = run.summary, run.record
        remarks = _remarks_by_subject(run, record)
        if layout == "table" and not (options.full or system or verified):
            first = [*remark, *_order_by_weight(summary, remarks)]
            yield brief_run_report(summary, first, _own_sources(summary, record))
        else:
            with_memory = options.full or layout != "latex"
            listed = [*remark, *chain(*remarks.values())]
            yield _report(summary, listed, verified, with_memory=with_memory)
        if system:
            yield published
        if options.marks and marks:
            yield Report("Marks", [marks_table(marks)])

    def content() -> object:
        fields = run.summary.as_dict()
        if system:
            fields["beside"] = {figure.on: figure.as_dict() for figure in theirs}
        if options.marks:
            fields["marks"] = [mark.as_dict() for mark in marks]
        if verified:
            fields["verified"] = {name: scores.as_dict() for name, scores in verified.items()}
        return fields

    def tidy() -> Table:
        rows = score_rows(run.summary, str(run.folder), verified)
        no_limits = [None] * 3
        others = (
            (one.published, one.system, one.on, "official", one.asked, one.score, *no_limits)
            for one in theirs
        )
        return score_table([*rows, *others])

    show_reports(reports(), content, layout, console, tidy)


def _draft_remark(run: Run, source: str) -> str:
    count = run.summary.sources[source].n
    drafts = f"{write_count(count, 'drafted question')} {'is' if count == 1 else 'are'}"
    return (
        f"{source}: {drafts} left out, since nobody has accepted {'it' if count == 1 else 'them'}."
    )


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
    """Return the report of a summary, with its failures before the tables."""
    by_subject = run_tables(summary, verified)
    if not with_memory:
        by_subject.pop("memory")
    tables = [*chain(*by_subject.values())]
    calls = summary.calls if isinstance(summary, RunSummary) else None
    if calls and calls.memorizing.totals.calls + calls.answering.totals.calls:
        tables.append(calls_table(calls))
    titles = titles_of([summary])
    shared, short = shared_title(titles)
    data = f"{summary.data} ({shared})" if shared else summary.data
    title = f"{summary.agent} on {data}, protocol {summary.protocol}"
    report = Report.of(title, tables, remarks)._replace(
        first=[*failure_remarks(summary), *headlines(summary, shared)]
    )
    # The tables have titles already, which are whole.
    shorter = {whole: short[name] for name, whole in titles.items()}
    return retitle(report, {**short, **shorter})


def _remarks_by_subject(run: Run, record: RunRecord) -> dict[str, list[str]]:
    """Return the sentences below the tables of a run, by what they are about."""
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
    """Return the sentences on a run, those first without which its score would mislead."""
    misleading = ("damage", "leaks", "calls", "memory", "letters", "order")
    weighty = [*failure_remarks(summary), *chain(*(remarks[subject] for subject in misleading))]
    looks = [*look_remarks(summary)]
    others = [one for one in chain(*remarks.values()) if one not in weighty]
    return [*(one for one in weighty if one not in looks), *others, *looks]


def _order_remarks(record: RunRecord) -> Iterator[str]:
    """Yield a sentence on the order of options, if it is not the data's."""
    if record.shuffle_options is not None:
        yield (
            f"Options were shown in a random order (seed {record.shuffle_options}). Models prefer "
            "some letters, so scores of other orders may differ."
        )


def _share_remarks(run: Run) -> Iterator[str]:
    """Yield what people's verdicts make of the share by the judge that counts."""
    for share in estimate_shares(run):
        if share.judge == run.summary.sources[share.source].judge:
            yield share_sentence(share)


def _model_remarks(model: ModelRecord | None) -> Iterator[str]:
    """Yield what makes answers of a model on this machine differ between runs."""
    if model and model.local and model.local.slots > 1:
        yield say("slots", model=model.name, slots=model.local.slots)


def _gold_remarks(run: Run, record: RunRecord) -> Iterator[str]:
    """Yield a sentence for each question that the oracle gets wrong, which is a fault of ours.

    The oracle is an agent that is given the gold answers.
    """
    if not Capabilities.of(record.agent).takes_gold:
        return
    agent, sources = record.agent.capitalize(), record.all_sources
    for question in run.questions():
        sample, value = question.sample, question.official
        if value is not None and value < 1:
            metric = family_of(sample.source, sources).metric
            yield say(
                "short_of_gold",
                agent=agent,
                metric=metric,
                value=value,
                source=sample.source,
                row=sample.row,
                question=sample.question_index,
                prediction=sample.prediction,
                golds=sample.answers,
            )
