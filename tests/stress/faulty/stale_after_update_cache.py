"""A search that was made before an update returns the same after it.

The cache of results is emptied by adds and deletions; updates came later and were forgotten.
"""

from collections.abc import Sequence

from tests.stress.faulty._base import Found, Held, Text, Time, User

FAULT = "stale-after-update"


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[object, Found] = {}

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        key = (query, k, time, user)
        with self.lock:
            if key not in self.cache:
                self.cache[key] = super().search(query, k, time=time, user=user)
            return self.cache[key]

    def _store(self, one: Text) -> None:
        if one.id not in self.texts:
            self.cache.clear()
        super()._store(one)

    def _remove(self, names: Sequence[str]) -> None:
        self.cache.clear()
        super()._remove(names)
