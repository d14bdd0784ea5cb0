"""The factory that makes a fresh agent for each row."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.contract.answers import attempt, summarize_error
from mabench.contract.interfaces import Agent, conformance_problems
from mabench.errors import UsageError
from mabench.lookup.capabilities import declares_deterministic
from mabench.lookup.maker import Maker

if TYPE_CHECKING:
    from mabench.models import ModelAddress, ReadingModel

# How many passages a memory is searched for: the published number, for BM25 and embeddings.
DEPTH = 10


@dataclass(frozen=True, slots=True)
class AgentFactory:
    """Makes a fresh agent for each row."""

    name: str  # The name that a run records, with settings.
    maker: Maker  # Has all arguments but a model's address, a folder and a time limit.
    model: ReadingModel | None  # Reads the passages of memories and answers.
    depth: int = DEPTH  # How many passages of a memory it reads.
    _: KW_ONLY
    has_model: bool = False  # The agent gets the model in another way.
    address: ModelAddress | None = None  # The address of the model for a factory in this process.
    takes_address: bool = False  # It takes an address for its own model calls.
    takes_folder: bool = False  # It takes an empty folder of its own.
    takes_limit: bool = False  # It takes the seconds within which it must be made.
    is_async: bool = False  # It has async methods and must be made in the event loop.
    takes_gold: bool = False  # It is the oracle, which gets each gold before the question.

    @property
    def is_deterministic(self) -> bool:
        """Whether it declares that another build answers the same, and no model reads."""
        return self.model is None and declares_deterministic(self.maker.product)

    def make_agent(
        self,
        address: ModelAddress | None = None,
        folder: Path | None = None,
        seconds: float | None = None,
    ) -> Agent:
        """Make a fresh agent.

        ``address`` is for its own model calls, and ``folder`` for its files, if it takes them. A
        program must be ready within ``seconds``.

        Raises:
            UsageError: when what was made is no agent; the error lists all that it lacks.
            NotMadeError: when the factory fails, or a program is not ready in time.
        """
        maker = self.maker
        metered = address if self.takes_address else None
        if self.takes_folder:
            maker = maker.given(folder=folder)
        if self.takes_limit:
            maker = maker.given(seconds=seconds)
        if self.address is not None:  # A factory in this process takes it by name, as a setting.
            maker = maker.given(model=(metered or self.address).setting())
        elif metered is not None:  # One of agents elsewhere takes it as its only argument.
            maker = maker.given(metered)
        agent = maker.make(self.model, self.depth, self.has_model)
        try:
            problems = attempt(partial(conformance_problems, agent))
        except Exception as error:
            problems = [f"looking at its methods failed: {summarize_error(error)}"]
        if problems:
            raise UsageError(f"{self.name} is not an agent: {'; '.join(problems)}")
        return agent
