"""For a second after an update, the value before it is found, and `ready` does not wait.

Searches go to a replica that is refreshed each second, as search engines do by default.
"""

import time as clock
from collections.abc import Sequence
from dataclasses import replace

from tests.stress.faulty._base import Held, Text, User

FAULT = "stale-after-update"


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.told: dict[str, tuple[float, ...]] = {}  # When each version of a text was told.

    def _store(self, one: Text) -> None:
        new = one.id not in self.told
        self.told[one.id] = (0.0,) if new else (*self.told[one.id], clock.monotonic())
        super()._store(one)

    def _of(self, user: User) -> Sequence[Text]:
        second = clock.monotonic() - 1
        old = {name: sum(time <= second for time in told) for name, told in self.told.items()}
        return [replace(one, versions=one.versions[: old[one.id]]) for one in super()._of(user)]
