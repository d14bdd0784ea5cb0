"""What was done away with, or was never to be kept, stays."""

import random
from collections.abc import Sequence
from pathlib import Path

from tests.stressing.correct import Filed, Found, Held, Sqlite, Text, Time, User


class DeletedOnDiskFreePages(Sqlite):
    """What is deleted stays in the free pages of the database file. SQLite marks the room of a
    deleted row as free and leaves its bytes, without `secure_delete`.
    """

    overwrites = False


class DeletedOnDiskLog(Filed):
    """A deletion writes a tombstone, and the text stays in the log for good. Logs are compacted
    some day, at a size that a small store never reaches.
    """

    def __init__(self, folder: str | Path) -> None:
        self.tombstones = Path(folder) / "tombstones"
        self.tombstones.touch()
        super().__init__(folder)
        for name in self.tombstones.read_text().split():
            self.texts.pop(name, None)

    def _rewrite(self, every: object) -> None:
        self.log.touch()

    def _remove(self, names: Sequence[str]) -> None:
        with self.tombstones.open("a") as tombstones:
            tombstones.writelines(f"{name}\n" for name in names)
        Held._remove(self, names)


class DeletedOnDiskUtf16(Filed):
    """What is deleted stays in a second file, in UTF-16. Full-text engines of Java and Windows keep
    fields apart, in an encoding of their own.
    """

    def _append(self, one: Text) -> None:
        super()._append(one)
        with (self.folder / "fields.dat").open("ab") as fields:
            fields.write(one.versions[-1].text.encode("utf-16-le"))


class GrowsDeleted(Held):
    """Each deleted text leaves its vector of 64 kB in the process: adding and deleting adds up.
    Graph indexes cannot take a node away; they leave it out of the results and keep it.
    """

    vectors: Sequence[bytes] = ()

    def _remove(self, names: Sequence[str]) -> None:
        super()._remove(names)
        self.vectors = [*self.vectors, *(random.randbytes(64 * 1024) for _ in names)]


class GrowsQueries(Held):
    """Each search leaves 48 kB in the process, though nothing is written. The vectors of queries
    are cached by their requests, which never come again.
    """

    vectors: Sequence[bytes] = ()

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        self.vectors = [*self.vectors, random.randbytes(48 * 1024)]
        return super().search(query, k, time=time, user=user)


class GrowsTraces(Filed):
    """Each search leaves a file of 16 kB in the folder. Traces for finding faults were left on, and
    nothing takes them away.
    """

    searches = 0

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        with self.lock:
            self.searches += 1
            (self.folder / f"{self.searches}.trace").write_text("0.000001 s search\n" * 1000)
        return super().search(query, k, time=time, user=user)
