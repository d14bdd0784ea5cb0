"""Checks: whether scores of an agent or a memory can mean anything, before it is examined."""

from mabench.check.checking import check_agent
from mabench.check.findings import Finding, Report
from mabench.check.instances import DEFAULT_TIMEOUT, CheckSpec

__all__ = ["DEFAULT_TIMEOUT", "CheckSpec", "Finding", "Report", "check_agent"]
