"""Texts of the same score come in another order after the memory was opened again.

In the process they stand as they were added; on opening they are read by their ids, at random.
"""

from pathlib import Path

from tests.stress.faulty._base import Filed

FAULT = "order-changes"


class Memory(Filed):
    def __init__(self, folder: str | Path) -> None:
        super().__init__(folder)
        self.texts = dict(sorted(self.texts.items()))
