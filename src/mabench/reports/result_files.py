"""The report of result files: the scores that they claim, beside those of their own answers.

A result file has answers of an agent, and may claim figures that its authors computed from them.
"""

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

# How many places of predictions that fit no question are named, of each kind.
_MOST_NAMED = 10


def show_result_files(
    summaries: Sequence[PredictionsSummary], layout: str, console: Console
) -> None:
    """Print the scores of the runs of result files.

    A run that claims nothing has the tables of any run; several runs, and one with claims, have one
    table. ``layout`` is that of ``show_reports``.
    """

    def reports() -> Iterator[Report]:
        """Yield what is printed in all formats but JSON."""
        if any(summary.check.claims for summary in summaries) or len(summaries) > 1:
            yield _claims_report(summaries)
        else:
            yield from (_score_report(summary) for summary in summaries)

    def content() -> object:
        """Return what JSON has of the runs."""
        if len(summaries) == 1:
            return summaries[0].as_dict()
        return {"runs": [summary.as_dict() for summary in summaries]}

    def tidy() -> Table:
        """Return the table that CSV has of the runs: a line for each figure."""
        return score_table(
            line for summary in summaries for line in score_rows(summary, run=summary.agent)
        )

    show_reports(reports(), content, layout, console, tidy)


def _score_report(summary: PredictionsSummary) -> Report:
    """Return the report of a file that claims nothing, with the tables of any run."""
    title = f"{summary.agent} on {summary.data}, protocol {summary.protocol}"
    tables = list(chain.from_iterable(run_tables(summary).values()))
    remarks = [*_check_remarks(summary), *score_remarks(summary), *_mismatch_remarks(summary)]
    return retitle(Report.of(title, tables, remarks), titles_of([summary]))


def _claims_report(summaries: Sequence[PredictionsSummary]) -> Report:
    """Return the report of runs that claim figures: one sentence, one table, what was seen."""
    remarks = []
    for summary in summaries:
        whose = f"{summary.agent}: " if len(summaries) > 1 else ""
        lines = [*_check_remarks(summary), *_mismatch_remarks(summary)]
        remarks += [f"{whose}{line}" for line in lines]
    if any(summary.golds_of_file for summary in summaries):
        remarks.append("Golds are the file's own. Evidence: not looked at.")
    return Report.of(_headline(summaries), [tabulate(_COLUMNS, summaries)], remarks)


def _headline(summaries: Sequence[PredictionsSummary]) -> str:
    """Return what came out in one sentence: of one run its figures, of several how many hold.

    A single run must have a claim.
    """
    if len(summaries) > 1:
        holding = sum(_claims_hold(summary) for summary in summaries)
        runs = write_count(len(summaries), "run")
        return f"{holding} of {runs} state a figure that their own answers give"
    [summary] = summaries
    claim = summary.check.claims[0]
    clauses = [f"{summary.agent} states {claim.claimed:.1f}"]
    if claim.recomputed is not None:
        answers = write_count(claim.counted, "answer")
        clauses.append(f"its own outcomes of {answers} give {claim.recomputed:.1f}")
    corrected = _corrected_range(summary)
    if corrected is not None:
        clauses.append(f"the corrected score is {corrected}")
    return "; ".join(clauses)


def _claims_hold(summary: PredictionsSummary) -> bool:
    """Return whether a run claims figures, and its own answers give all of them."""
    claims = summary.check.claims
    return bool(claims) and all(claim.holds for claim in claims)


def _claimed_score(summary: PredictionsSummary) -> float | None:
    """Return the first figure that a run claims; None without a claim."""
    return summary.check.claims[0].claimed if summary.check.claims else None


def _recomputed_score(summary: PredictionsSummary) -> float | None:
    """Return what a run's own answers give for its first claim; None if that cannot be told."""
    return summary.check.claims[0].recomputed if summary.check.claims else None


def _official(summary: PredictionsSummary) -> float | None:
    """Return the mean of the official metric over all questions; None if a source has none."""
    questions, points = 0, 0.0
    for source in summary.sources.values():
        if source.official is None:
            return None
        questions += source.n
        points += source.n * source.official
    return points / questions if summary.sources else None


def _corrected_range(summary: PredictionsSummary) -> str | None:
    """Return the corrected score, or what it lies between if some answers are unclear.

    None if it is not known.
    """
    lowest, highest = summary.check.corrected_low, summary.check.corrected_high
    if lowest is None or highest is None:
        return None
    low, high = f"{lowest:.1f}", f"{highest:.1f}"
    return low if low == high else f"{low} to {high}"


_COLUMNS: Sequence[Column[PredictionsSummary]] = (
    Column("Run", lambda summary: summary.agent, least=24, key=True),
    Column("Claimed", _claimed_score, spec=".1f"),
    Column("Recomputed", _recomputed_score, spec=".1f"),
    Column("Official", _official, spec=".1f", when="known"),
    Column("Corrected", _corrected_range, when="known"),
    Column("Answers", lambda summary: summary.check.answers, spec=",d"),
    Column("Failed", lambda summary: summary.check.failed, spec=",d"),
)


def _check_remarks(summary: PredictionsSummary) -> Iterator[str]:
    """Yield each remark on a file, with the first place in it that it holds for."""
    for remark in summary.check.remarks:
        if remark.places:
            # A place begins with the path of its file, of which the name is enough.
            _, _, first_place = remark.places[0].rpartition("/")
            yield f"{remark.text} First: {first_place}."
        else:
            yield remark.text


def _mismatch_remarks(summary: PredictionsSummary) -> Iterator[str]:
    """Yield how many predictions are unknown, missing or repeated, and the first of each."""
    mismatches = summary.predictions
    kinds = (
        ("unknown: they match no question of the data set", mismatches.unknown),
        ("ambiguous: they match several questions, and count for none", mismatches.ambiguous),
        ("missing: questions without a prediction count as wrong", mismatches.missing),
        ("duplicate: of several predictions for a question the first counts", mismatches.duplicate),
    )
    for description, places in kinds:
        if places:
            yield f"{len(places)} {description}."
            yield from (f"  {place}" for place in places[:_MOST_NAMED])
        if len(places) > _MOST_NAMED:
            yield f"  and {len(places) - _MOST_NAMED} more, listed in the JSON output."
