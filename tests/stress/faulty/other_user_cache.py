"""A search returns what the same search returned to another user.

The key of the cache of results has the query, k and time; the user came later.
"""

from collections.abc import Sequence

from tests.stress.faulty._base import Found, Held, Text, Time, User

FAULT = "other-user"


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[object, Found] = {}

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        key = (query, k, time)
        with self.lock:
            if key not in self.cache:
                self.cache[key] = super().search(query, k, time=time, user=user)
            return self.cache[key]

    def _store(self, one: Text) -> None:
        self.cache.clear()
        super()._store(one)

    def _remove(self, names: Sequence[str]) -> None:
        self.cache.clear()
        super()._remove(names)
