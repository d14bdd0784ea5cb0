"""The last write is gone after `kill -9`: it goes to the file when the next one comes.

Writers that put a separator before each entry, or compress in blocks, hold one entry back.
"""

from collections.abc import Collection

from tests.stress.faulty._base import Filed, Text

FAULT = "lost-on-kill"


class Memory(Filed):
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
