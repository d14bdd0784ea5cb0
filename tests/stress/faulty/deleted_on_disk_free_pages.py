"""What is deleted stays in the free pages of the database file.

SQLite marks the room of a deleted row as free and leaves its bytes, unless `secure_delete` is on.
"""

from tests.stress.faulty._base import Sqlite

FAULT = "deleted-on-disk"


class Memory(Sqlite):
    overwrites = False
