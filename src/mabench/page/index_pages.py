"""The page of a folder of runs: a line for each, linked to its page, and scores over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from mabench.page import document as doc
from mabench.page.charts import Dot, Scale, draw_curves
from mabench.printable import write_count
from mabench.reports.run_lists import describe_state
from mabench.reports.tables import NONE, Column, Table, tabulate
from mabench.results import ListedRun

# Of a date in ISO 8601, the day and the minute.
_MINUTE = 16
# Runs of fewer minutes make no curve: it would show nothing that the list does not.
_FEWEST_TIMES = 2
_ABOUT = "The score is the official one: overall if it is complete, else the mean of the sources."


def index_page(
    runs: Sequence[ListedRun],
    place: Path,
    pages: Mapping[str, str],
    title: str | None = None,
    *,
    served: bool = False,
) -> str:
    """Return the page of the runs in a folder as HTML.

    Args:
        runs: the runs, the newest first.
        place: the folder; runs are named by what follows it.
        pages: the address of the page of each run, by the run's folder; runs without one have no
            link.
        title: replaces the name of the folder.
        served: whether the page is served, and may ask its server how the runs proceed.

    Raises:
        MissingPackageError: when a package is missing.
    """
    doc.require_packages()
    names = {run.folder: _name(run, place) for run in runs}
    links = {names[folder]: address for folder, address in pages.items()}
    sections = [
        doc.Section("runs", "Runs", tables=[_runs_table(runs, names)], links=links),
        *_score_sections(runs),
    ]
    return doc.render(
        doc.name_page(title, place.name or "runs", write_count(len(runs), "run")),
        tiles=[],
        sections=sections,
        settings=doc.Section("settings", "About this list", [_ABOUT]),
        served="live" if served else None,
    )


def _name(run: ListedRun, place: Path) -> str:
    """Return what follows ``place`` in a run's folder; the whole folder if it is elsewhere."""
    folder = Path(run.folder)
    return str(folder.relative_to(place)) if folder.is_relative_to(place) else run.folder


def _runs_table(runs: Sequence[ListedRun], names: Mapping[str, str]) -> Table:
    columns: Sequence[Column[ListedRun]] = (
        Column("Run", lambda run: names[run.folder]),
        Column("Score", lambda run: run.score, spec=".1f"),  # On a phone, the first two are seen.
        Column("Agent", lambda run: run.agent or NONE),
        Column("Data", lambda run: run.data or NONE),
        Column("State", describe_state),
        Column("Asked", lambda run: f"{run.asked} of {run.questions}"),
        Column("Began, UTC", lambda run: _minute(run.date)),
    )
    return tabulate(columns, runs)


def _minute(date: str | None) -> str:
    """Return a date in ISO 8601 up to its minute, as in ``2026-01-31 09:30``."""
    return (date or NONE)[:_MINUTE].replace("T", " ")


def _score_sections(runs: Sequence[ListedRun]) -> Iterator[doc.Section]:
    """Yield the section of scores over time, a chart for the runs on each data set."""
    scored = [run for run in runs if run.score is not None and run.date and run.data]
    charts = []
    by_data = sorted(scored, key=lambda run: (run.data or "", run.date or ""))
    for data, listed in groupby(by_data, key=lambda run: run.data or ""):
        of_data = [*listed]
        labels = [_minute(run.date) for run in of_data]
        if len({*labels}) < _FEWEST_TIMES:
            continue
        dots = [
            Dot(label, run.agent or NONE, run.score or 0.0)
            for label, run in zip(labels, of_data, strict=True)
        ]
        drawing = draw_curves(
            dots, [*dict.fromkeys(labels)], "when the run began, UTC", Scale("score, 0 to 100")
        )
        columns: Sequence[Column[ListedRun]] = (
            Column("Began, UTC", lambda run: _minute(run.date)),
            Column("Agent", lambda run: run.agent or NONE),
            Column("Score", lambda run: run.score, spec=".1f"),
        )
        charts.append(doc.Chart(f"Scores on {data}", drawing, tabulate(columns, of_data)))
    if charts:
        note = "Runs may have asked different questions of the same data: compare two to be sure."
        yield doc.Section("scores", "Scores over time", charts=charts, notes=[note])
