"""Reports: what a run's figures look like on a screen, in Markdown and in JSON."""

from mabench.reports.assumptions import judging_assumptions, run_assumptions
from mabench.reports.comparison import show_comparison
from mabench.reports.data_tables import (
    agents_table,
    audit_tables,
    chunks_table,
    contents_of,
    contents_table,
    inventory_table,
    problems_table,
)
from mabench.reports.experiment_tables import (
    agreement_table,
    check_table,
    conclusion,
    estimate_table,
    repeat_table,
    runs_table,
    sweep_table,
)
from mabench.reports.layout import Report, print_table, show_reports
from mabench.reports.leaderboard import show_leaderboard
from mabench.reports.question import question_table, show_question_list, show_questions
from mabench.reports.remarks import leak_remarks
from mabench.reports.run_report import markdown, show, show_predictions
from mabench.reports.tables import Column, Table, tabulate

__all__ = [
    "Column",
    "Report",
    "Table",
    "agents_table",
    "agreement_table",
    "audit_tables",
    "check_table",
    "chunks_table",
    "conclusion",
    "contents_of",
    "contents_table",
    "estimate_table",
    "inventory_table",
    "judging_assumptions",
    "leak_remarks",
    "markdown",
    "print_table",
    "problems_table",
    "question_table",
    "repeat_table",
    "run_assumptions",
    "runs_table",
    "show",
    "show_comparison",
    "show_leaderboard",
    "show_predictions",
    "show_question_list",
    "show_questions",
    "show_reports",
    "sweep_table",
    "tabulate",
]
