"""The tables of a run: its sources, its categories, and what was retrieved."""

from __future__ import annotations

from collections.abc import Mapping

from mabench.data.inventory import BY_NAME, CATEGORIES
from mabench.reports.layout import NONE, Table, interval_cell, score_cell
from mabench.results import MeanScore, ScoreSummary, SourceScores

DEPTHS = ("1", "5", "10")

Sources = Mapping[str, SourceScores]


def run_tables(summary: ScoreSummary, verified: Sources | None = None) -> list[Table]:
    """Return the tables of a run; ``verified`` as for ``source_table``."""
    tables = [source_table(summary, verified), *category_tables(summary), *type_tables(summary)]
    return [*tables, *filter(None, (retrieval_table(summary), evidence_table(summary)))]


def source_table(summary: ScoreSummary, verified: Sources | None = None) -> Table:
    """Return one row for each source of a run's summary; scores run from 0 to 100.

    ``verified`` holds the scores of the sources over the questions that an audit passed; with
    it, two columns more have their number and official score.
    """
    with_column = bool(summary.columns)
    headers: tuple[str, ...] = ("Source", *(("Column",) if with_column else ()), "Metric")
    texts = len(headers)
    headers += ("n", "Errors", "Official", "Corrected")
    if verified is not None:
        headers += ("n verified", "Verified")
    rows = []
    for name, source in summary.sources.items():
        cells: tuple[str, ...] = (
            name,
            *((_column(name),) if with_column else ()),
            source.metric,
            str(source.n) if source.n == source.expected else f"{source.n} of {source.expected}",
            str(source.errors),
            interval_cell(source.official, source.interval),
            interval_cell(source.corrected, source.interval_corrected),
        )
        if verified is not None:
            passed = verified[name]
            cells += (str(passed.n), interval_cell(passed.official, passed.interval))
        rows.append(cells)
    return Table(headers, rows, (False,) * texts + (True,) * (len(headers) - texts))


def _column(source: str) -> str:
    return (BY_NAME[source].column if source in BY_NAME else None) or NONE


def category_tables(summary: ScoreSummary) -> list[Table]:
    """Return a table with a row for each category that the run touches, and the overall score.

    There is none where no source of the run feeds a column of the paper.
    """
    if not summary.columns:
        return []
    categories = summary.categories
    overall = MeanScore(
        official=summary.overall,
        corrected=summary.overall_corrected,
        interval=summary.overall_interval,
        interval_corrected=summary.overall_corrected_interval,
        complete=all(category.complete for category in categories.values()),
        coverage=sum(category.coverage for category in categories.values()) / len(CATEGORIES),
    )
    rows = [
        (name, *_mean_cells(category)) for name, category in categories.items() if category.coverage
    ]
    headers = ("Category", "Official", "Corrected", "Coverage")
    return [Table(headers, [*rows, ("Overall", *_mean_cells(overall))], (False, True, True, True))]


def _mean_cells(mean: MeanScore) -> tuple[str, str, str]:
    coverage = f"{mean.coverage:.0%}"
    if not mean.complete:
        return "partial", "partial", coverage
    return (
        interval_cell(mean.official, mean.interval),
        interval_cell(mean.corrected, mean.interval_corrected),
        coverage,
    )


def type_tables(summary: ScoreSummary) -> list[Table]:
    """Return a table for each source whose questions have types: a row for each type.

    Types enter no mean of the paper.
    """
    headers = ("n", "Official", "Corrected", "Evidence")
    return [
        Table(
            (f"{name} by type", *headers),
            [
                (
                    kind,
                    str(scores.n),
                    score_cell(scores.official),
                    score_cell(scores.corrected),
                    score_cell(scores.evidence_recall),
                )
                for kind, scores in source.types.items()
            ],
            (False,) + (True,) * len(headers),
        )
        for name, source in summary.sources.items()
        if source.types
    ]


def evidence_table(summary: ScoreSummary) -> Table | None:
    """Return how much of the evidence stands in the first 1, 5 or 10 passages; None without any.

    One row for each source whose turns have ids; ``Found`` is the share in all passages.
    """
    rows = [
        (
            name,
            str(evidence.n),
            interval_cell(source.evidence_recall, evidence.interval),
            *(score_cell(evidence.turns_at[depth]) for depth in DEPTHS),
            *(score_cell(evidence.sessions_at[depth]) for depth in DEPTHS),
        )
        for name, source in summary.sources.items()
        if (evidence := source.evidence)
    ]
    if not rows:
        return None
    at = [f"{kind} at {depth}" for kind in ("Turns", "Sessions") for depth in DEPTHS]
    headers = ("Evidence", "n", "Found", *at)
    return Table(headers, rows, (False,) + (True,) * (len(headers) - 1))


def retrieval_table(summary: ScoreSummary) -> Table | None:
    """Return one row for each source for which passages were reported; None without any.

    Hits are the share of questions for which a gold stands in the first 1, 5 or 10 passages;
    ``Right when hit`` is the official score of the questions for which it stands in any.
    """
    rows = [
        (
            name,
            _number(retrieval.depth, 1),
            *(score_cell((retrieval.hit_at or {}).get(depth)) for depth in DEPTHS),
            score_cell(retrieval.answered_when_hit),
            _number(retrieval.shown_tokens, 0),
        )
        for name, source in summary.sources.items()
        if (retrieval := source.retrieval)
    ]
    if not rows:
        return None
    hits = tuple(f"Hit at {depth}" for depth in DEPTHS)
    headers = ("Retrieval", "Passages", *hits, "Right when hit", "Tokens shown")
    return Table(headers, rows, (False,) + (True,) * (len(headers) - 1))


def _number(value: float | None, decimals: int) -> str:
    return NONE if value is None else f"{value:,.{decimals}f}"
