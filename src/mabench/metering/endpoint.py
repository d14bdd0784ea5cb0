"""The address that each row gets, by which the meter tells the rows' calls apart."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Callable

from mabench.models import Call, CallLog, CallPhase, ModelAddress

# Tokens look like keys, so that they are redacted like keys.
_PREFIX = "sk-mabench-"
_BYTES = 24


def make_token() -> str:
    """Return a token that nobody can guess."""
    return _PREFIX + secrets.token_urlsafe(_BYTES)


class RowEndpoint(CallLog):
    """The address of one row, and the log of the calls that come to it.

    The meter's thread calls ``tell`` with each call, and ``miss`` with a message when only cached
    replies may be used and one is missing. ``refused`` counts the calls that were not passed on
    because the run is stopping. Equal requests whose replies are sampled are numbered, so that
    each gets a reply of its own; ``drawn`` holds the numbers in use, by the hash of the request.
    """

    def __init__(
        self, address: ModelAddress, tell: Callable[[Call], object], miss: Callable[[str], object]
    ) -> None:
        super().__init__(tell, CallPhase("memorizing"), by="memory")
        self.address = address
        self.miss = miss
        self.refused = 0
        self.drawn: defaultdict[bytes, set[int]] = defaultdict(set)
