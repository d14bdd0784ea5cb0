"""What is added or updated can be found 0.2 s later, and `ready` waits for that."""

import time as clock
from collections.abc import Sequence
from dataclasses import replace

from tests.stress.faulty._base import Held, Text, User

LAG = 0.2


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.due: dict[str, tuple[float, ...]] = {}  # When each version of a text can be found.

    def ready(self) -> None:
        with self.lock:
            last = max((times[-1] for times in self.due.values()), default=0.0)
        clock.sleep(max(0.0, last - clock.monotonic()))

    def _of(self, user: User) -> Sequence[Text]:
        now = clock.monotonic()
        versions = {name: sum(due <= now for due in times) for name, times in self.due.items()}
        every = super()._of(user)
        return [replace(one, versions=one.versions[: versions[one.id]]) for one in every]

    def _store(self, one: Text) -> None:
        super()._store(one)
        self.due[one.id] = (*self.due.get(one.id, ()), clock.monotonic() + LAG)

    def _remove(self, names: Sequence[str]) -> None:
        super()._remove(names)
        for name in names:
            del self.due[name]
