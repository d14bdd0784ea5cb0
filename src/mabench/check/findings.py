"""What a check found, and what that means for the scores of the agent that was checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mabench.check.agent import CheckedAgent


class Status(StrEnum):
    """How a check ended: ``passed``, ``failed``, ``warning`` or ``skipped``."""

    PASSED = "passed"
    FAILED = "failed"
    WARNING = "warning"
    SKIPPED = "skipped"


class Verdict(NamedTuple):
    """How a check ended, and what was seen; for a failure, the fault by its name."""

    status: Status
    message: str
    # The share of memorized facts that are found, from the check that measures this; else None.
    found_share: float | None = None


# Functions that return a verdict with a message, and optionally the share.
passed = partial(Verdict, Status.PASSED)
failed = partial(Verdict, Status.FAILED)
warning = partial(Verdict, Status.WARNING)
skipped = partial(Verdict, Status.SKIPPED)


class Finding(NamedTuple):
    """What one check found."""

    check: str  # The name of the check.
    status: Status  # How it ended.
    message: str  # As in its verdict.
    invalidates: bool  # Whether scores of this agent mean nothing because of it; failures only.
    seconds: float  # How long the check took.


class Check(NamedTuple):
    """A check: what it is called, and what its failure means."""

    name: str  # As the report shows it.
    carry_out: Callable[[CheckedAgent], Awaitable[Verdict]]
    invalidates: bool = True  # Whether scores mean nothing when it fails.
    needs_found: bool = True  # Whether it can show a fault only if the memory finds something.

    def make_finding(self, verdict: Verdict, seconds: float) -> Finding:
        """Return the finding of this check, which took some seconds and ended with a verdict."""
        invalidates = self.invalidates and verdict.status is Status.FAILED
        return Finding(self.name, verdict.status, verdict.message, invalidates, round(seconds, 3))


class CheckReport(NamedTuple):
    """The findings about an agent."""

    agent: str  # Its name, with its settings.
    findings: Sequence[Finding]  # What each check found, in the order of the checks.

    @property
    def valid(self) -> bool:
        """Whether no failure invalidates the agent's scores."""
        return not any(finding.invalidates for finding in self.findings)

    def as_dict(self) -> dict[str, object]:
        """Return the report as it is printed in JSON."""
        return {
            "schema": 1,
            "agent": self.agent,
            "valid": self.valid,
            "findings": [finding._asdict() for finding in self.findings],
        }
