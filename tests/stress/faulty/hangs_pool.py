"""After five updates, every add and update waits for a connection for ever.

Updates take one from the pool and do not give it back.
"""

from threading import Semaphore

from tests.stress.faulty._base import Held, Time, User

FAULT = "hangs"


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.pool = Semaphore(5)

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        with self.pool:
            return super().add(text, time=time, user=user)

    def update(self, id: str, text: str, *, time: Time = None) -> None:
        self.pool.acquire()
        super().update(id, text, time=time)
