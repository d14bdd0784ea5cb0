"""A text is stored twice where another add makes its acknowledgement late.

The client's time-out is shorter than the wait for the lock, and its retry names no request.
"""

from collections.abc import Sequence
from threading import Lock

from tests.stress.faulty._base import Held, Text, Time, User, pause

FAULT = "double-write"


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.acknowledging = Lock()
        self.twice: set[str] = set()

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        name = super().add(text, time=time, user=user)
        if not self.acknowledging.acquire(timeout=0.0005):
            self.twice.add(name)
            self.acknowledging.acquire()
        pause()
        self.acknowledging.release()
        return name

    def _of(self, user: User) -> Sequence[Text]:
        every = super()._of(user)
        return [*every, *(one for one in every if one.id in self.twice)]
