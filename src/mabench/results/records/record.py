"""What a run is: everything that its figures depend on, recorded and compared on resume."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
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

# What identifies a run: runs in which all of it is the same may share a folder. Each is a
# parameter of a run, or of its data set, with the field that stands for it and what to call it.
_IDENTITY = {
    "agent": ("agent", "agent"),
    "data": ("fingerprint", "data fingerprint"),
    "sources": ("questions", "questions by source"),
    "protocol": ("protocol", "protocol"),
    "chunk_tokens": ("chunk_tokens", "`chunk_tokens`"),
    "prompts": ("prompts", "prompts hash"),
    "model": ("model", "model"),
    "rows": ("rows", "`rows`"),
    "limit_questions": ("limit_questions", "`limit_questions`"),
    "shuffle_options": ("shuffle_options", "`shuffle_options`"),
}
# Those that say which questions are asked: of one run, later sittings may ask more.
_SELECTION = ("sources", "rows", "limit_questions")
_CODE = "fresh"  # The parameter with which changed code is run anew.

_CHECKOUT = Path(__file__).parents[4]
_GIT_SECONDS = 5.0


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
        names = ("name", "location", "fingerprint", "revision")
        same = {name: getattr(dataset, name) for name in names}
        return cls(**same, benchmark=dataset.is_benchmark, titles=dataset.titles or None)


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
        """Return what was changed; what one of them cannot tell is no difference."""
        mine, others = ({**code.files, **code.packages} for code in (self, other))
        partial = self.unknown or other.unknown
        return [
            RecordDifference(_CODE, name, mine.get(name), others.get(name))
            for name in {**mine, **others}
            if mine.get(name) != others.get(name)
            and not (partial and (name not in mine or name not in others))
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class TakesRecord(JsonRecord):
    """The fields that the agent of a run received; the texts hold those that it did not."""

    unit: str  # How it received conversations: by turn or by session.
    told: tuple[str, ...] = ()  # The fields received with each text.
    asked: tuple[str, ...] = ()  # The fields received with each question.

    def __str__(self) -> str:
        parts = {"with each text": self.told, "with each question": self.asked}
        fields = [f"{' and '.join(names)} {when}" for when, names in parts.items() if names]
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
        """Return this record with the time, the command and what runs here."""
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
        lasting = [
            name for parameter, (name, _) in _IDENTITY.items() if parameter not in _SELECTION
        ]
        if self.shuffle_options is None:  # Which earlier versions did not know.
            lasting.remove("shuffle_options")
        mine = self._settings()
        listed = json.dumps([mine[name] for name in lasting], sort_keys=True)
        return hashlib.sha256(listed.encode()).hexdigest()[:16]

    def builder(self) -> str:
        """Return a hash of what a memory is built by: the agent, its settings, code and model."""
        mine = self.as_dict()
        parts = mine["agent"], mine.get("code"), mine["model"]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def extend(self, other: RunRecord, command: str | None = None) -> Self:
        """Return this record with the questions of another, where those differ."""
        if not any(difference.is_selection for difference in other.differences(self)):
            return self
        fields = (_IDENTITY[parameter][0] for parameter in _SELECTION)
        chosen = {field: getattr(other, field) for field in fields}
        return replace(self, finished=None, command=command, **chosen)

    def left_out(self, other: RunRecord) -> list[str]:
        """Return which questions of another run over the same data this one does not ask."""
        parts = []
        if sources := [name for name in other.questions if name not in self.questions]:
            parts.append(f"{', '.join(sources)}, which `sources` excludes here")
        if self.rows is not None and other.rows is None:
            named = ", ".join(map(str, sorted(self.rows)))
            parts.append(f"all rows, of which `rows` names {named} here")
        elif self.rows is not None and (rows := {*(other.rows or ())} - {*self.rows}):
            parts.append(f"row {', '.join(map(str, sorted(rows)))}, which `rows` leaves out here")
        limit, other_limit = self.limit_questions, other.limit_questions
        if limit is not None and (other_limit is None or other_limit > limit):
            extent = (
                "every question" if other_limit is None else write_count(other_limit, "question")
            )
            parts.append(f"{extent} of each row, where `limit_questions` is {limit} here")
        return parts

    def differences(self, other: RunRecord) -> list[RecordDifference]:
        """Return what keeps this run and another from sharing a folder; empty when nothing."""
        mine, others = self._settings(), other._settings()
        code = self.code.differences(other.code) if self.code and other.code else []
        return [
            RecordDifference(parameter, what, mine[name], others[name])
            for parameter, (name, what) in _IDENTITY.items()
            if mine[name] != others[name]
        ] + code

    def _settings(self) -> dict[str, Any]:
        own = {"fingerprint": self.data.fingerprint, "shuffle_options": self.shuffle_options}
        return {**self.as_dict(), **own}


@cache
def _commit() -> str | None:
    """Return mabench's git commit, ``-dirty`` when files differ; None without one, or git."""
    if not (_CHECKOUT / ".git").exists():
        return None
    try:
        head = _git("rev-parse", "HEAD")
        return f"{head}-dirty" if _git("status", "-s", "-uno") else head
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _git(*words: str) -> str:
    # A hook of another repository would name that one; and locks are for those who write.
    environment = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
    return subprocess.run(  # noqa: S603 - the command is ours.
        ["git", *words],  # noqa: S607 - wherever it is installed.
        cwd=_CHECKOUT,
        env={**environment, "GIT_OPTIONAL_LOCKS": "0"},
        capture_output=True,
        text=True,
        timeout=_GIT_SECONDS,
        check=True,
    ).stdout.strip()
