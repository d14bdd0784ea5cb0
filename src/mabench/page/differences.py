"""The sections about several runs: paired differences, who won, and the scores side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mabench.comparison import Comparison, MeanDifference, Pair
from mabench.page.charts import Dot, Scale, rows_of_dots
from mabench.page.parts import Chart, Section, interval_notes, interval_text, score_dot
from mabench.reports.comparison import (
    cost_tables,
    findings,
    pair_table,
    remarks,
    type_tables,
)
from mabench.reports.layout import Table, interval_cell, score_cell
from mabench.results import Run

_SCALE = Scale("difference, in points", None, None, rule=0.0)


def comparison_sections(
    comparison: Comparison, runs: Sequence[Run], names: Sequence[str]
) -> list[Section]:
    """Return the sections about runs that were compared.

    Args:
        comparison: the comparison.
        runs: the runs, in its order.
        names: the letter of each run.
    """
    letters = {one.run: name for one, name in zip(comparison.runs, names, strict=True)}
    return [
        *(_pair(pair, letters) for pair in comparison.pairs),
        _scores(runs, names, remarks(comparison)),
        *_cost(comparison, names),
    ]


def _pair(pair: Pair, letters: Mapping[str, str]) -> Section:
    a, b = letters[pair.a], letters[pair.b]
    means = {**pair.columns, **pair.categories}
    means |= {"Overall": pair.overall} if pair.overall else {"All of these": pair.mean}
    parts: dict[str, MeanDifference] = {**pair.sources, **means}
    dots = [_dot(name, one) for name, one in parts.items()]
    chart = Chart(
        f"Differences {a} \N{MINUS SIGN} {b}, right of 0 where {a} is better",
        rows_of_dots(dots, _SCALE),
        pair_table(pair, a, b),
        [
            *interval_notes(dots),
            f"Won, lost, tied: the questions on which {a} is better, worse and as good.",
        ],
    )
    title = f"{a} and {b}"
    tables, found = type_tables(pair, a, b), [*findings(pair, a, b)]
    return Section(f"pair-{a}-{b}", title, charts=[chart], tables=tables, findings=found)


def _cost(comparison: Comparison, names: Sequence[str]) -> list[Section]:
    """Return what the runs took beside their scores; nothing where no calls are known."""
    tables = cost_tables(comparison.runs, names)
    return [Section("cost", "Score and cost", tables=tables)] if tables else []


def _dot(name: str, one: MeanDifference) -> Dot:
    these, new = one.these_histories, one.new_histories
    return Dot(
        label=name,
        series="difference",
        value=one.difference,
        low=these.low if these else None,
        high=these.high if these else None,
        low_wide=new.low if new else None,
        high_wide=new.high if new else None,
        text=f"{one.difference:+.1f}".replace("-", "\N{MINUS SIGN}"),
    )


def _scores(runs: Sequence[Run], names: Sequence[str], notes: Sequence[str]) -> Section:
    """Return the official scores of the runs by source, with notes on the whole comparison."""
    summaries = [run.summary for run in runs]
    sources = list(dict.fromkeys(name for summary in summaries for name in summary.sources))
    dots, rows = [], []
    for source in sources:
        cells = [source]
        for summary, name in zip(summaries, names, strict=True):
            one = summary.sources.get(source)
            value, intervals = (one.official, one.interval) if one else (None, None)
            cells += [score_cell(value), interval_text(intervals)]
            if value is not None:
                cell = interval_cell(value, intervals)
                dots.append(score_dot(source, name, value, intervals, cell))
        rows.append(tuple(cells))
    headers = ("Source", *(head for name in names for head in (name, "95 % interval")))
    table = Table(headers, rows, (False, *[True] * (len(headers) - 1)))
    if not dots:
        return Section("scores", "Scores side by side", tables=[table], notes=notes)
    drawing = rows_of_dots(dots, Scale("official score, 0 to 100"))
    chart = Chart("Official scores by source", drawing, table, interval_notes(dots))
    return Section("scores", "Scores side by side", charts=[chart], notes=notes)
