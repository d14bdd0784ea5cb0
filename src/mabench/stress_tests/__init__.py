"""Stress: random histories of operations on a memory, held against a model of what is legal."""

from mabench.stress_tests.report import StressFinding as StressFinding
from mabench.stress_tests.report import StressReport as StressReport
from mabench.stress_tests.report import read_report as read_report
from mabench.stress_tests.stressing import stress as stress
