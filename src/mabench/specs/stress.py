"""How a memory is stressed: for how long, by how many clients, with which faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mabench.errors import UsageError
from mabench.settings import RunPart, SettingGroup

_data, _limits = map(SettingGroup, ("Data", "Limits"))


@dataclass(frozen=True, kw_only=True, slots=True)
class StressSpec(RunPart):
    """How a memory is stressed.

    ``faults`` are ``{"model": RATE}``: that share of the requests to the server of models that the
    memory calls (``meter`` of an ``AgentSpec``, or its model) is spoiled for a while.
    """

    seconds: float = _limits(
        60.0, "Time limit, after a first trial of the memory.", "SECONDS", "for", minimum=1
    )
    histories: int | None = _limits(
        None, "Histories of one client, at most; of several, a fifth of it.", "N", minimum=1
    )
    patience: float = _limits(
        10.0, "How long to wait until a write is found.", "SECONDS", minimum=0
    )
    seed: int = _data(0, "The seed of the histories and their words.", "N")
    clients: tuple[int, ...] = _data(
        (1, 8, 64), "Numbers of concurrent clients under load.", "N,N,..."
    )
    faults: Mapping[str, float] = _data(
        {}, "Let the metered server misbehave at a rate.", "model=RATE"
    )

    def settle(self) -> None:
        """Refuse other numbers of clients, and faults of what is not the model."""
        if not self.clients or any(count not in range(1, 1001) for count in self.clients):
            raise UsageError("give numbers from 1 to 1000, such as 1,8,64", parameter="clients")
        if self.faults and not ({*self.faults} == {"model"} and 0 < self.faults["model"] <= 1):
            message = "give a rate of a model's faults, above 0 and at most 1, such as model=0.1"
            raise UsageError(message, parameter="faults")
