"""Where a memory calls: an address for each row, so that each call is known to be of its row."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from mabench.models import Call, CallLog, CallPhase

# It has the form of a key, so that it is taken out of messages as keys are.
_PREFIX = "sk-mabench-"
_BYTES = 24


class Draw:
    """One of several requests of a row that are the same and may want different replies.

    Attributes:
        number: which, from 0.
        used: whether it had its reply.
    """

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.used = False


class RowEndpoint(CallLog):
    """The address of one row.

    Args:
        tell: told of each call, when it begins and when it has ended; from another thread.
        miss: told in words of each call whose reply would have to be kept and is not.

    Attributes:
        token: what the address has in its path, and the key of the row: nobody can guess it.
        miss: as given.
        refused: how many calls were not passed on, since the run is stopping.
    """

    def __init__(
        self, tell: Callable[[Call], object], miss: Callable[[str], object] = lambda what: None
    ) -> None:
        super().__init__(tell, CallPhase("memorizing"))
        self.miss = miss
        self.token = _PREFIX + secrets.token_urlsafe(_BYTES)
        self.refused = 0
        self._draws: dict[bytes, set[int]] = {}

    @contextmanager
    def draw(self, key: bytes) -> Iterator[Draw]:
        """Count a request that may want another reply than the same request had before.

        Args:
            key: what the request is told from others by.

        Yields:
            which of them it is, from 0. Where no reply comes of it, the next one has its number.
        """
        numbers = self._draws.setdefault(key, set())
        draw = Draw(next(number for number in count() if number not in numbers))
        numbers.add(draw.number)
        try:
            yield draw
        finally:
            if not draw.used:
                numbers.discard(draw.number)
