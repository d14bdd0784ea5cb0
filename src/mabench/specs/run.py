"""The one description of a run: which agent, over which rows, how it is told, within what limits.

Everything that runs, estimates, sweeps, repeats or checks takes it, and it is sent to other
processes and machines as it is. What users can set of its parts is declared in their own modules.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from mabench.errors import UsageError
from mabench.settings import RunPart, SettingGroup
from mabench.specs.agent import AgentSpec
from mabench.specs.data import DataSpec
from mabench.specs.injection import InjectionSpec
from mabench.specs.limits import Limits
from mabench.specs.shared import declare_max_cost

_parallel, _limits, _output = map(SettingGroup, ("Parallel", "Limits", "Output"))


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSpec(RunPart):
    """A run.

    ``max_cost`` counts money spent before a resume. Without ``out``, the folder is in ``runs``.
    ``command`` is the command that was given, without secrets; None from Python.
    """

    agent: AgentSpec = field(default_factory=AgentSpec)
    data: DataSpec = field(default_factory=DataSpec)
    injection: InjectionSpec = field(default_factory=InjectionSpec)
    limits: Limits = field(default_factory=Limits)
    max_cost: float | None = declare_max_cost()
    executor: str = _parallel(
        "local",
        "local, processes (all cores of this machine) or ray (a cluster).",
        "NAME",
        choices=("local", "processes", "ray"),
    )
    out: Path | None = _output(None, "The run folder; default: a new one in runs.", "FOLDER")
    retry_errors: bool = _limits(False, "Ask failed questions again.")
    fresh: bool = _output(False, "Set the folder's answers aside and start over.")
    command: str | None = None

    def settle(self) -> None:
        """Refuse settings that say nothing of this run."""
        if self.fresh and self.retry_errors:
            raise UsageError(
                "`fresh` asks everything anew: leave out `retry_errors`", parameter="retry_errors"
            )
        if self.limits.judge_stages and self.agent.model is None:
            raise UsageError(
                "to judge stages takes a language model: name one with `model`",
                parameter="judge_stages",
            )
        if self.limits.ray_address is not None and self.executor != "ray":
            raise UsageError("a Ray cluster needs the `executor` ray", parameter="ray_address")

    def without_data(self) -> Self:
        """Return it as it is sent elsewhere: a task has its row."""
        return replace(self, data=replace(self.data, data=None))
