"""The addresses by which the meter tells rows apart."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Callable

from mabench.models import Call, CallLog, CallPhase, ModelAddress

# It has the form of a key, so that it is taken out of messages as keys are.
_PREFIX = "sk-mabench-"
_BYTES = 24


def make_token() -> str:
    """Return a token that nobody can guess."""
    return _PREFIX + secrets.token_urlsafe(_BYTES)


class RowEndpoint(CallLog):
    """The address of one row, with a token that nobody can guess; told of its calls from a thread.

    ``miss`` is told in words of a call whose reply would have to be kept; ``refused`` counts the
    calls that were not passed on, since the run is stopping. Of requests that are the same and may
    want different replies, each has a number; ``drawn`` are those in use, by the request.
    """

    def __init__(
        self, address: ModelAddress, tell: Callable[[Call], object], miss: Callable[[str], object]
    ) -> None:
        super().__init__(tell, CallPhase("memorizing"), "memory")
        self.address = address
        self.miss = miss
        self.refused = 0
        self.drawn: defaultdict[bytes, set[int]] = defaultdict(set)
