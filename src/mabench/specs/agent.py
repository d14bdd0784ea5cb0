"""Which agent is examined, and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mabench.errors import UsageError
from mabench.settings import SettingGroup
from mabench.specs.model import ModelSpec, ReplySpec, check_server

_argument, _agent, _models = map(SettingGroup, ("", "Agent", "Models"))


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSpec(ReplySpec):
    """Which agent, and how it is made; ``agent`` may also be a class or function that makes one.

    ``prices``, ``cache`` and ``replay`` are about the models that the memory calls by itself at
    the server ``meter``; what a ``model`` says of them counts where there is one. ``prices`` are
    also those of embeddings that a setting names, as ``openai/NAME``.
    """

    agent: str | Callable[..., object] = _argument(
        "floor",
        "A built-in, a plugin, package.module:factory, stdio:COMMAND, mcp:SERVER or a URL.",
        "AGENT",
    )
    settings: Mapping[str, object] = _agent(
        {}, "A setting of the agent; repeatable.", "NAME=VALUE", "set"
    )
    python: str | Path | None = _agent(
        None, "The Python interpreter that has the agent installed; default: this one.", "PATH"
    )
    mcp_map: str | Path | None = _agent(
        None,
        "How to use an MCP server's tools: a TOML file, or the name of a built-in mapping.",
        "FILE",
    )
    env: Sequence[str] = _agent(
        (), "Pass this environment variable to the agent's own process.", "NAME"
    )
    keep_memories: bool = _agent(False, "Cache built memories for later runs.")
    same_code: bool = _agent(
        False, "Resume although the agent's code is unknown: it is the same as before."
    )
    model: ModelSpec | None = None
    meter: str | None = _models(None, "Meter the memory's own calls to this server.", "URL")

    def settle(self) -> None:
        """Make ``env`` a tuple, and refuse settings of models where the agent has none."""
        variables = (self.env,) if isinstance(self.env, str) else tuple(self.env)
        object.__setattr__(self, "env", variables)
        if self.meter is not None:
            check_server(self.meter, "meter")
        elif self.model is None:
            for name in ("prices", "cache", "replay"):
                if getattr(self, name) is not None and not (name == "prices" and self.served):
                    raise UsageError(
                        f"`{name}` applies only with a model: name it with `model`, or the "
                        "server of what the memory calls with `meter`",
                        parameter=name,
                    )
        ReplySpec.settle(self)  # With slots, `super()` finds another class.

    @property
    def served(self) -> Mapping[str, str]:
        """The settings that name a model of a server, as in ``embeddings=openai/NAME``."""
        return {
            name: value
            for name, value in self.settings.items()
            if isinstance(value, str) and value.startswith("openai/")
        }

    @property
    def replies(self) -> ReplySpec:
        """What replies to the memory's own calls cost, and which are kept or used again."""
        return self.model or self
