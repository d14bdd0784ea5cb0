"""Every fourth text is found twice until the next is added.

The index of recent texts is merged into the main one and emptied at the next write only; a search
joins the results of both without a look at their ids.
"""

from collections.abc import Sequence

from tests.stress.faulty._base import Held, Text, User

FAULT = "double-write"


class Memory(Held):
    adds, recent = 0, ""

    def _store(self, one: Text) -> None:
        if one.id not in self.texts:
            self.adds += 1
            self.recent = one.id if self.adds % 4 == 0 else ""
        super()._store(one)

    def _of(self, user: User) -> Sequence[Text]:
        every = super()._of(user)
        return [*every, *(one for one in every if one.id == self.recent)]
