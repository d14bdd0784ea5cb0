"""To delete a user's texts leaves every second of them.

A list is changed while it is gone through, which skips the element after each that is removed.
"""

from collections.abc import Sequence

from tests.stress.faulty._base import Held

FAULT = "deleted-found"


class Memory(Held):
    def _remove(self, names: Sequence[str]) -> None:
        left = [*names]
        for name in left:
            super()._remove([name])
            left.remove(name)
