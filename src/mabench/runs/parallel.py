"""How many rows are run, and how many questions of a row are asked, at a time.

No score depends on it. Without a setting, questions are asked together only where that changes
nothing for the agent: it is called as often at a time as it declares, else once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from mabench.cores import count_cores
from mabench.runs.conversation import Conversation
from mabench.specs import RunSpec

# Questions to an async agent at a time, if no model of the run sets how many requests there are.
_WITHOUT_MODEL = 16


class QuestionsAtOnce(NamedTuple):
    """How many questions of a row are under way, and how many of them in the agent's own calls."""

    asked: int
    calls: int

    @classmethod
    def of(cls, spec: RunSpec, agent: Conversation) -> QuestionsAtOnce:
        """Return what the run sets, or else what is sound for an agent that was made.

        A memory searches for one question after the other, or for as many as it declares, while our
        reader has as many requests under way as the rows share. An agent that answers by itself is
        asked as many questions as it declares; if it declares nothing, one, or as many as there are
        requests if it is async.
        """
        if agent.factory.takes_gold:  # It is told each gold just before it is asked.
            return cls(asked=1, calls=1)
        given, declared = spec.limits.questions, agent.takes.calls_at_once
        if given is not None:
            return cls(asked=given, calls=given)
        model = spec.agent.model
        requests = model.concurrent_requests if model else _WITHOUT_MODEL
        share_of_row = math.ceil(requests / count_parallel_rows(spec))
        if agent.asks_model_apart:
            calls = declared or 1
            return cls(asked=max(share_of_row, calls), calls=calls)
        by_default = share_of_row if agent.answers_in_loop else 1
        calls = declared or by_default
        return cls(asked=calls, calls=calls)


def count_parallel_rows(spec: RunSpec) -> int:
    """Return how many rows are run at a time."""
    if spec.limits.rows is not None:
        return spec.limits.rows
    return count_cores() if spec.executor == "processes" else 1
