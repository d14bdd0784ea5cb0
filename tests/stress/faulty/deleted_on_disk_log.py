"""A deletion writes a tombstone, and the text stays in the log for good.

Logs are compacted some day, at a size that a small store never reaches.
"""

from collections.abc import Sequence
from pathlib import Path

from tests.stress.faulty._base import Filed, Held

FAULT = "deleted-on-disk"


class Memory(Filed):
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
