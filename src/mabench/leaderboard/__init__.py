"""Published figures as data: one a line in ``figures.jsonl``, which contributors add to.

``docs/guides/leaderboard.md`` says how. Figures are never ranked across readers and judges.
"""

from mabench.leaderboard.figures import PLACES, Figure, best_by_column, figures
from mabench.leaderboard.standings import LeaderboardEntry, ReaderAndJudge, standings

__all__ = [
    "PLACES",
    "Figure",
    "LeaderboardEntry",
    "ReaderAndJudge",
    "best_by_column",
    "figures",
    "standings",
]
