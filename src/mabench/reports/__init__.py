"""Reports: what a run's figures look like on a screen, in Markdown and in JSON."""

from mabench.reports.assumptions import judging_assumptions, run_assumptions
from mabench.reports.comparison import show_comparison
from mabench.reports.experiments import show_plan, show_race, show_sweep
from mabench.reports.layout import Report, print_table, show_reports
from mabench.reports.leaderboard import show_leaderboard
from mabench.reports.listings import contents_remarks, contents_tables, list_table
from mabench.reports.run_report import markdown, show, show_predictions
from mabench.reports.tables import Column, Table, tabulate

__all__ = [
    "Column",
    "Report",
    "Table",
    "contents_remarks",
    "contents_tables",
    "judging_assumptions",
    "list_table",
    "markdown",
    "print_table",
    "run_assumptions",
    "show",
    "show_comparison",
    "show_leaderboard",
    "show_plan",
    "show_predictions",
    "show_race",
    "show_reports",
    "show_sweep",
    "tabulate",
]
