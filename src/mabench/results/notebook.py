"""How a run shows itself in a notebook: the scores of its sources as an HTML table."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

from mabench.printable import printable
from mabench.results.summaries import Intervals, RunSummary, SourceSummary

_HEADERS = ("Source", "Metric", "n", "Errors", "Official", "95 %", "Corrected", "95 %")


def html_of(summary: RunSummary, folder: Path) -> str:
    """Return what a run comes to as HTML; every text in it is escaped.

    The intervals are those for new histories where there are any, else those for these histories,
    which are marked with †.
    """
    title = f"{summary.agent} on {summary.data}, protocol {summary.protocol}"
    body = "".join(_row("td", _cells(name, one)) for name, one in summary.sources.items())
    return (
        f"<p><b>{_shown(title)}</b><br><small>{_shown(str(folder))}</small></p>"
        f"<table><thead>{_row('th', _HEADERS)}</thead><tbody>{body}</tbody></table>"
    )


def _cells(name: str, source: SourceSummary) -> tuple[str, ...]:
    whole = source.n == source.expected
    return (
        name,
        source.metric,
        str(source.n) if whole else f"{source.n} of {source.expected}",
        str(source.errors),
        _score(source.official),
        _limits(source.interval),
        _score(source.corrected),
        _limits(source.interval_corrected),
    )


def _score(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _limits(intervals: Intervals | None) -> str:
    if intervals and intervals.new_histories:
        low, high = intervals.new_histories
        return f"{low:.1f} to {high:.1f}"
    if intervals and intervals.these_histories:
        low, high = intervals.these_histories
        return f"{low:.1f} to {high:.1f}†"
    return "-"


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_shown(cell)}</{tag}>' for cell in cells)}</tr>"


def _shown(text: str) -> str:
    return escape(printable(text))
