"""What was added is found once eight texts are together, and `ready` does not wait for that.

Vector indexes take rows in batches; the last batch stays in the buffer until somebody adds more.
"""

from collections.abc import Sequence

from tests.stress.faulty._base import Held, Text, User

FAULT = "lost-write"


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.buffer: set[str] = set()

    def _store(self, one: Text) -> None:
        if one.id not in self.texts:
            self.buffer = {*self.buffer, one.id} if len(self.buffer) < 7 else set()
        super()._store(one)

    def _of(self, user: User) -> Sequence[Text]:
        return [one for one in super()._of(user) if one.id not in self.buffer]
