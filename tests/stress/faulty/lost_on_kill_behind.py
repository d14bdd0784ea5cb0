"""What was written in the last half second is gone after `kill -9`.

A thread writes what came together twice a second, so that an add need not wait for the disk.
"""

from threading import Timer

from tests.stress.faulty._base import Filed, Held, Text

FAULT = "lost-on-kill"


class Memory(Filed):
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
