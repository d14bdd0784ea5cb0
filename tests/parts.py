"""Running with settings of any part, which tests mix."""

from dataclasses import fields
from typing import Any

import mabench
from mabench.results import Run


def run(agent: Any = "floor", data: Any = "synthetic:small", **given: Any) -> Run:
    def made(part: Any, **values: Any) -> Any:
        names = {field.name for field in fields(part)} - {*mabench.run.__annotations__}
        return part(**values, **{name: given.pop(name) for name in names & {*given}})

    how = made(mabench.InjectionSpec, protocol=given.pop("protocol", "structured"))
    agent, data = made(mabench.AgentSpec, agent=agent), made(mabench.DataSpec, data=data)
    return mabench.run(agent, data, protocol=how, **given)
