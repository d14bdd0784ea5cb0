"""What a stress found, as people read it and as programs do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from mabench._version import __version__
from mabench.errors import DataError, reason
from mabench.stress_tests.operations import InventedFacts, Operation, read_history
from mabench.userfile import read_json_file

SCHEMA = 1


class StressFinding(NamedTuple):
    """A violation, and the shortest history that showed it.

    Attributes:
        name: such as ``lost-write``.
        severity: ``fault`` or ``note``.
        message: what was seen, in a sentence.
        history: the operations, the last of which showed it.
        elsewhere: whether the memory was in a process of its own, as for a kill.
    """

    name: str
    severity: str
    message: str
    history: Sequence[Operation]
    elsewhere: bool = False


class Tried(NamedTuple):
    """What was looked into: how many histories were made, and whether there was time for all."""

    what: str
    histories: int
    complete: bool


class Latency(NamedTuple):
    """How long calls took with so many clients at a time: milliseconds, and calls a second."""

    operation: str
    clients: int
    calls: int
    p50: float
    p95: float
    p99: float
    max: float
    per_second: float


class Size(NamedTuple):
    """What a store of so many texts came to.

    Attributes:
        bytes: what its files take, or what it says itself; None where nobody knows.
        per_1000_tokens: that, by the tokens of what it was told.
        search: milliseconds of a search in the median.
    """

    texts: int
    bytes: int | None
    per_1000_tokens: float | None
    search: float


class Readiness(NamedTuple):
    """How long after it was stored a text was found, in seconds.

    ``declared`` says whether the memory says itself when it is ready.
    """

    declared: bool
    n: int
    p50: float
    p95: float
    p99: float
    max: float


@dataclass(frozen=True, kw_only=True)
class StressReport:
    """What was found out about a memory."""

    memory: str
    seed: int
    takes: Mapping[str, Sequence[str]]  # What it declares: fields by method.
    facts: InventedFacts = field(compare=False)  # The words of the histories.
    findings: Sequence[StressFinding] = ()
    tried: Sequence[Tried] = ()
    not_tried: Sequence[str] = ()
    readiness: Readiness | None = None
    latency: Sequence[Latency] = ()
    harness: Sequence[Latency] = ()  # Of a memory that does nothing.
    sizes: Sequence[Size] = ()
    known: Sequence[str] = ()  # Names of faults that the report it was held against has, too.
    seconds: float = field(default=0.0, compare=False)

    @property
    def passed(self) -> bool:
        """Whether no finding is a fault that was not known before."""
        return not any(
            each.severity == "fault" and each.name not in self.known for each in self.findings
        )

    def as_dict(self) -> dict[str, object]:
        """Return the report as it is written and printed in JSON."""
        return {
            "schema": SCHEMA,
            "mabench": __version__,
            "memory": self.memory,
            "seed": self.seed,
            "takes": {name: list(fields) for name, fields in self.takes.items()},
            "passed": self.passed,
            "findings": [
                {
                    "name": each.name,
                    "severity": each.severity,
                    "message": each.message,
                    "history": [operation.as_dict(self.facts) for operation in each.history],
                    "elsewhere": each.elsewhere,
                }
                for each in self.findings
            ],
            "known": list(self.known),
            "tried": [each._asdict() for each in self.tried],
            "not_tried": list(self.not_tried),
            "readiness": self.readiness and self.readiness._asdict(),
            "latency": [each._asdict() for each in self.latency],
            "harness": [each._asdict() for each in self.harness],
            "sizes": [each._asdict() for each in self.sizes],
            "seconds": self.seconds,
        }

    def write(self, file: Path) -> None:
        """Write the report as JSON."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(self.as_dict(), indent=1) + "\n", encoding="utf-8")


def read_report(file: Path) -> StressReport:
    """Read what ``write`` wrote, or raise a ``DataError``."""
    try:
        content: Any = read_json_file(file)
        return StressReport(
            memory=str(content["memory"]),
            seed=int(content["seed"]),
            takes=dict(content["takes"]),
            facts=InventedFacts(int(content["seed"])),
            findings=[
                StressFinding(
                    str(each["name"]),
                    str(each["severity"]),
                    str(each["message"]),
                    read_history(each["history"]),
                    bool(each.get("elsewhere")),
                )
                for each in content["findings"]
            ],
            known=list(content.get("known") or ()),
            tried=[Tried(**each) for each in content["tried"]],
            not_tried=list(content["not_tried"]),
            readiness=content["readiness"] and Readiness(**content["readiness"]),
            latency=[Latency(**each) for each in content["latency"]],
            harness=[Latency(**each) for each in content["harness"]],
            sizes=[Size(**each) for each in content["sizes"]],
            seconds=float(content["seconds"]),
        )
    except OSError as error:
        raise DataError(f"{file} cannot be read: {reason(error)}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{file} is no report of `mabench stress`: {error}") from error
