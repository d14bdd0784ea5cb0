"""Checks: whether scores of an agent or a memory can mean anything, before it is examined."""

from mabench.check.checking import CheckInterrupt, CheckStoppedError, check_agent
from mabench.check.findings import CheckReport, Finding

__all__ = ["CheckInterrupt", "CheckReport", "CheckStoppedError", "Finding", "check_agent"]
