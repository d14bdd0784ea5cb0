"""The published figures in Markdown: a table for each reader and judge, and one of claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mabench.data.inventory import CATEGORIES
from mabench.reports.leaderboard import Figure, published_figures
from mabench.reports.leaderboard.standings import Entry, group_systems
from mabench_site.markdown import table

# The columns of each category with its mean, in tables of about the same width.
_PARTS = (
    tuple(name for one in CATEGORIES[:2] for name in (*one.columns, one.name)),
    (*(name for one in CATEGORIES[2:] for name in (*one.columns, one.name)), "Overall"),
)


def figures_in_markdown() -> str:
    """Return tables of the figures that can be compared, by reader and judge."""
    groups = group_systems(one for one in published_figures() if not one.unlike)
    parts = []
    for (reader, judge), entries in groups.items():
        by = f"judge {judge}" if judge else "no judge"
        parts.append(f"### {f'Reader {reader}' if reader else 'Reader unknown or missing'}, {by}\n")
        parts += _tables(entries)
    return "\n".join(parts)


def claims_in_markdown() -> str:
    """Return a table of the figures that cannot be compared, with the reasons."""
    groups = group_systems(one for one in published_figures() if one.unlike)
    rows = [
        (system.name, system.reader or "", on, f"{figure.score:.1f}", _reason(figure))
        for entries in groups.values()
        for system, figures in entries
        for on, figure in figures.items()
    ]
    return table(("System", "Reader", "Column", "Score", "Why"), rows)


def _tables(entries: Sequence[Entry]) -> Iterator[str]:
    for names in _PARTS:
        shown = [name for name in names if any(name in figures for _, figures in entries)]
        rows = [
            (system.name, *(_score(figures, name) for name in shown))
            for system, figures in entries
            if not figures.keys().isdisjoint(shown)
        ]
        if rows:
            yield table(("System", *shown), rows)


def _score(figures: Mapping[str, Figure], name: str) -> str:
    return f"{figures[name].score:.1f}" if name in figures else ""


def _reason(figure: Figure) -> str:
    second = ["second-hand"] if figure.read == "second-hand" else []
    return "; ".join([figure.unlike, *second])
