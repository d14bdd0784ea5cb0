"""Running with settings of any part, which tests mix."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import mabench
from mabench import AgentSpec, DataSpec, InjectionSpec
from mabench.runs import Run


def run(agent: Any = "floor", data: Any = "synthetic:small", **given: Any) -> Run:
    """Run an agent; a setting goes to ``mabench.run``, or to the part that has it."""
    own = mabench.run.__annotations__
    parts: list[Any] = [
        part(
            **{first: value},
            **{
                field.name: given.pop(field.name)
                for field in fields(part)
                if field.name in given and field.name not in own
            },
        )
        for part, first, value in (
            (AgentSpec, "agent", agent),
            (DataSpec, "data", data),
            (InjectionSpec, "protocol", given.pop("protocol", "structured")),
        )
    ]
    return mabench.run(*parts[:2], protocol=parts[2], **given)
