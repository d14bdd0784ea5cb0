"""The report of a comparison: one table of all runs, the pairs, and what was found in words."""

from mabench.reports.brief.compare import brief_comparison as brief_comparison
from mabench.reports.comparison.pairs import pair_report as pair_report
from mabench.reports.comparison.remarks import comparison_remarks as comparison_remarks
from mabench.reports.comparison.show import Detail as Detail
from mabench.reports.comparison.show import show_comparison as show_comparison
from mabench.reports.comparison.standings import standings_report as standings_report
