"""Published figures, with runs of one's own among them or next to one of them.

They are data, one per line in ``figures.jsonl``; ``docs/contribute/published-figure.md`` says how
to add one. Figures are never ranked across readers and judges.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.reports.leaderboard.figure import Figure as Figure
    from mabench.reports.leaderboard.figure import published_figures as published_figures
    from mabench.reports.leaderboard.show import show_leaderboard as show_leaderboard
    from mabench.reports.leaderboard.side_by_side import put_beside as put_beside
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
