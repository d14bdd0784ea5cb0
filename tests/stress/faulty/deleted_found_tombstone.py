"""A search finds what was deleted, though a list does not show it.

Deletion puts a tombstone beside the row; the list looks at it, and the search's index does not.
"""

from collections.abc import Sequence

from tests.stress.faulty._base import Found, Held, Text, User

FAULT = "deleted-found"


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.tombstones: set[str] = set()

    def list(self, *, user: User = None) -> Found:
        with self.lock:
            left = [one.latest() for one in self._of(user) if one.id not in self.tombstones]
        return [version.text for version in left if version]

    def _get(self, name: str) -> Text:
        if name in self.tombstones:
            raise KeyError(name)
        return super()._get(name)

    def _remove(self, names: Sequence[str]) -> None:
        self.tombstones.update(names)
