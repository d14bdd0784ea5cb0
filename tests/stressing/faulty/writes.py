"""What was stored is lost, or there twice."""

from collections.abc import Collection, Sequence
from pathlib import Path
from threading import Lock, Timer
from uuid import uuid4

from tests.stressing.correct import Filed, Found, Held, Sqlite, Text, Time, User, Version, pause


class LostWriteBuffer(Held):
    """What was added is found once eight texts are together, and `ready` does not wait for that.
    Vector indexes take rows in batches; the last one stays in the buffer until more is added.
    """

    buffer: frozenset[str] = frozenset()

    def _store(self, one: Text) -> None:
        if one.id not in self.texts:
            self.buffer = self.buffer | {one.id} if len(self.buffer) < 7 else frozenset()
        super()._store(one)

    def _of(self, user: User) -> Sequence[Text]:
        return [one for one in super()._of(user) if one.id not in self.buffer]


class LostWriteFiftieth(Held):
    """Every 50th add that comes while another is under way is acknowledged and dropped. Queues of
    fixed length drop what does not fit, and callers do not look at what they return.
    """

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


class LostWriteFirstPage(Held):
    """A list of a user's texts ends after five. Servers list page by page, and a client that never
    asks for the second has the first alone.
    """

    def list(self, *, user: User = None) -> Found:
        return super().list(user=user)[:5]


class LostWriteOnClose(Filed):
    """The newest text is gone after a proper close, though not after a kill. The snapshot of
    closing is made before the writer's queue is empty, and then replaces the log.
    """

    def close(self) -> None:
        self._rewrite(self._all()[:-1])


class LostWriteSameId(Held):
    """Two adds at once get the same id, and the second overwrites the first. The next id is read,
    used and written back without a lock, as where one client was thought of.
    """

    last = 0

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        number = self.last + 1
        pause()
        self.last = number
        with self.lock:
            self._store(Text(str(number), user, (Version(time, text),)))
        return str(number)


class LostOnKillBehind(Filed):
    """What was written in the last half second is gone after `kill -9`. A thread writes what came
    together twice a second, so that an add need not wait for the disk.
    """

    timer: Timer | None = None

    def _store(self, one: Text) -> None:
        Held._store(self, one)
        if not self.timer:
            self.timer = Timer(0.5, self._write)
            self.timer.daemon = True
            self.timer.start()

    def _write(self) -> None:
        with self.lock:
            self.timer = None
            self._rewrite(self._all())

    def close(self) -> None:
        if self.timer:
            self.timer.cancel()
        self._write()


class LostOnKillLast(Filed):
    """The last write is gone after `kill -9`: it goes to the file when the next one comes. Writers
    that put a separator before each entry, or compress in blocks, hold one entry back.
    """

    held_back: Text | None = None

    def _append(self, one: Text) -> None:
        if self.held_back:
            super()._append(self.held_back)
        self.held_back = one

    def _rewrite(self, every: Collection[Text]) -> None:
        self.held_back = None
        super()._rewrite(every)

    def close(self) -> None:
        self._rewrite(self._all())


class LostOnKillUncommitted(Sqlite):
    """What was added or updated is committed when the memory is closed, and gone after `kill -9`.
    Python's sqlite3 begins a transaction by itself; the connection that wrote sees it either way.
    """

    def _run(self, statement: str, *values: str | None) -> Sequence[Text]:
        rows = self.connection.execute(statement, values).fetchall()
        if statement.startswith("DELETE"):
            self.connection.commit()
        return [Text.parse(line) for (line,) in rows]

    def close(self) -> None:
        self.connection.commit()
        super().close()


class DoubleWriteReplay(Filed):
    """After reopening, the newest text is there twice. The log is replayed over a snapshot that has
    its last entry already, and an insert is no upsert.
    """

    def __init__(self, folder: str | Path) -> None:
        super().__init__(folder)
        self.replayed = [*self.texts][-1:]

    def _of(self, user: User) -> Sequence[Text]:
        every = super()._of(user)
        return [*every, *(one for one in every if one.id in self.replayed)]


class DoubleWriteRetry(Held):
    """A text is stored twice where another add makes its acknowledgement late. The client's
    time-out is shorter than the wait for the lock, and its retry names no request.
    """

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


class DoubleWriteTwoIndexes(Held):
    """Every fourth text is found twice until the next is added. The index of recent texts is
    emptied into the main one at the next write only, and a search joins what both find without a
    look at their ids.
    """

    adds, recent = 0, ""

    def _store(self, one: Text) -> None:
        if one.id not in self.texts:
            self.adds += 1
            self.recent = one.id if self.adds % 4 == 0 else ""
        super()._store(one)

    def _of(self, user: User) -> Sequence[Text]:
        every = super()._of(user)
        return [*every, *(one for one in every if one.id == self.recent)]
