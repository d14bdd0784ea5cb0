"""The report of a run, or of a file of predictions, and what ails a memory, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter
from rich.console import Console

from mabench.data import BY_NAME
from mabench.errors import DataError, UsageError
from mabench.families import family_of
from mabench.lookup import Capabilities
from mabench.pasteable import write_command
from mabench.printable import write_count
from mabench.reports.costs import call_remarks, calls_table
from mabench.reports.formats import show_reports
from mabench.reports.leaderboard import beside
from mabench.reports.report import Report
from mabench.reports.run_tables import run_tables, score_rows, score_table
from mabench.reports.sentences import say
from mabench.reports.tables import Table, retitle, titles_of
from mabench.results import (
    AnswerUsage,
    PredictionsSummary,
    QuestionPlace,
    RetrievalSummary,
    Run,
    RunSummary,
    RunVerdicts,
    ScoreSummary,
    SourceScores,
    SourceSummary,
    total_scores,
)
from mabench.userfile import read_json_file

# How many of the predictions that do not fit are named, of each kind.
_NAMED = 10


def show(
    run: Run,
    layout: str,
    console: Console,
    audit_file: Path | None = None,
    system: str | None = None,
) -> None:
    """Print the report of a run in a layout: ``table``, ``markdown``, ``csv`` or ``json``.

    An ``audit_file`` of the data adds the scores on the questions that it does not flag, and a
    ``system`` its published figures; ``best`` is the best of each column.

    Raises:
        DataError: when the run or the audit cannot be read.
        UsageError: when there is no such format or system, or the audit is of other data.
    """
    published, theirs = beside(run, system) if system else (Report(), ())
    verified = _verify(run, audit_file) if audit_file else None

    def reports() -> Iterator[Report]:
        yield _report(run.summary, _run_remarks(run), verified)
        if system:
            yield published

    def content() -> object:
        fields = run.summary.as_dict()
        if system:
            fields["beside"] = {figure.on: figure.as_dict() for figure in theirs}
        if verified:
            fields["verified"] = {name: scores.as_dict() for name, scores in verified.items()}
        return fields

    def tidy() -> Table:
        rows = score_rows(run.summary, str(run.folder), verified)
        others = (
            (one.published, one.system, one.on, "official", one.asked, one.score, *[None] * 3)
            for one in theirs
        )
        return score_table([*rows, *others])

    show_reports(reports(), content, layout, console, tidy)


def show_predictions(summary: PredictionsSummary, layout: str, console: Console) -> None:
    """Print the scores of a file of predictions; ``layout`` as for ``show``."""
    reports = [_report(summary, [*score_remarks(summary), *_mismatch_remarks(summary)])]
    tidy = partial(score_table, score_rows(summary))
    show_reports(reports, summary.as_dict, layout, console, tidy)


def _report(
    summary: ScoreSummary, remarks: list[str], verified: Mapping[str, SourceScores] | None = None
) -> Report:
    tables = [*chain(*run_tables(summary, verified).values())]
    calls = summary.calls if isinstance(summary, RunSummary) else None
    if calls and calls.memorizing.totals.calls + calls.answering.totals.calls:
        tables.append(calls_table(calls))
    title = f"{summary.agent} on {summary.data}, protocol {summary.protocol}"
    report = Report.of(title, tables, remarks)._replace(first=failure_remarks(summary))
    return retitle(report, titles_of([summary]))


def _run_remarks(run: Run) -> list[str]:
    summary = run.summary
    return [
        *(summary.damaged or ()),
        *([f"Conversations are {summary.takes}."] if summary.takes else ()),
        *score_remarks(summary),
        *call_remarks(summary.calls),
        *diagnosis(summary),
        *leak_remarks(summary.leaks or {}),
        *_gold_remarks(run),
    ]


def _gold_remarks(run: Run) -> Iterator[str]:
    """Yield each question on which an agent that is handed the gold falls short: a defect."""
    if not Capabilities.of(run.record.agent).takes_gold:
        return
    who, sources = run.record.agent.capitalize(), run.record.all_sources
    for sample, value, *_ in run.questions():
        if value is not None and value < 1:
            metric = family_of(sample.source, sources).metric
            place = {"source": sample.source, "row": sample.row, "question": sample.question_index}
            answer = {"prediction": sample.prediction, "golds": sample.answers}
            yield say("short_of_gold", agent=who, metric=metric, value=value, **place, **answer)


def _mismatch_remarks(summary: PredictionsSummary) -> Iterator[str]:
    """Yield how many predictions are unknown, missing or repeated, and the first of each."""
    mismatches = summary.predictions
    for what, places in (
        ("unknown: they match no question of the data set", mismatches.unknown),
        ("ambiguous: they match several questions, and count for none", mismatches.ambiguous),
        ("missing: questions without a prediction count as wrong", mismatches.missing),
        ("duplicate: of several predictions for a question the first counts", mismatches.duplicate),
    ):
        if places:
            yield f"{len(places)} {what}."
            yield from (f"  {place}" for place in places[:_NAMED])
        if len(places) > _NAMED:
            yield f"  and {len(places) - _NAMED} more, listed in the JSON output."


@dataclass(frozen=True, slots=True)
class _AuditFile:
    """What is needed of an audit that was kept as JSON."""

    schema: Literal[1]
    fingerprint: str
    flags: list[QuestionPlace]


def _verify(run: Run, audit_file: Path) -> Mapping[str, SourceScores]:
    """Return each source's scores over the questions that an audit does not flag."""
    record = run.record
    try:
        audit = TypeAdapter(_AuditFile).validate_python(read_json_file(audit_file))
    except (OSError, ValueError) as error:
        why = f" ({error.strerror})" if isinstance(error, OSError) else ""
        raise DataError(
            f"{audit_file}: not a readable audit{why}; make one with `mabench audit` and "
            "`as_json`, and save its output"
        ) from error
    if audit.fingerprint != record.data.fingerprint:
        command = write_command("audit", record.data.location or "PATH")
        raise UsageError(
            f"{audit_file} is an audit of a different data set; make one of the run's with "
            f"{command} and `as_json`",
            parameter="verified",
        )
    flagged = {place.key for place in audit.flags}
    # Of the judges only what they decided: they have judged other questions, too.
    verdicts = RunVerdicts(run.store.families())
    questions = (scored for scored in run.questions() if scored.sample.key not in flagged)
    return total_scores(questions, record.questions, verdicts).sources


# Below so many questions nothing is said of where points are lost.
_QUESTIONS = 20
# Percent of the answers that lack the form that was asked for, from which that is said.
_FORMLESS = 10


def score_remarks(summary: ScoreSummary) -> Iterator[str]:
    """Yield what the scores take or lack, what they cost, and how the two kinds differ."""
    sources = summary.sources
    expected = sum(source.expected for source in sources.values())
    if summary.spent.n < expected:
        yield f"Unfinished: {summary.spent.n} of {write_count(expected, 'question')} so far."
    for need, why in (
        ("judge", "need a language model as judge (mabench judge RUN)"),
        ("entities", "need the entity file: rescore the run with entity2id.json"),
    ):
        if names := [name for name, source in sources.items() if source.needs == need]:
            yield f"No score yet for {', '.join(names)}: they {why}."
    for name, source in sources.items():
        for judge in source.judges:  # The last one to be through stands in the table.
            score = "unfinished" if judge.official is None else f"score {judge.official:.1f}"
            about = judge.as_dict() | {"prompts": judge.prompts[:8]}
            yield say("judged", source=name, score=score, **about)
    yield from _spent(summary.spent)
    if rules := sum((Counter(source.differences) for source in sources.values()), Counter()):
        counts = ", ".join(f"{rule} {number}" for rule, number in sorted(rules.items()))
        answers = write_count(rules.total(), "answer")
        yield f"Official and corrected differ on {answers}: {counts}."
    yield from _unclear(sources)
    if redacted := sum(source.redacted or 0 for source in sources.values()):
        yield say("redacted", answers=write_count(redacted, "answer"))
    if own := [name for name in sources if name not in BY_NAME]:
        yield say("own_sources", names=", ".join(own))
    if not summary.columns and any(name in BY_NAME and BY_NAME[name].column for name in sources):
        yield "The rows are not the benchmark's own: they feed no column of the paper's table."
    if summary.columns and any(not category.complete for category in summary.categories.values()):
        yield "A mean appears once every question of its columns has been asked."


_LONGEST_ERROR = 300  # Characters of an error that a sentence holds.


def failure_remarks(summary: ScoreSummary) -> list[str]:
    """Return what comes before all scores: how many answers or verdicts failed, and why."""
    sentences, failed = list[str](), summary.spent.errors
    if summary.commonest_error:
        error = _shorten(summary.commonest_error)
        if failed == summary.spent.n:
            answers = "The only answer" if failed == 1 else f"All {failed:,} answers"
            said = say("all_failed", answers=answers, agent=summary.agent, error=error)
        else:
            answers = write_count(summary.spent.n, "answer")
            said = say("some_failed", failed=failed, answers=answers, error=error)
        sentences.append(said)
    for name, source in summary.sources.items():
        for judge in source.judges:
            if judge.commonest_error:
                sentences.append(
                    say(
                        "judge_failed",
                        source=name,
                        model=judge.model,
                        failed=judge.failed,
                        answers=write_count(judge.of, "answer"),
                        error=_shorten(judge.commonest_error),
                    )
                )
    return sentences


def _shorten(error: str) -> str:
    """Return an error as a part of a sentence."""
    text = " ".join(error.split())
    text = text if len(text) <= _LONGEST_ERROR else f"{text[:_LONGEST_ERROR]}..."
    return text.rstrip(".") if not text.endswith("...") else text


def _unclear(sources: Mapping[str, SourceScores]) -> Iterable[str]:
    asked = sum(source.n for source in sources.values() if source.needs != "judge")
    unclear = sum(source.unclear or 0 for source in sources.values())
    if unclear:
        them, percent = "it" if unclear == 1 else "them", 100 * unclear / asked
        yield say("unclear", unclear=unclear, asked=asked, percent=percent, them=them)
    for name, source in sources.items():
        if source.extremes:
            low, high = source.extremes
            wrong, right = f"all {source.unclear} unclear answers are wrong", "all are right"
            if source.unclear == 1:
                wrong, right = "its unclear answer is wrong", "it is right"
            yield f"{name}: the corrected score is {low:.1f} if {wrong}, {high:.1f} if {right}."
        if source.settled and source.judge:
            settled = write_count(source.settled, "unclear answer")
            yield f"{name}: {source.judge.model} settled {settled}."


def _spent(spent: AnswerUsage) -> Iterable[str]:
    if spent.input_tokens is None:
        if spent.cost:
            yield f"Cost: ${spent.cost:.4f}."
        return
    dollars = "" if spent.cost is None else f", ${spent.cost:.4f}"
    yield f"Tokens: {spent.input_tokens:,} in, {spent.output_tokens or 0:,} out{dollars}."
    if spent.dropped_tokens:
        each = spent.dropped_tokens / spent.n
        yield f"{each:,.0f} tokens of the history were dropped per question on average."
    if spent.cut_off:
        answers, them = write_count(spent.cut_off, "answer"), "it" if spent.cut_off == 1 else "them"
        yield say("cut_off", answers=answers, asked=f"{spent.n:,}", them=them)


def leak_remarks(leaks: Mapping[str, str]) -> list[str]:
    """Return a line for each source whose contexts tell agents about the golds."""
    return [say("leak", source=source, what=what) for source, what in leaks.items()]


def diagnosis(summary: RunSummary) -> list[str]:
    """Return sentences on the memory in a run; whoever prints them escapes the agent's name."""
    agent, sources = summary.agent, summary.sources
    sentences: list[str] = []
    for name, source in sources.items():
        if memory := source.memory:
            if memory.failed:
                rows = f"{memory.failed} of {write_count(memory.rows, 'row')}"
                sentences.append(f"{agent} failed to memorize {rows} of {name}.")
            if empty := memory.chunks_without_memory:
                chunks = f"{empty} of {write_count(memory.chunks or 0, 'chunk')}"
                sentences.append(f"{agent} stored 0 memories for {chunks} of {name}.")
            if share := memory.dropped_share:
                end = "more than 99" if 99 < share < 100 else f"{share:.0f}"
                bound = "less than 1" if share < 1 else end
                sentences.append(f"{bound} % of the history of {name} was dropped on average.")
        if source.retrieval:
            sentences += _retrieving(agent, name, source.retrieval)
        sentences += _losing(name, source)
    silent = [
        name
        for name, source in sources.items()
        if source.answered and source.memory and source.memory.memories and not source.retrieval
    ]
    if silent:
        sentences.append(say("silent", agent=agent, names=", ".join(silent)))
    searches = {name: source.retrieval for name, source in sources.items() if source.retrieval}
    unsearched = [name for name, retrieval in searches.items() if retrieval.is_exhaustive]
    if unsearched:
        where = "" if len(unsearched) == len(searches) else f" on {', '.join(unsearched)}"
        sentences.append(f"Every chunk was retrieved{where}, so this does not test search.")
    return sentences


def _retrieving(agent: str, name: str, retrieval: RetrievalSummary) -> Iterable[str]:
    nothing, questions = retrieval.nothing, retrieval.nothing + retrieval.questions
    if nothing and nothing == questions:
        all_questions = "all " * (nothing > 1) + write_count(nothing, "question")
        yield f"{agent} retrieved nothing for {all_questions} of {name}."
        return
    if nothing:
        yield f"{agent} retrieved nothing for {nothing} of {questions} questions of {name}."
    whole = retrieval.every_chunk
    if whole and not retrieval.is_exhaustive:
        yield say("whole_for_some", source=name, whole=whole, questions=questions)


def _losing(name: str, source: SourceSummary) -> Iterable[str]:
    """Yield by what a source loses most, where its questions are enough to show that."""
    if source.n < _QUESTIONS:
        return
    parts, lead, retrieval = source.parts, source.misread_less_missed, source.retrieval
    limits = lead and (lead.new_histories or lead.these_histories)
    # The unclear ones may all be of the smaller part.
    is_sure = abs(parts["misread"] - parts["missed"]) > parts["unclear"]
    is_shown = bool(limits and limits[0] * limits[1] > 0)
    if limits and is_shown and is_sure and retrieval and not retrieval.is_exhaustive:
        of_100 = source.parts_of_100
        first, second = ("misread", "missed") if limits[0] > 0 else ("missed", "misread")
        cause = "reader" if limits[0] > 0 else "memory"
        by = ", judged by mentions of the gold" if retrieval.by == "mention" else ""
        which = {"first": first, "second": second, "by": by, "cause": cause}
        yield say("loses_most", source=name, more=of_100[first], fewer=of_100[second], **which)
    if parts["no_form"] >= source.n * _FORMLESS / 100:
        yield f"{parts['no_form']} of {source.n} answers of {name} are not in the requested form."
