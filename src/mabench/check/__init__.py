"""Checks: whether scores of an agent or a memory can mean anything, before it is examined."""

from mabench.check.checking import DEFAULT_LIMIT, check_agent
from mabench.check.findings import Finding, Report

__all__ = ["DEFAULT_LIMIT", "Finding", "Report", "check_agent"]
