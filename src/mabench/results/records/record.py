"""What a run is: everything that its figures depend on, recorded and compared on resume."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from mabench._version import __version__
from mabench.data import Source, read_declarations
from mabench.json_text import IfKnown, JsonRecord, Number
from mabench.printable import write_count

if TYPE_CHECKING:
    from mabench.data import Dataset

SCHEMA = 1


class _IdentityPart(NamedTuple):
    """A part of what identifies a run."""

    parameter: str  # The parameter of a run, or of its data set, that sets it.
    field: str  # The field of the run's record that tells it.
    label: str  # What messages call it.


# What identifies a run: runs in which all of it is the same may share a folder.
_IDENTITY = (
    _IdentityPart("agent", "agent", "agent"),
    _IdentityPart("data", "fingerprint", "data fingerprint"),
    _IdentityPart("sources", "questions", "questions by source"),
    _IdentityPart("protocol", "protocol", "protocol"),
    _IdentityPart("chunk_tokens", "chunk_tokens", "`chunk_tokens`"),
    _IdentityPart("prompts", "prompts", "prompts hash"),
    _IdentityPart("model", "model", "model"),
    _IdentityPart("rows", "rows", "`rows`"),
    _IdentityPart("limit_questions", "limit_questions", "`limit_questions`"),
    _IdentityPart("shuffle_options", "shuffle_options", "`shuffle_options`"),
)
# The parameters that say which questions are asked: when a run is resumed, it may ask more.
_SELECTION = ("sources", "rows", "limit_questions")
_CODE = "fresh"  # The parameter with which changed code is run anew.

_CHECKOUT = Path(__file__).parents[4]  # The folder of mabench's repository, if it runs from one.
_GIT_SECONDS = 5.0
_MARK_DIGITS = 16  # Of the hash that marks the answers of a run.


class RecordDifference(NamedTuple):
    """One thing in which this run, here, and another, there, differ."""

    parameter: str  # The parameter of a run that makes the difference.
    what: str  # In words.
    here: object
    there: object

    @property
    def is_selection(self) -> bool:
        """Whether it is in which questions are asked, not in how."""
        return self.parameter in _SELECTION

    @property
    def is_code(self) -> bool:
        """Whether it is in the agent's code: a file or a package."""
        return self.parameter == _CODE

    def __str__(self) -> str:
        """The difference in words."""
        return f"{self.what} is {self.there!r} there and {self.here!r} here"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRecord(JsonRecord):
    """The data set of a run."""

    name: str  # Its name.
    location: str | None = None  # What ``mabench.load`` opens; null for rows from memory.
    fingerprint: str  # A hash of its rows.
    revision: str | None = None  # The revision of the hub; null for data from elsewhere.
    # Whether the rows can be the benchmark's own: neither made up nor more than it has. Only they
    # feed the columns of the paper's table.
    benchmark: bool
    # The titles of the benchmark's sources if their rows are made up, by name, such as ``ruler_qa1,
    # 8k, made up``.
    titles: IfKnown[Mapping[str, str] | None] = None

    @classmethod
    def of(cls, dataset: Dataset) -> Self:
        """Return the record of a data set."""
        return cls(
            name=dataset.name,
            location=dataset.location,
            fingerprint=dataset.fingerprint,
            revision=dataset.revision,
            benchmark=dataset.is_benchmark,
            titles=dataset.titles or None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRecord(JsonRecord):
    """What the replies of a model depend on that mabench itself served, on the run's machine."""

    file: str  # The SHA-256 of its GGUF file.
    package: str  # The version of xllamacpp, which brings llama.cpp.
    context: int  # Tokens of a prompt with its reply.
    slots: int  # How many requests were worked on at a time.
    threads: int  # On how many threads.


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord(JsonRecord):
    """The language model of a run, with all that its answers depend on."""

    name: str  # Its name, as its server knows it.
    temperature: Number  # Its temperature.
    seed: int | None = None  # Its seed; null without one.
    # What served it, if mabench itself did.
    local: IfKnown[LocalRecord | None] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRecord(JsonRecord):
    """The code of a run's agent, so that changes are noticed."""

    # A hash of each of its files, by the path by which imports or the command name it.
    files: Mapping[str, str] = field(default_factory=dict)
    # The version of each installed package that brings it, by name.
    packages: Mapping[str, str] = field(default_factory=dict)
    # Why some of it is unknown; such a run is resumed only with ``same_code``.
    unknown: tuple[str, ...] = ()

    def differences(self, other: CodeRecord) -> list[RecordDifference]:
        """Return the files and packages that differ from those of another record.

        If either record does not know all its code, one that it lacks may be there all the same,
        and is no difference.
        """
        mine = {**self.files, **self.packages}
        others = {**other.files, **other.packages}
        some_unknown = self.unknown or other.unknown
        differences = []
        for name in {**mine, **others}:
            in_both = name in mine and name in others
            if mine.get(name) == others.get(name) or (some_unknown and not in_both):
                continue
            differences.append(
                RecordDifference(_CODE, name, here=mine.get(name), there=others.get(name))
            )
        return differences


@dataclass(frozen=True, slots=True, kw_only=True)
class TakesRecord(JsonRecord):
    """The fields that the agent of a run received; the texts hold those that it did not."""

    unit: str  # How it received conversations: by turn or by session.
    told: tuple[str, ...] = ()  # The fields received with each text.
    asked: tuple[str, ...] = ()  # The fields received with each question.

    def __str__(self) -> str:
        """What the agent received, in words."""
        fields = []
        if self.told:
            fields.append(f"{' and '.join(self.told)} with each text")
        if self.asked:
            fields.append(f"{' and '.join(self.asked)} with each question")
        passed = f" if the data has it: {', '.join(fields)}" if fields else ": nothing"
        return f"told by {self.unit}s; passed natively{passed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord(JsonRecord):
    """What a run is: the content of ``run.json``."""

    schema: int = SCHEMA  # The version of the format of the run folder.
    mabench: str = __version__  # The version of mabench that began the run.
    # The git commit of that mabench, with -dirty when files differed from it; only where it was run
    # from a checkout.
    commit: IfKnown[str | None] = None
    date: IfKnown[str | None] = None  # When the run began, in UTC.
    # When its last question was answered, in UTC, if all were.
    finished: IfKnown[str | None] = None
    # The command that began or last extended the run, without secrets; none for one from Python.
    command: IfKnown[str | None] = None
    agent: str  # The agent's name, with its settings.
    # Whether the agent declares that another build of it answers the same.
    deterministic: IfKnown[bool | None] = None
    # The agent's code; unknown for predictions of other tools.
    code: IfKnown[CodeRecord | None] = None
    data: DataRecord  # The data set.
    questions: Mapping[str, int]  # How many questions the run asks, by source.
    protocol: str  # The protocol's name.
    chunk_tokens: int | None = None  # A chunk size in place of the protocol's, or null.
    prompts: str  # Hash of the prompts.
    model: ModelRecord | None = None  # The model that reads; null without one.
    rows: tuple[int, ...] | None = None  # The rows within their splits, if only some are run.
    limit_questions: int | None = None  # How many questions of each row are asked, if not all.
    # What fixed the order of the options of questions, if that was not the data's.
    shuffle_options: IfKnown[int | None] = None
    python: str = ""  # The version of Python.
    platform: str = ""  # The operating system.
    # The versions of the packages on which its figures depend: of scores, of chunks, and of the
    # agent as far as it runs in this environment.
    packages: Mapping[str, str] = field(default_factory=dict)
    # The fields that the agent received; only for conversations by turns, once one has begun.
    takes: IfKnown[TakesRecord | None] = None
    # Family and split of each source that the data set declares, and what it sets instead of its
    # family: unit, metric, prompt; what its rows name in asked_after; and timezone, where the
    # clocks stood of times without a zone.
    sources: IfKnown[Mapping[str, Mapping[str, str]] | None] = None

    @property
    def all_sources(self) -> Mapping[str, Source]:
        """The sources of the benchmark and those that the data set declares, by name."""
        return read_declarations(self.sources)

    def begin(self, command: str | None = None) -> Self:
        """Return this record of a run that begins now, with the time, the command and versions."""
        return replace(
            self,
            commit=_commit(),
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            command=command,
            python=platform.python_version(),
            platform=sys.platform,
        )

    def mark(self) -> str:
        """Return a short hash of all in which the answers in a folder are the same.

        Which questions are asked is no part of it, since a run can be extended, nor is the code.
        """
        fields = [part.field for part in _IDENTITY if part.parameter not in _SELECTION]
        if self.shuffle_options is None:
            fields.remove("shuffle_options")  # As in earlier versions, which did not have it.
        values = self._values_by_field()
        text = json.dumps([values[field] for field in fields], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:_MARK_DIGITS]

    def builder(self) -> str:
        """Return a hash of what a memory is built by: the agent, its settings, code and model."""
        fields = self.as_dict()
        parts = fields["agent"], fields.get("code"), fields["model"]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def extend(self, other: RunRecord, command: str | None = None) -> Self:
        """Return this record, but with the choice of questions of another if that differs.

        The run is not finished then, and ``command`` is what extends it.
        """
        if not any(difference.is_selection for difference in other.differences(self)):
            return self
        selection = {
            part.field: getattr(other, part.field)
            for part in _IDENTITY
            if part.parameter in _SELECTION
        }
        return replace(self, finished=None, command=command, **selection)

    def left_out(self, other: RunRecord) -> list[str]:
        """Return which questions of another run over the same data this one does not ask.

        Each is a clause for a message, with the parameter that leaves the questions out.
        """
        clauses = []
        sources = [name for name in other.questions if name not in self.questions]
        if sources:
            clauses.append(f"{', '.join(sources)}, which `sources` excludes here")
        if self.rows is not None and other.rows is None:
            clauses.append(f"all rows, of which `rows` names {_list_rows(self.rows)} here")
        elif self.rows is not None and other.rows is not None:
            rows = set(other.rows) - set(self.rows)
            if rows:
                clauses.append(f"row {_list_rows(rows)}, which `rows` leaves out here")
        limit, other_limit = self.limit_questions, other.limit_questions
        if limit is not None and (other_limit is None or other_limit > limit):
            extent = (
                "every question" if other_limit is None else write_count(other_limit, "question")
            )
            clauses.append(f"{extent} of each row, where `limit_questions` is {limit} here")
        return clauses

    def differences(self, other: RunRecord) -> list[RecordDifference]:
        """Return what keeps this run and another from sharing a folder; empty when nothing."""
        mine, others = self._values_by_field(), other._values_by_field()
        differences = [
            RecordDifference(part.parameter, part.label, mine[part.field], others[part.field])
            for part in _IDENTITY
            if mine[part.field] != others[part.field]
        ]
        if self.code and other.code:
            differences += self.code.differences(other.code)
        return differences

    def _values_by_field(self) -> dict[str, Any]:
        """Return the values of all fields as JSON has them, with those that identify the run.

        The fingerprint is within the data, and ``shuffle_options`` is not written if it is None.
        """
        return {
            **self.as_dict(),
            "fingerprint": self.data.fingerprint,
            "shuffle_options": self.shuffle_options,
        }


def _list_rows(rows: Collection[int]) -> str:
    """Return the numbers of rows in order, for a message."""
    return ", ".join(str(row) for row in sorted(rows))


@cache
def _commit() -> str | None:
    """Return the git commit of mabench, with ``-dirty`` if files differ from it.

    Returns None where mabench runs from no checkout, or git fails.
    """
    if not (_CHECKOUT / ".git").exists():
        return None
    try:
        head = _git("rev-parse", "HEAD")
        return f"{head}-dirty" if _git("status", "-s", "-uno") else head
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _git(*words: str) -> str:
    """Return what git prints for a command in the checkout; raises an error if it fails."""
    # Variables that a hook of another repository sets would name that one.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(  # noqa: S603 - the command is ours.
        ["git", *words],  # noqa: S607 - wherever it is installed.
        cwd=_CHECKOUT,
        env={**environment, "GIT_OPTIONAL_LOCKS": "0"},  # Locks are for those who write.
        capture_output=True,
        text=True,
        timeout=_GIT_SECONDS,
        check=True,
    ).stdout.strip()
