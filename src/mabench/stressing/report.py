"""What a stress found, as people read it and as programs do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mabench._version import __version__
from mabench.errors import DataError, reason
from mabench.json_text import JsonRecord, Number, record_of
from mabench.outfile import write_file
from mabench.stressing.operations import Operation
from mabench.userfile import read_json_file

_LARGEST_NUMBER = 10**6  # In a history.
Severity = Literal["fault", "note"]


@dataclass(frozen=True, slots=True)
class StressFinding(JsonRecord):
    """A violation, and the shortest history that showed it."""

    name: str  # Such as `lost-write`.
    severity: Severity  # A note does not make the command exit with 1.
    message: str  # What was seen, in a sentence.
    history: Sequence[Operation]  # The operations, the last of which showed it.
    elsewhere: bool = False  # Whether the memory ran in its own process, as for a kill.


@dataclass(frozen=True, slots=True)
class Tried(JsonRecord):
    """A part of the test."""

    what: str  # Its name, such as `several clients`.
    histories: int  # How many were run; 0 for a part without any, such as load.
    complete: bool  # Whether there was time for all.


@dataclass(frozen=True, slots=True)
class Latency(JsonRecord):
    """How long calls took with a number of concurrent clients."""

    operation: str  # `add` or `search`.
    clients: int  # How many clients called at a time.
    calls: int  # How many calls, without the first tenth.
    # Milliseconds of a call.
    p50: Number
    p95: Number
    p99: Number
    max: Number
    per_second: Number  # Calls a second.


@dataclass(frozen=True, slots=True)
class Size(JsonRecord):
    """The size of a store."""

    texts: int  # How many it held.
    bytes: int | None  # Of its files, or by `stats()`; None if unknown.
    per_1000_tokens: Number | None  # Bytes per 1,000 tokens of text.
    search: Number  # Median milliseconds of a search.


@dataclass(frozen=True, slots=True)
class Readiness(JsonRecord):
    """How soon stored texts are found."""

    declared: bool  # Whether the memory has `ready()`.
    n: int  # How many texts were looked for.
    # Seconds.
    p50: Number
    p95: Number
    p99: Number
    max: Number


@dataclass(frozen=True, slots=True)
class Kind(JsonRecord):
    """A kind of behaviour, and what is known of it."""

    name: str  # Such as `deleted texts are gone`.
    # Held: no history broke it. Not promised: it is not expected of this memory.
    verdict: Literal["held", "broken", "not promised", "not looked at"]
    finding: str | None = None  # The name of what breaks it.
    operations: int | None = None  # How many the shortest history has that shows that.
    why: str | None = None  # Why it is not known, or not expected.


@dataclass(frozen=True, slots=True)
class Exposure(JsonRecord):
    """How many searches and lists showed what they should not, or what nobody should trust."""

    reads: int  # How many there were, of histories that were made for the first time.
    stale: int  # Showed a value that no longer holds.
    foreign: int  # Showed a text of another user.
    deleted: int  # Showed what was deleted.
    secret: int  # Showed a secret to another user, or though it is to be redacted.
    planted: int  # Showed a planted instruction, which they may unless filtering is promised.


@dataclass(frozen=True, slots=True)
class Obedience(JsonRecord):
    """How often a reader did what an instruction in a stored text says."""

    questions: int  # How many were asked beside the instruction, and as many beside its twin.
    obeyed: int  # Answers with the word that the instruction demands.
    obeyed_twin: int  # Those beside a text that differs from it in one word, and demands nothing.


@dataclass(frozen=True, kw_only=True)
class StressReport(JsonRecord):
    """The report on a memory."""

    schema: int = 1  # The version of this form.
    mabench: str = __version__  # The version that made the report.
    memory: str  # Its name, with its settings.
    seed: int  # Of the histories and their words.
    takes: Mapping[str, Sequence[str]]  # The fields that each method declares.
    passed: bool = True  # Whether no finding is a fault, but for known ones.
    findings: Sequence[StressFinding] = ()  # Each with the shortest history that shows it.
    # What is known of each kind of behaviour; empty for replayed histories, and for a test that
    # ended at the finding that was looked for.
    kinds: Sequence[Kind] = ()
    exposure: Exposure | None = None  # None for replayed histories.
    obedience: Obedience | None = None  # None if no model read.
    known: Sequence[str] = ()  # Names of faults that the baseline has, too.
    tried: Sequence[Tried] = ()  # Which histories were run.
    not_tried: Sequence[str] = ()  # What was not tested, and why.
    # How soon texts are found; None if the first trial found none.
    readiness: Readiness | None = None
    latency: Sequence[Latency] = ()  # Of calls under load.
    harness: Sequence[Latency] = ()  # The same for a memory that does nothing: our overhead.
    sizes: Sequence[Size] = ()  # Of the store as it grew.
    seconds: Number = field(default=0.0, compare=False)  # How long the test took.

    @property
    def faults(self) -> list[str]:
        """The names of the findings that are faults."""
        return [each.name for each in self.findings if each.severity == "fault"]

    def write(self, file: Path) -> None:
        """Write the report as JSON; raises as ``write_file`` does."""
        write_file(file, self.to_json(indent=1) + "\n")


def read_report(file: Path) -> StressReport:
    """Read what ``write`` wrote, or raise a ``DataError``."""
    try:
        report = record_of(StressReport, read_json_file(file))
        for finding in report.findings:
            for operation in finding.history:
                _check_numbers(operation)
    except OSError as error:
        raise DataError(
            f"{file} cannot be read: {reason(error)}; give a report that `mabench stress` wrote"
        ) from error
    except ValueError as error:
        raise DataError(f"{file} is no report of `mabench stress`: {error}") from error
    return report


def _check_numbers(operation: Operation) -> None:
    """Raise a ``ValueError`` if a number of an operation is negative or too large to be meant."""
    fields = operation.as_dict()
    numbers = [value for value in fields.values() if isinstance(value, int)]
    if not all(0 <= number < _LARGEST_NUMBER for number in numbers):
        raise ValueError(f"{str(fields)[:80]} is no operation of a history")
