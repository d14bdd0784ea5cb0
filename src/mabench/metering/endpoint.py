"""Where a memory calls: an address for each row, so that each call is known to be of its row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

from mabench.models import Call, CallLog, CallPhase, ModelAddress


@dataclass
class _Draw:
    """One of several requests of a row that are the same and may want different replies."""

    number: int = 0
    used: bool = False  # It had its reply.


class RowEndpoint(CallLog):
    """The address of one row, with a token that nobody can guess; told of its calls from a thread.

    ``miss`` is told in words of a call whose reply would have to be kept; ``refused`` counts the
    calls that were not passed on, since the run is stopping.
    """

    def __init__(
        self,
        address: ModelAddress,
        tell: Callable[[Call], object],
        miss: Callable[[str], object],
    ) -> None:
        super().__init__(tell, CallPhase("memorizing"))
        self.address = address
        self.miss = miss
        self.refused = 0
        self._draws: dict[bytes, set[int]] = {}

    @contextmanager
    def draw(self, key: bytes, samples: bool) -> Iterator[_Draw]:
        """Number a request that may want another reply than the same one, by ``key``, had."""
        if not samples:
            yield _Draw()
            return
        numbers = self._draws.setdefault(key, set())
        draw = _Draw(next(number for number in count() if number not in numbers))
        numbers.add(draw.number)
        try:
            yield draw
        finally:
            if not draw.used:
                numbers.discard(draw.number)
