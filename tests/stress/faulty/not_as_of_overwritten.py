"""A search as of a time before an update finds the new text.

The row is updated in place and keeps the time at which it was made.
"""

from tests.stress.faulty._base import Held, Time

FAULT = "not-as-of"


class Memory(Held):
    def update(self, id: str, text: str, *, time: Time = None) -> None:
        super().update(id, text)
