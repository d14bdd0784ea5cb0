"""What a page is made of: sections with sentences, and charts with their figures as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mabench.page.charts import Dot, Drawing
from mabench.reports.layout import NONE, THESE, Table
from mabench.results import Intervals


class Chart(NamedTuple):
    """A drawing, what it shows in a sentence, and its figures."""

    title: str
    drawing: Drawing
    table: Table
    notes: Sequence[str] = ()


class Section(NamedTuple):
    """A part of a page.

    Attributes:
        name: its place in the address.
        title: its heading.
        sentences: what must be known first.
        charts, tables: its figures.
        findings: what the figures show, in words.
        notes: what must be known beside.
    """

    name: str
    title: str
    sentences: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    findings: Sequence[str] = ()
    notes: Sequence[str] = ()


class Tile(NamedTuple):
    """One figure at the top of a page."""

    label: str
    value: str
    note: str = ""


class Page(NamedTuple):
    """What a page says, but for its questions.

    Attributes:
        title: what it is about.
        subtitle: of which data, told by which protocol.
        tiles: the figures at its top.
        names: the runs by their letters; with one run, its name alone.
        sections: its parts before the questions.
        settings: its part after them.
    """

    title: str
    subtitle: str
    tiles: Sequence[Tile]
    names: Sequence[str]
    sections: Sequence[Section]
    settings: Section


def interval_text(intervals: Intervals | None) -> str:
    """Return the interval of a score in a table: for new histories if there is one, else marked."""
    limits = intervals and (intervals.new_histories or intervals.these_histories)
    if not intervals or not limits:
        return NONE
    return f"{limits[0]:.1f} to {limits[1]:.1f}{'' if intervals.new_histories else THESE}"


def score_dot(
    label: str, series: str, value: float, intervals: Intervals | None, text: str = ""
) -> Dot:
    """Return a score as a dot: thick for these histories, thin for new ones."""
    these = intervals.these_histories if intervals else None
    new = intervals.new_histories if intervals else None
    low, high = these or (None, None)
    low_wide, high_wide = new or (None, None)
    return Dot(
        label=label,
        series=series,
        value=value,
        low=low,
        high=high,
        low_wide=low_wide,
        high_wide=high_wide,
        text=text,
    )


def interval_notes(dots: Sequence[Dot]) -> list[str]:
    """Return what the lines through dots mean; nothing where there are none."""
    notes = []
    if any(dot.low is not None for dot in dots):
        notes.append(
            f"Thick lines, and {THESE}: the 95 % interval for other questions about these "
            "histories."
        )
    if any(dot.low_wide is not None for dot in dots):
        notes.append("Thin lines: the 95 % interval for new histories like these.")
    return [" ".join(notes)] if notes else []
