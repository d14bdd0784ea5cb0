"""An add and a deletion at the same time wait for each other for ever.

The one locks the index and then the store, and the other the store and then the index.
"""

from collections.abc import Sequence
from threading import RLock

from tests.stress.faulty._base import Held, Time, User, pause

FAULT = "hangs"


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.index = RLock()

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        with self.index:
            pause()
            return super().add(text, time=time, user=user)

    def _remove(self, names: Sequence[str]) -> None:
        pause()
        with self.index:
            super()._remove(names)
