"""The report of result files: what they claim, beside what follows from their own answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from rich.console import Console

from mabench.printable import write_count
from mabench.reports.formats import show_reports
from mabench.reports.program_tables import score_rows, score_table
from mabench.reports.report import Report
from mabench.reports.run_tables import run_tables
from mabench.reports.score_remarks import score_remarks
from mabench.reports.tables import Column, Table, retitle, tabulate, titles_of
from mabench.results import PredictionsSummary

# How many of the answers that do not match are named, of each kind.
_MOST_NAMED = 10


def show_result_files(
    summaries: Sequence[PredictionsSummary], layout: str, console: Console
) -> None:
    """Print the scores of the runs of result files; ``layout`` as for ``show_reports``."""

    def reports() -> Iterator[Report]:
        if any(summary.check.claims for summary in summaries) or len(summaries) > 1:
            yield _claims_report(summaries)
        else:
            yield from map(_score_report, summaries)

    def content() -> object:
        if len(summaries) == 1:
            return summaries[0].as_dict()
        return {"runs": [summary.as_dict() for summary in summaries]}

    def tidy() -> Table:
        rows = [row for summary in summaries for row in score_rows(summary, summary.agent)]
        return score_table(rows)

    show_reports(reports(), content, layout, console, tidy)


def _score_report(summary: PredictionsSummary) -> Report:
    """Return the report of a file that claims nothing, as of any run."""
    title = f"{summary.agent} on {summary.data}, protocol {summary.protocol}"
    remarks = [*_check_remarks(summary), *score_remarks(summary), *_mismatch_remarks(summary)]
    report = Report.of(title, [*chain(*run_tables(summary).values())], remarks)
    return retitle(report, titles_of([summary]))


def _claims_report(summaries: Sequence[PredictionsSummary]) -> Report:
    """Return the report of runs that claim figures: one sentence, one table, what was seen."""
    remarks = []
    for summary in summaries:
        prefix = f"{summary.agent}: " if len(summaries) > 1 else ""
        lines = [*_check_remarks(summary), *_mismatch_remarks(summary)]
        remarks += [f"{prefix}{line}" for line in lines]
    if any(summary.golds_of_file for summary in summaries):
        remarks.append("Golds are the file's own. Evidence: not looked at.")
    return Report.of(_headline(summaries), [tabulate(_COLUMNS, summaries)], remarks)


def _headline(summaries: Sequence[PredictionsSummary]) -> str:
    """Return what came out in one sentence: of one run its figures, of several how many hold."""
    if len(summaries) > 1:
        kept = sum(_holds(summary) for summary in summaries)
        runs = write_count(len(summaries), "run")
        return f"{kept} of {runs} state a figure that their own answers give"
    [summary] = summaries
    claim = summary.check.claims[0]
    parts = [f"{summary.agent} states {claim.claimed:.1f}"]
    if claim.recomputed is not None:
        answers = write_count(claim.counted, "answer")
        parts.append(f"its own outcomes of {answers} give {claim.recomputed:.1f}")
    low, high = summary.check.corrected_low, summary.check.corrected_high
    if low is not None and high is not None:
        parts.append(f"the corrected score is {_extent(low, high)}")
    return "; ".join(parts)


def _holds(summary: PredictionsSummary) -> bool:
    claims = summary.check.claims
    return bool(claims) and all(claim.holds for claim in claims)


def _extent(low: float, high: float) -> str:
    return f"{low:.1f}" if f"{low:.1f}" == f"{high:.1f}" else f"{low:.1f} to {high:.1f}"


def _claimed_score(summary: PredictionsSummary) -> float | None:
    return summary.check.claims[0].claimed if summary.check.claims else None


def _recomputed_score(summary: PredictionsSummary) -> float | None:
    return summary.check.claims[0].recomputed if summary.check.claims else None


def _official(summary: PredictionsSummary) -> float | None:
    """Return the mean of the official metric over all questions; None if a source has none."""
    scores = summary.sources.values()
    if not scores or any(one.official is None for one in scores):
        return None
    total = sum(one.n for one in scores)
    return sum(one.n * (one.official or 0.0) for one in scores) / total


def _corrected_range(summary: PredictionsSummary) -> str | None:
    low, high = summary.check.corrected_low, summary.check.corrected_high
    return None if low is None or high is None else _extent(low, high)


_COLUMNS: Sequence[Column[PredictionsSummary]] = (
    Column("Run", lambda summary: summary.agent, least=24, key=True),
    Column("Claimed", _claimed_score, ".1f"),
    Column("Recomputed", _recomputed_score, ".1f"),
    Column("Official", _official, ".1f", when="known"),
    Column("Corrected", _corrected_range, when="known"),
    Column("Answers", lambda summary: summary.check.answers, ",d"),
    Column("Failed", lambda summary: summary.check.failed, ",d"),
)


def _check_remarks(summary: PredictionsSummary) -> Iterator[str]:
    """Yield what was seen in a file, each with its first places."""
    for remark in summary.check.remarks:
        # The name of the file is enough, and it begins the place.
        first = f" First: {remark.places[0].rpartition('/')[2]}." if remark.places else ""
        yield f"{remark.text}{first}"


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
            yield from (f"  {place}" for place in places[:_MOST_NAMED])
        if len(places) > _MOST_NAMED:
            yield f"  and {len(places) - _MOST_NAMED} more, listed in the JSON output."
