"""What users can set of a stress: how long it may take, its histories, and the load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

from mabench.errors import UsageError
from mabench.settings import RunPart, Setting

_data, _limits = (partial(Setting, group) for group in ("Data", "Limits"))


@dataclass(frozen=True, kw_only=True, slots=True)
class StressSpec(RunPart):
    """How a memory is stressed.

    ``faults`` are ``{"model": RATE}``: that share of the requests to the server of models that the
    memory calls (``meter`` of an ``AgentSpec``, or its model) is spoiled for a while.
    """

    seconds: Annotated[
        float,
        _limits("Time limit, after a first trial of the memory.", "SECONDS", "for", minimum=1),
    ] = 60.0
    patience: Annotated[
        float, _limits("How long to wait until a write is found.", "SECONDS", minimum=0)
    ] = 10.0
    seed: Annotated[int, _data("The seed of the histories and their words.", "N")] = 0
    clients: Annotated[
        tuple[int, ...], _data("Numbers of concurrent clients under load.", "N,N,...")
    ] = (1, 8, 64)
    faults: Annotated[
        Mapping[str, float], _data("Let the metered server misbehave at a rate.", "model=RATE")
    ] = field(default_factory=dict)

    def __post_init__(self) -> None:
        RunPart.__post_init__(self)
        if not self.clients or any(not 1 <= count <= 1000 for count in self.clients):
            raise UsageError("give numbers from 1 to 1000, such as 1,8,64", parameter="clients")
        if self.faults and not ({*self.faults} == {"model"} and 0 < self.faults["model"] <= 1):
            message = "give a rate of a model's faults, above 0 and at most 1, such as model=0.1"
            raise UsageError(message, parameter="faults")
