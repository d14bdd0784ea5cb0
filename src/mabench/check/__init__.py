"""Checks: whether scores of an agent or a memory can mean anything, before it is examined."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.check.checking import CheckStoppedError as CheckStoppedError
    from mabench.check.checking import check_agent as check_agent
    from mabench.check.findings import CheckReport as CheckReport
    from mabench.check.findings import Finding as Finding
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
