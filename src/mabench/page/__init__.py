"""One-file pages: runs, a sweep or a data set as HTML that opens without a server or network.

``questions`` gathers what is shown of each question, ``sections`` and ``pages`` say what is told,
``charts`` draws, ``document`` puts it into the shell, and ``data_pages`` does all for a data set.
"""

from mabench.page.data_pages import data_page
from mabench.page.document import require_packages
from mabench.page.pages import comparison_page, race_page, run_page, sweep_page
from mabench.page.plots import check_plot, plot_comparison, plot_sweep
from mabench.page.stress import stress_page

__all__ = [
    "check_plot",
    "comparison_page",
    "data_page",
    "plot_comparison",
    "plot_sweep",
    "race_page",
    "require_packages",
    "run_page",
    "stress_page",
    "sweep_page",
]
