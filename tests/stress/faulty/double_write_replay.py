"""After reopening, the newest text is there twice.

The log is replayed over a snapshot that has its last entry already, and an insert is no upsert.
"""

from collections.abc import Sequence
from pathlib import Path

from tests.stress.faulty._base import Filed, Text, User

FAULT = "double-write"


class Memory(Filed):
    def __init__(self, folder: str | Path) -> None:
        super().__init__(folder)
        self.replayed = [*self.texts][-1:]

    def _of(self, user: User) -> Sequence[Text]:
        every = super()._of(user)
        return [*every, *(one for one in every if one.id in self.replayed)]
