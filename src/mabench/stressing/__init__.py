"""Stress: random histories of operations on a memory, held against a model of what is legal."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.stressing.report import StressFinding as StressFinding
    from mabench.stressing.report import StressReport as StressReport
    from mabench.stressing.report import read_report as read_report
    from mabench.stressing.run import stress as stress
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
