"""Figures for papers: the charts of pages as files of their own, in SVG, PDF or PNG."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from mabench.comparison import Comparison
from mabench.errors import UsageError, require
from mabench.page.charts import Dot, Scale, draw_points, draw_rows
from mabench.page.document import read_asset, require_packages
from mabench.page.pages import curve_charts
from mabench.reports.comparison import forest_scores, name_runs, sort_runs
from mabench.reports.costs import run_cost, run_seconds
from mabench.reports.tidy import measure_score
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


def plot_comparison(comparison: Comparison, file: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield a file with the scores of runs, and one beside it with their costs, or times."""
    runs, names = sort_runs(comparison), name_runs(comparison)
    dots = [
        Dot(source, names[run.run], *measure[:3], f"{measure}")
        for source, run, measure in forest_scores(comparison)
    ]
    scale = Scale(f"{comparison.score} score, 0 to 100")
    yield file, _write(draw_rows(dots, scale)[0], file.suffix)
    for took, along in ((run_cost, "US dollars of a run"), (run_seconds, "seconds of a run")):
        spent = [took(run) for run in runs]
        if None not in spent:
            points = [
                Dot(f"{amount}", names[run.run], *measure_score(run.headline)[:3])
                for run, amount in zip(runs, spent, strict=True)
            ]
            place = file.with_stem(f"{file.stem}-cost")
            yield place, _write(draw_points(points, along, scale), file.suffix)
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
