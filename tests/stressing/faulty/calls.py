"""Calls fail, hang or come out otherwise where they should not."""

import json
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from threading import Lock, RLock, Semaphore

from tests.stressing.correct import Filed, Found, Held, Sqlite, Text, Time, User, pause, rank


class FailsUnderWritesHeader(Filed):
    """A search fails while another client writes: it reads half a file. The header of the index is
    written over in place, and not beside it and then renamed.
    """

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        header = self.folder / "header.json"
        if header.exists():
            json.loads(header.read_text())
        return super().search(query, k, time=time, user=user)

    def _append(self, one: Text) -> None:
        super()._append(one)
        with (self.folder / "header.json").open("w") as header:
            header.write('{"texts": ')
            header.flush()
            pause()
            header.write(f"{len(self.texts)}}}")


class FailsUnderWritesIteration(Held):
    """A search fails while others add: `dictionary changed size during iteration`. Searches take no
    lock, since they change nothing.
    """

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        found = []
        for number, one in enumerate(self.texts.values()):
            if number == 0:
                pause()
            if one.user == user and (version := one.latest(time)):
                found.append(version.text)
        return rank(found, query, k)


class FailsUnderWritesLocked(Sqlite):
    """A search fails while another client writes: `database is locked`. Each search has a
    connection of its own, with a time-out of zero, and a writer locks the file.
    """

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        with closing(sqlite3.connect(self.path, timeout=0)) as connection:
            rows = connection.execute("SELECT line FROM texts WHERE user IS ?", (user,)).fetchall()
        versions = [Text.parse(line).latest(time) for (line,) in rows]
        return rank([version.text for version in versions if version], query, k)

    def _run(self, statement: str, *values: str | None) -> Sequence[Text]:
        if statement.startswith("INSERT"):
            self.connection.execute("BEGIN EXCLUSIVE")
            pause()
        return super()._run(statement, *values)


class HangsEarlyReturn(Held):
    """After a search that finds nothing, the next search hangs. The lock is released at the end of
    the method, and the way out of the empty case is above it.
    """

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


class HangsPool(Held):
    """After five updates, every add and update waits for a connection for ever. Updates take one
    from the pool and do not give it back.
    """

    def __init__(self) -> None:
        super().__init__()
        self.pool = Semaphore(5)

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        with self.pool:
            return super().add(text, time=time, user=user)

    def update(self, id: str, text: str, *, time: Time = None) -> None:
        self.pool.acquire()
        super().update(id, text, time=time)


class HangsTwoLocks(Held):
    """An add and a deletion at the same time wait for each other for ever. The one locks the index
    and then the store, and the other the store and then the index.
    """

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


class OrderChangesByReading(Held):
    """Of texts of the same score, those that were found last come first. Memories after human ones
    rank by the last access too, so a search changes the next one.
    """

    read: Sequence[str] = ()  # The last found at the end.

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        with self.lock:
            order = {text: number for number, text in enumerate(self.read)}
            texts = sorted(self._texts_at(time, user), key=lambda text: -order.get(text, -1))
            found = rank(texts, query, k)
            self.read = [text for text in self.read if text not in found] + [*found]
        return found


class OrderChangesReopen(Filed):
    """Texts of the same score come in another order after the memory was opened again. In the
    process they stand as they were added; on opening they are read by their ids, at random.
    """

    def __init__(self, folder: str | Path) -> None:
        super().__init__(folder)
        self.texts = dict(sorted(self.texts.items()))


class OrderChangesTies(Held):
    """Texts of the same score come in another order at each search. Approximate indexes begin their
    walk at a random point, and equal scores keep its order.
    """

    def _of(self, user: User) -> Sequence[Text]:
        every = super()._of(user)
        return random.sample(every, len(every))
