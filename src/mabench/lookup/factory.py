"""What makes a fresh agent for each row."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.contract.answers import attempt, summarize_error
from mabench.contract.interfaces import Agent, conformance_problems
from mabench.errors import UsageError
from mabench.lookup.capabilities import declares_deterministic
from mabench.lookup.maker import Maker

if TYPE_CHECKING:
    from mabench.models import ModelAddress, ReadingModel

DEPTH = 10  # The published depth of BM25 and of the embedding memories.


@dataclass(frozen=True, slots=True)
class AgentFactory:
    """Makes a fresh agent for each row."""

    name: str  # With its settings, as it is recorded.
    maker: Maker  # Lacks nothing but the address of a model, and a folder.
    model: ReadingModel | None  # It reads for memories, which are shown so many passages:
    depth: int = DEPTH
    _: KW_ONLY
    has_model: bool = False  # It is told of the model by itself.
    address: ModelAddress | None = None  # Where a factory of this process finds the model.
    takes_address: bool = False  # It is told where it calls a model by itself.
    takes_folder: bool = False  # It is given an empty folder of its own.
    takes_limit: bool = False  # It is told how many seconds making may take, and keeps to that.
    is_async: bool = False  # It is a class with an async method, to be made in the event loop.
    takes_gold: bool = False  # It is our oracle, which is handed each gold before the question.

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
        """Make a fresh agent; a ``UsageError`` says all that it lacks, or why it cannot be made.

        It calls models at ``address``, and stores in ``folder``, where its factory takes them. A
        program that is not ready within ``seconds`` is ended, and a ``NotMadeError`` says so.
        """
        maker, metered = self.maker, address if self.takes_address else None
        if self.takes_folder:
            maker = maker.given(folder=folder)
        if self.takes_limit:
            maker = maker.given(seconds=seconds)
        if self.address is not None:
            maker = maker.given(model=(metered or self.address).setting())
        elif metered is not None:
            maker = maker.given(metered)
        agent = maker.make(self.model, self.depth, self.has_model)
        try:
            problems = attempt(lambda: conformance_problems(agent))
        except Exception as error:
            problems = [f"looking at its methods failed: {summarize_error(error)}"]
        if problems:
            raise UsageError(f"{self.name} is not an agent: {'; '.join(problems)}")
        return agent
