"""What was added or updated is committed when the memory is closed, and gone after `kill -9`.

Python's sqlite3 begins a transaction by itself, and the connection that wrote sees it either way.
"""

from collections.abc import Sequence

from tests.stress.faulty._base import Sqlite, Text

FAULT = "lost-on-kill"


class Memory(Sqlite):
    def _run(self, statement: str, *values: str | None) -> Sequence[Text]:
        rows = self.connection.execute(statement, values).fetchall()
        if statement.startswith("DELETE"):
            self.connection.commit()
        return [Text.parse(line) for (line,) in rows]

    def close(self) -> None:
        self.connection.commit()
        super().close()
