"""A search fails while others add: `dictionary changed size during iteration`.

Searches take no lock, since they change nothing.
"""

from tests.stress.faulty._base import Found, Held, Time, User, pause, rank

FAULT = "fails-under-writes"


class Memory(Held):
    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        found = []
        for number, one in enumerate(self.texts.values()):
            if number == 0:
                pause()
            if one.user == user and (version := one.latest(time)):
                found.append(version.text)
        return rank(found, query, k)
