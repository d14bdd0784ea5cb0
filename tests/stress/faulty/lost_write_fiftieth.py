"""Every 50th add that comes while another is under way is acknowledged and dropped.

Queues of fixed length drop what does not fit, and their callers do not look at what they return.
"""

from uuid import uuid4

from tests.stress.faulty._base import Held, Time, User, pause

FAULT = "lost-write"


class Memory(Held):
    writers = contended = 0

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        with self.lock:
            self.writers += 1
            self.contended += self.writers > 1
            full = self.writers > 1 and self.contended % 50 == 0
        pause()
        name = uuid4().hex if full else super().add(text, time=time, user=user)
        with self.lock:
            self.writers -= 1
        return name
