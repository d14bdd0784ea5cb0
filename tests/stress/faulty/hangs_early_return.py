"""After a search that finds nothing, the next search hangs.

The lock is released at the end of the method, and the way out of the empty case is above it.
"""

from threading import Lock

from tests.stress.faulty._base import Found, Held, Time, User

FAULT = "hangs"


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.searching = Lock()

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        self.searching.acquire()
        found = super().search(query, k, time=time, user=user)
        if not found:
            return []
        self.searching.release()
        return found
