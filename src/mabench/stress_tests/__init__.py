"""Stress: random histories of operations on a memory, held against a model of what is legal."""

from mabench.stress_tests.report import StressFinding, StressReport, read_report
from mabench.stress_tests.stressing import stress

__all__ = ["StressFinding", "StressReport", "read_report", "stress"]
