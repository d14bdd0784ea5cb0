"""How failed requests are sent again: how often, and after which waits."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from random import uniform


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Back-off between attempts, in seconds.

    Attributes:
        attempts: how often a request is sent at most.
        first: the wait after the first failure; it doubles with each further one.
        longest: the longest wait of our own choice.
        longest_requested: the longest wait that a server may request; after a longer one the
            request fails.
        timeout: how long a reply may take.
    """

    attempts: int = 8
    first: float = 0.5
    longest: float = 30.0
    longest_requested: float = 600.0
    timeout: float = 300.0

    def wait(self, failures: int) -> float:
        """Return the wait after so many failures, drawn at random from its upper half.

        Jitter keeps clients that failed together from coming back together.
        """
        whole = min(self.longest, self.first * 2 ** (failures - 1))
        return uniform(whole / 2, whole)  # noqa: S311 - nothing here is secret


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the wait that a response asks for, in seconds; None if it asks for none.

    ``Retry-After`` holds seconds or a date (RFC 9110 §10.2.3); some servers send
    ``retry-after-ms`` beside it.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        return max(0.0, parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time())
    except (KeyError, ValueError):
        return None
