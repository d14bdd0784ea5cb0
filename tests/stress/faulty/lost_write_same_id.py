"""Two adds at once get the same id, and the second overwrites the first.

The next id is read, used and written back without a lock, as where one client was thought of.
"""

from tests.stress.faulty._base import Held, Text, Time, User, Version, pause

FAULT = "lost-write"


class Memory(Held):
    last = 0

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        number = self.last + 1
        pause()
        self.last = number
        with self.lock:
            self._store(Text(str(number), user, (Version(time, text),)))
        return str(number)
