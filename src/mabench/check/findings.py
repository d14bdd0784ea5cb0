"""What a check found, and what that means for scores."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

SCHEMA = 1


class Status(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    WARNING = "warning"
    SKIPPED = "skipped"


class Verdict(NamedTuple):
    """How a check ended, and a sentence about what was seen."""

    status: Status
    message: str


class Finding(NamedTuple):
    """What one check found.

    Attributes:
        check: the name of the check.
        status: how it ended.
        message: what was seen; for a failure, the fault by its name.
        invalidates: whether scores of this agent mean nothing because of it; failures only.
        seconds: how long the check took.
    """

    check: str
    status: Status
    message: str
    invalidates: bool
    seconds: float


class Report(NamedTuple):
    """The findings about an agent, in the order of the checks."""

    agent: str
    findings: Sequence[Finding]

    @property
    def valid(self) -> bool:
        """Whether no failure invalidates the agent's scores."""
        return not any(finding.invalidates for finding in self.findings)

    def as_dict(self) -> dict[str, object]:
        """Return the report as it is printed in JSON."""
        return {
            "schema": SCHEMA,
            "agent": self.agent,
            "valid": self.valid,
            "findings": [finding._asdict() for finding in self.findings],
        }


def passed(message: str) -> Verdict:
    """Return the verdict that all is well."""
    return Verdict(Status.PASSED, message)


def failed(message: str) -> Verdict:
    """Return the verdict that something is wrong; ``message`` names the fault."""
    return Verdict(Status.FAILED, message)


def warning(message: str) -> Verdict:
    """Return the verdict that something should be known."""
    return Verdict(Status.WARNING, message)


def skipped(message: str) -> Verdict:
    """Return the verdict that nothing was checked, with the reason."""
    return Verdict(Status.SKIPPED, message)
