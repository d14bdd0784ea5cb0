"""What a stress found, as people read it and as programs do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mabench._version import __version__
from mabench.errors import DataError, reason
from mabench.json_text import JsonRecord, Number, record_of
from mabench.stress_tests.operations import Operation
from mabench.userfile import read_json_file

_MOST = 10**6  # Of any number in a history.
Severity = Literal["fault", "note"]


@dataclass(frozen=True, slots=True)
class StressFinding(JsonRecord):
    """A violation, and the shortest history that showed it.

    Attributes:
        name: such as `lost-write`.
        severity: a note does not make the command exit with 1.
        message: what was seen, in a sentence.
        history: the operations, the last of which showed it.
        elsewhere: whether the memory was in a process of its own, as for a kill.
    """

    name: str
    severity: Severity
    message: str
    history: Sequence[Operation]
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Tried(JsonRecord):
    """What was looked into.

    Attributes:
        what: a part of the stress, such as `several clients`.
        histories: how many were made; 0 also where none are, as under load.
        complete: whether there was time for all.
    """

    what: str
    histories: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Latency(JsonRecord):
    """How long calls took with so many clients at a time.

    Attributes:
        operation: `add` or `search`.
        clients: how many called at a time.
        calls: how many counted, the first tenth left out.
        p50, p95, p99, max: milliseconds of a call.
        per_second: calls a second.
    """

    operation: str
    clients: int
    calls: int
    p50: Number
    p95: Number
    p99: Number
    max: Number
    per_second: Number


@dataclass(frozen=True, slots=True)
class Size(JsonRecord):
    """What a store came to.

    Attributes:
        texts: how many it held.
        bytes: what its files take, or what it says itself; None where nobody knows.
        per_1000_tokens: that, by the tokens of what it was told.
        search: milliseconds of a search in the median.
    """

    texts: int
    bytes: int | None
    per_1000_tokens: Number | None
    search: Number


@dataclass(frozen=True, slots=True)
class Readiness(JsonRecord):
    """How long after it was stored a text was found.

    Attributes:
        declared: whether the memory says itself when it is ready.
        n: how many texts were looked for.
        p50, p95, p99, max: seconds.
    """

    declared: bool
    n: int
    p50: Number
    p95: Number
    p99: Number
    max: Number


@dataclass(frozen=True, kw_only=True)
class StressReport(JsonRecord):
    """What was found out about a memory.

    Attributes:
        schema: the version of this form.
        mabench: the version that made the report.
        memory: its name, with its settings.
        seed: of the histories and their words.
        takes: what each method takes, as the memory declares it.
        passed: whether no finding is a fault that was not known before.
        findings: each with the shortest history that shows it.
        known: names of faults that the report that it is held against has, too.
        tried: which histories were made.
        not_tried: what was not looked into, and why.
        readiness: how late texts are found; None where none was found when it was tried.
        latency: of calls under load.
        harness: the same of a memory that does nothing: the harness's own share.
        sizes: of the store as it grew.
        seconds: how long all took.
    """

    schema: int = 1
    mabench: str = __version__
    memory: str
    seed: int
    takes: Mapping[str, Sequence[str]]
    passed: bool = True
    findings: Sequence[StressFinding] = ()
    known: Sequence[str] = ()
    tried: Sequence[Tried] = ()
    not_tried: Sequence[str] = ()
    readiness: Readiness | None = None
    latency: Sequence[Latency] = ()
    harness: Sequence[Latency] = ()
    sizes: Sequence[Size] = ()
    seconds: Number = field(default=0.0, compare=False)

    @property
    def faults(self) -> list[str]:
        """The names of the findings that are faults."""
        return [each.name for each in self.findings if each.severity == "fault"]

    def write(self, file: Path) -> None:
        """Write the report as JSON."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self.to_json(indent=1) + "\n", encoding="utf-8")


def percentiles(values: Sequence[float]) -> tuple[float, float, float, float]:
    """Return the 50th, 95th and 99th percentile, each a value that occurred, and the maximum."""
    ordered = sorted(values)
    ranks = (-(-len(ordered) * share // 100) - 1 for share in (50, 95, 99))
    p50, p95, p99 = (round(ordered[rank], 4) for rank in ranks)
    return p50, p95, p99, round(ordered[-1], 4)


def read_report(file: Path) -> StressReport:
    """Read what ``write`` wrote, or raise a ``DataError``."""
    try:
        report = record_of(StressReport, read_json_file(file))
        for operation in (each for finding in report.findings for each in finding.history):
            numbers = (value for value in operation.as_dict().values() if isinstance(value, int))
            if not all(0 <= number < _MOST for number in numbers):
                raise ValueError(f"{str(operation.as_dict())[:80]} is no operation of a history")
    except OSError as error:
        raise DataError(
            f"{file} cannot be read: {reason(error)}; give a report that `mabench stress` wrote"
        ) from error
    except ValueError as error:
        raise DataError(f"{file} is no report of `mabench stress`: {error}") from error
    return report
