"""Each search leaves a file of 16 kB in the folder.

Traces for finding faults were left on, and nothing takes them away.
"""

from tests.stress.faulty._base import Filed, Found, Time, User

FAULT = "grows"


class Memory(Filed):
    searches = 0

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        with self.lock:
            self.searches += 1
            (self.folder / f"{self.searches}.trace").write_text("0.000001 s search\n" * 1000)
        return super().search(query, k, time=time, user=user)
