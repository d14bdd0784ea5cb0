"""Pages of one run, of several, and of a sweep, as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

from mabench.comparison import compare
from mabench.errors import UsageError
from mabench.page.content import Asked, questions_of
from mabench.page.differences import comparison_sections
from mabench.page.document import document, explorer, require_packages
from mabench.page.figures import times
from mabench.page.parts import Page, Tile
from mabench.page.sections import duration, hit_share, run_sections
from mabench.page.settings import settings
from mabench.page.sweeps import sweep_section
from mabench.reports.layout import interval_cell
from mabench.results import Run
from mabench.runs import SweepPoint


def run_page(run: Run) -> str:
    """Return the page of a run.

    Raises:
        DataError: when the run cannot be read.
        MissingPackageError: when the packages of the extra ``page`` are not installed.
    """
    require_packages()
    known = questions_of(run)
    questions = known.asked
    if not questions:
        raise UsageError(f"{run.folder}: nothing was asked yet; a page takes a question at least")
    summary = run.summary
    page = Page(
        title=summary.agent,
        subtitle=f"{summary.data}, protocol {summary.protocol}",
        tiles=_tiles(run, questions),
        names=[summary.agent],
        sections=run_sections(run, questions),
        settings=settings([run], [summary.agent]),
    )
    return document(page, explorer([known], page.names))


def comparison_page(runs: Sequence[Run]) -> str:
    """Return the page of several runs on the same questions.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when the runs cannot be compared.
        MissingPackageError: when the packages of the extra ``page`` are not installed.
    """
    require_packages()
    if len(runs) > len(ascii_uppercase):
        raise UsageError(f"a page takes {len(ascii_uppercase)} runs at most, not {len(runs)}")
    comparison = compare(runs)
    names = list(ascii_uppercase[: len(runs)])
    record = runs[0].record
    tiles = [
        Tile(f"{name}: {one.agent}", f"{one.mean:.1f}", one.run)
        for name, one in zip(names, comparison.runs, strict=True)
    ]
    page = Page(
        title=" \N{MULTIPLICATION SIGN} ".join(one.agent for one in comparison.runs),
        subtitle=f"{record.data.name}, protocol {record.protocol}; the mean of what is compared",
        tiles=tiles,
        names=names,
        sections=comparison_sections(comparison, runs, names),
        settings=settings(runs, names),
    )
    return document(page, explorer([questions_of(run) for run in runs], names))


def sweep_page(knob: str, points: Sequence[SweepPoint]) -> str:
    """Return the page of a sweep: its curves and figures.

    Args:
        knob: the setting that varies.
        points: its values with their runs, one at least.

    Raises:
        MissingPackageError: when the packages of the extra ``page`` are not installed.
    """
    require_packages()
    (source,) = points[0].run.summary.sources
    runs = [point.run for point in points]
    names = [f"{knob} {point.value:,}" for point in points]
    page = Page(
        title=f"{runs[0].summary.agent}: {source} by {knob}",
        subtitle=f"Made-up rows, protocol {runs[0].summary.protocol}",
        tiles=[
            Tile(name, interval_cell(point.source.official, point.source.interval), "official")
            for name, point in zip(names, points, strict=True)
        ],
        names=names,
        sections=[sweep_section(knob, points)],
        settings=settings(runs, names),
    )
    return document(page)


def _tiles(run: Run, questions: Sequence[Asked]) -> list[Tile]:
    summary, spent = run.summary, run.summary.spent
    sources = [one for one in summary.sources.values() if one.official is not None]
    tiles = []
    if summary.overall is not None:
        cell = interval_cell(summary.overall, summary.overall_interval)
        tiles.append(Tile("Overall", cell, "official"))
    elif sources:
        mean = sum(one.official or 0 for one in sources) / len(sources)
        corrected = [one.corrected for one in sources if one.corrected is not None]
        note = f"official, in the mean of {len(sources)} sources"
        if len(corrected) == len(sources):
            note += f"; corrected {sum(corrected) / len(corrected):.1f}"
        tiles.append(Tile("Score", f"{mean:.1f}", note))
    expected = sum(one.expected for one in summary.sources.values())
    note = f"of {expected:,}" if expected > spent.n else f"of {len(summary.sources)} sources"
    tiles.append(Tile("Questions", f"{spent.n:,}", note))
    tiles.append(Tile("Errors", f"{spent.errors:,}"))
    if any(one.result.hit is not None for one in questions):
        tiles.append(Tile("Gold retrieved", f"{hit_share(questions)} %", "where it is sought"))
    took = times(questions)
    if took:
        tiles.append(Tile("Median answer", duration(took.p50), f"p95 {duration(took.p95)}"))
    if spent.input_tokens is not None:
        note = f"{spent.output_tokens or 0:,} out"
        if spent.cost is not None:
            note += f", ${spent.cost:,.2f}"
        tiles.append(Tile("Tokens in", f"{spent.input_tokens:,}", note))
    return tiles
