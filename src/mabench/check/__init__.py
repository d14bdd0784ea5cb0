"""Checks: whether scores of an agent or a memory can mean anything, before it is examined."""

from mabench.check.checking import CheckStoppedError as CheckStoppedError
from mabench.check.checking import check_agent as check_agent
from mabench.check.findings import CheckReport as CheckReport
from mabench.check.findings import Finding as Finding
