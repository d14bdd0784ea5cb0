"""A search fails while another client writes: `database is locked`.

Each search has a connection of its own, with a time-out of zero, and a writer locks the file.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from tests.stress.faulty._base import Found, Sqlite, Text, Time, User, pause, rank

FAULT = "fails-under-writes"


class Memory(Sqlite):
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
