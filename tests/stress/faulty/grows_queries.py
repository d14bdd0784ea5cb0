"""Each search leaves 48 kB in the process, though nothing is written.

The vectors of queries are cached by their requests, which never come again.
"""

import random

from tests.stress.faulty._base import Found, Held, Time, User

FAULT = "grows"


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.vectors: list[bytes] = []

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        self.vectors.append(random.randbytes(48 * 1024))
        return super().search(query, k, time=time, user=user)
