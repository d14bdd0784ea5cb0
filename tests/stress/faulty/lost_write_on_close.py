"""The newest text is gone after a proper close, though not after a kill.

The snapshot of closing is made before the writer's queue is empty, and then replaces the log.
"""

from tests.stress.faulty._base import Filed

FAULT = "lost-write"


class Memory(Filed):
    def close(self) -> None:
        self._rewrite(self._all()[:-1])
