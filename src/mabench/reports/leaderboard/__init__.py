"""Published figures, with a user's own runs among them or next to one of them.

Published figures are data, one per line in ``figures.jsonl``; a page of the documentation,
``docs/contribute/published-figure.md``, says how to add one. Figures of different readers or judges
are never ranked.
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
