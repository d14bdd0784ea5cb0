"""Reports: what a run's figures look like on a screen, in Markdown and in JSON."""

from mabench.reports.assumptions import judging_assumptions, run_assumptions
from mabench.reports.beside import show_beside
from mabench.reports.comparison import interval_of, show_comparison
from mabench.reports.data_tables import audit_tables, contents_table, inventory_table
from mabench.reports.experiment_tables import (
    agreement_table,
    check_table,
    conclusion,
    estimate_table,
    repeat_table,
    sweep_table,
)
from mabench.reports.layout import print_table
from mabench.reports.leaderboard import show_leaderboard
from mabench.reports.question import show_question_list, show_questions
from mabench.reports.run_report import markdown, show, show_predictions
from mabench.reports.trial import trial_assumptions, trial_tables

__all__ = [
    "agreement_table",
    "audit_tables",
    "check_table",
    "conclusion",
    "contents_table",
    "estimate_table",
    "interval_of",
    "inventory_table",
    "judging_assumptions",
    "markdown",
    "print_table",
    "repeat_table",
    "run_assumptions",
    "show",
    "show_beside",
    "show_comparison",
    "show_leaderboard",
    "show_predictions",
    "show_question_list",
    "show_questions",
    "sweep_table",
    "trial_assumptions",
    "trial_tables",
]
