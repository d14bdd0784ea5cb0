"""A history: operations in steps, those of one step at the same time.

Each client carries out its own operations in order; steps follow one another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from mabench.stressing.operations import Operation

_TRIES_WITH_SEVERAL_CLIENTS = 5


class History(NamedTuple):
    """Operations to be carried out on a fresh memory."""

    operations: Sequence[Operation]
    drawn: int  # How many of them were drawn; the rest looks at what there is in the end.
    own_process: bool = False  # Whether the memory lives in a process of its own.

    @property
    def clients(self) -> int:
        """How many clients carry it out at a time, at most."""
        operations = self.operations
        return max((each.client + (each.clients or 1) - 1 for each in operations), default=1)

    def steps(self) -> Iterator[dict[int, Operation]]:
        """Yield what is carried out at the same time, by positions: one client's one by one."""
        for _, group in groupby(enumerate(self.operations), lambda numbered: numbered[1].step):
            step = dict(group)
            clients = {each.client for each in step.values()}
            if len(clients) > 1:
                yield step
            else:
                for position, operation in step.items():
                    yield {position: operation}

    @property
    def tries(self) -> int:
        """How often to carry it out to see something again: several clients seldom do the same."""
        return _TRIES_WITH_SEVERAL_CLIENTS if self.clients > 1 else 1
