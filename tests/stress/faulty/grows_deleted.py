"""Each deleted text leaves its vector of 64 kB in the process: what is added and deleted adds up.

Graph indexes cannot take a node away; they leave it out of the results and keep it.
"""

import random
from collections.abc import Sequence

from tests.stress.faulty._base import Held

FAULT = "grows"


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.vectors: list[bytes] = []

    def _remove(self, names: Sequence[str]) -> None:
        super()._remove(names)
        self.vectors += [random.randbytes(64 * 1024) for _ in names]
