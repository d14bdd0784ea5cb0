"""Stress: random histories of operations on a memory, held against a model of what is legal."""

from mabench.stressing.report import StressFinding as StressFinding
from mabench.stressing.report import StressReport as StressReport
from mabench.stressing.report import read_report as read_report
from mabench.stressing.run import stress as stress
