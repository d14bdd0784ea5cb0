"""Where a memory calls: an address for each row, so that each call is known to be of its row."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from mabench.metering.calls import Call, Moment
from mabench.metering.usage import Usage
from mabench.models.spec import ModelAddress

# It has the form of a key, so that it is taken out of messages as keys are.
_PREFIX = "sk-mabench-"
_BYTES = 24


class Turn:
    """One of several requests of a row that are the same.

    Attributes:
        number: which, from 0.
        used: whether it had its reply.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.used = False


class Seat:
    """The address of one row.

    Args:
        tell: told of each call, when it begins and when it has ended; from another thread.
        miss: told in words of each call whose reply would have to be kept and is not.

    Attributes:
        token: what the address has in its path, and the key of the row: nobody can guess it.
        moment: what the row is doing now.
        calls: how many calls were begun.
        refused: how many calls were not passed on, since the run is stopping.
    """

    def __init__(
        self, tell: Callable[[Call], None], miss: Callable[[str], object] = lambda what: None
    ) -> None:
        self.tell = tell
        self.miss = miss
        self.token = _PREFIX + secrets.token_urlsafe(_BYTES)
        self.moment = Moment("memorizing")
        self.calls = 0
        self.refused = 0
        self._name = secrets.token_hex(6)
        self._failed: set[bytes] = set()
        self._turns: dict[bytes, set[int]] = {}

    def begin(self, path: str, model: str | None, print_: bytes) -> Call:
        """Begin a call and tell of it; ``print_`` tells its request from others."""
        self.calls += 1
        name = f"{self._name}-{self.calls}"
        call = Call(name, self.moment, path, model, again=print_ in self._failed)
        self.tell(call)
        return call

    def end(self, call: Call, print_: bytes) -> None:
        """Tell how a call has ended."""
        (self._failed.add if call.failed else self._failed.discard)(print_)
        self.tell(call)

    def answered(self, path: str, model: str | None, usage: Usage | None, reply: str) -> None:
        """Tell of a call that a kept reply has answered."""
        self.calls += 1
        name = f"{self._name}-{self.calls}"
        call = Call(name, self.moment, path, model, again=False, ended=True, status=200)
        self.tell(call._replace(usage=usage, cost=0.0, kept=True, reply=reply))

    @contextmanager
    def turn(self, key: bytes) -> Iterator[Turn]:
        """Count a request that may want another reply than the same request had before.

        Args:
            key: what the request is told from others by.

        Yields:
            which of them it is, from 0. Where no reply comes of it, the next one has its number.
        """
        turns = self._turns.setdefault(key, set())
        turn = Turn(next(number for number in count() if number not in turns))
        turns.add(turn.number)
        try:
            yield turn
        finally:
            if not turn.used:
                turns.discard(turn.number)

    def address(self, port: int, model: str | None) -> ModelAddress:
        """Return where the row's memory calls its model."""
        return ModelAddress(model, f"http://127.0.0.1:{port}/{self.token}/v1", self.token)
