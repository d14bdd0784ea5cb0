"""The report of a comparison of runs: one table of all runs, the pairs, and the findings."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.reports.brief.compare import brief_comparison as brief_comparison
    from mabench.reports.comparison.pairs import pair_report as pair_report
    from mabench.reports.comparison.remarks import comparison_remarks as comparison_remarks
    from mabench.reports.comparison.show import Detail as Detail
    from mabench.reports.comparison.show import show_comparison as show_comparison
    from mabench.reports.comparison.standings import standings_report as standings_report
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
