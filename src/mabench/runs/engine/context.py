"""What the engine needs to know of a run, and whom it tells how the run goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from mabench.data import Row
from mabench.errors import UsageError
from mabench.families import Prompts
from mabench.injection import Protocol as InjectionProtocol
from mabench.lookup import AgentSpec
from mabench.models import ReadingModel
from mabench.runs.engine.stopping import Stop
from mabench.runs.records.measurements import MemoryRecord
from mabench.runs.records.sample import Sample
from mabench.scoring import Catalogue


class RunObserver(Protocol):
    """Told how a run goes, to show it."""

    def run_started(self, folder: Path, questions: int, answered: int) -> None:
        """A run of so many questions begins, or goes on with some of them answered."""

    def row_started(self, row: Row, chunks: int) -> None:
        """A row's history is cut into ``chunks`` chunks and will be told now."""

    def chunk_memorized(self) -> None:
        """The agent has taken in one more chunk."""

    def question_done(self, sample: Sample) -> None:
        """One more question is answered, or has failed, and is stored."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much happens at a time, and how long it may take; no figure depends on it.

    Attributes:
        rows: how many rows are examined at a time, each by an agent of its own.
        questions: how many questions an agent is asked at a time; more than one calls a sync
            agent from several threads at once.
        memorize_limit: seconds that taking in a chunk may take; None for any time.
        answer_limit: seconds that an answer may take; None for any time.
        max_errors: how many failures stop the run; None for any number.
    """

    rows: int = 1
    questions: int = 1
    memorize_limit: float | None = None
    answer_limit: float | None = None
    max_errors: int | None = None

    def checked(self) -> Limits:
        """Return this pace.

        Raises:
            UsageError: when a number is not positive.
        """
        for name in ("rows", "questions", "memorize_limit", "answer_limit", "max_errors"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise UsageError(f"{name.replace('_', ' ')} must be more than 0, not {value}")
        return self


class SilentObserver:
    """Shows nothing."""

    def run_started(self, folder: Path, questions: int, answered: int) -> None:
        """Show nothing."""

    def row_started(self, row: Row, chunks: int) -> None:
        """Show nothing."""

    def chunk_memorized(self) -> None:
        """Show nothing."""

    def question_done(self, sample: Sample) -> None:
        """Show nothing."""


class Store(Protocol):
    """Where an examination puts what it finds out.

    Attributes:
        path: a folder in which memories can be kept meanwhile.
    """

    @property
    def path(self) -> Path:
        """The folder."""

    def append_sample(self, sample: Sample, seconds: float) -> None:
        """Add a sample, and how long its answer took."""

    def append_memory(self, memory: MemoryRecord) -> None:
        """Add what is known of one row's memorizing."""


@dataclass(frozen=True)
class RunContext:
    """All that the engine needs to examine one agent.

    Attributes:
        chunk_tokens: a chunk size that replaces the protocol's, or None.
        catalogue: the titles of the recommendation rows, when the entity file is known.
        offline: never fetch tokenizer data over the network.
        store: where samples go.
        kept: where memories are kept for later runs; None to keep them for this one only.
        model: the model that the agents share, closed at the end; None without one.
        max_cost: US dollars for which the run may ask, those of earlier sittings counted.
        stop: asked to stop, the engine begins nothing new.
    """

    spec: AgentSpec
    protocol: InjectionProtocol
    prompts: Prompts
    chunk_tokens: int | None
    catalogue: Catalogue | None
    offline: bool
    store: Store
    watch: RunObserver
    kept: Path | None = None
    pace: Limits = field(default_factory=Limits)
    model: ReadingModel | None = None
    max_cost: float | None = None
    stop: Stop = field(default_factory=Stop)
