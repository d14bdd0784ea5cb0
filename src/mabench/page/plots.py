"""Charts of several runs and of sweeps, for pages, and as files for papers: SVG, PDF or PNG."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from mabench.comparison import ComparedRun, Comparison
from mabench.errors import UsageError, require
from mabench.page.charts import Dot, Scale, draw_curves, draw_points, draw_rows
from mabench.page.document import Chart, interval_notes, read_asset, require_packages
from mabench.reports.experiments import sweep_table
from mabench.reports.tables import Column, tabulate
from mabench.reports.titles import titles_of
from mabench.results import Measure
from mabench.runs import SweepPoint

_FORMATS = (".svg", ".pdf", ".png")
# Of the page's style sheet, which has those of a light page first.
_COLOUR = re.compile(r"--([\w-]{1,30}): (#[0-9a-f]{6})")
_SCALE = 2.0  # Of PNG.


def check_plot(file: Path) -> None:
    """Raise ``UsageError`` or ``MissingPackageError`` before anything is done for a plot."""
    if file.suffix not in _FORMATS:
        raise UsageError(f"{file}: a plot is one of {', '.join(_FORMATS)}", parameter="plot")
    require_packages()


def forest_chart(
    comparison: Comparison, names: Mapping[str, str], letters: Mapping[str, str] | None = None
) -> Chart:
    """Return each run's score in the mean and then on each source, the best run first.

    ``names`` of the runs are by their folders, as ``letters`` are that stand before their scores.
    """
    runs = comparison.ranked
    titles, sources = titles_of(run.summaries[0] for run in runs), [*runs[0].sources]
    rows: list[tuple[str, ComparedRun, Measure]] = [
        (titles.get(source, source), run, run.sources.get(source, run.headline).measure)
        for source in ((comparison.headline, *sources) if len(sources) > 1 else sources)
        for run in runs
    ]
    dots = [
        Dot(
            source,
            names[run.run],
            *measure[:3],
            f"{letters[run.run]} {measure._replace(letters='')}" if letters else f"{measure}",
        )
        for source, run, measure in rows
    ]
    columns: tuple[Column[tuple[str, ComparedRun, Measure]], ...] = (
        Column("Source", lambda row: row[0]),
        Column("Agent", lambda row: names[row[1].run]),
        Column("Score", lambda row: row[2].value, ".1f"),
        Column("95 % interval", lambda row: row[2].range(), ""),
    )
    drawing = draw_rows(dots, Scale(f"{comparison.score} score, 0 to 100"))
    title = "Scores by source, the best agent first"
    return Chart(title, drawing, tabulate(columns, rows), interval_notes(dots))


def curve_charts(points: Sequence[SweepPoint]) -> list[Chart]:
    """Return the scores of a sweep, and its hits, where there are any."""
    table, scores, hits = sweep_table(points), list[Dot](), list[Dot]()
    for point in points:
        source, label = point.source, f"{point.value:,}"
        if score := source.measures["official"]:
            scores.append(Dot(label, point.agent, *score[:3]))
        if source.retrieval and source.retrieval.hit is not None:
            hits.append(Dot(label, point.agent, source.retrieval.hit))
    knob, labels = points[0].knob, list(dict.fromkeys(f"{point.value:,}" for point in points))
    charts = []
    if scores:
        drawn = draw_curves(scores, labels, knob, Scale("official score, 0 to 100"))
        charts.append(Chart(f"Scores by {knob}", drawn, table, interval_notes(scores)))
    if scores and hits:
        drawn = draw_curves(hits, labels, knob, Scale("percent of questions"))
        charts.append(Chart(f"Questions with a hit, by {knob}", drawn, table))
    return charts


def plot_comparison(comparison: Comparison, file: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield a file with the scores of runs, and one beside it with their costs, or times."""
    runs, names = comparison.ranked, comparison.names
    yield file, _write(forest_chart(comparison, names).drawing[0], file.suffix)
    taken = (
        ([run.mean_dollars() for run in runs], "US dollars of a run"),
        ([run.mean_seconds() for run in runs], "seconds of a run"),
    )
    for spent, along in taken:
        if None not in spent:
            points = [
                Dot(f"{amount}", names[run.run], *run.headline.measure[:3])
                for run, amount in zip(runs, spent, strict=True)
            ]
            drawing = draw_points(points, along, Scale(f"{comparison.score} score, 0 to 100"))
            yield file.with_stem(f"{file.stem}-cost"), _write(drawing, file.suffix)
            return


def plot_sweep(points: Sequence[SweepPoint], file: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield a file with the scores of a sweep, and one beside it with its hits, where known."""
    for chart, end in zip(curve_charts(points), ("", "-hits"), strict=False):
        yield file.with_stem(file.stem + end), _write(chart.drawing[0], file.suffix)


def _write(drawing: str, suffix: str) -> bytes:
    """Return a chart of a page in the colours of a light one, on white."""
    colours = dict(reversed(_COLOUR.findall(read_asset("page.css"))))
    svg = re.sub(r"var\(--([\w-]+)\)", lambda match: colours[match[1]], drawing)
    svg = svg.replace('aria-hidden="true" ', "", 1)
    svg = svg.replace(">", '><rect width="100%" height="100%" fill="#ffffff"/>', 1)
    convert = require("vl_convert", "page")
    if suffix == ".pdf":
        return bytes(convert.svg_to_pdf(svg))
    return bytes(convert.svg_to_png(svg, scale=_SCALE)) if suffix == ".png" else svg.encode()
