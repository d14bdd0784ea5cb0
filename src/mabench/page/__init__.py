"""One-file pages: a run, several runs or a sweep as HTML that opens without a server or network.

``questions`` gathers what is shown of each question, ``sections`` and ``pages`` say what is told,
``charts`` draws, and ``document`` puts it into the shell.
"""

from mabench.page.document import require_packages
from mabench.page.pages import comparison_page, run_page, sweep_page
from mabench.page.plots import check_plot, plot_comparison, plot_sweep
from mabench.page.stress import stress_page

__all__ = [
    "check_plot",
    "comparison_page",
    "plot_comparison",
    "plot_sweep",
    "require_packages",
    "run_page",
    "stress_page",
    "sweep_page",
]
