"""A user sees the texts of users whose names begin with theirs: of `anna`, where `ann` asks.

Key-value stores list by prefix, and the key `ann/1` was looked up without its separator.
"""

from collections.abc import Sequence

from tests.stress.faulty._base import Held, Text, User

FAULT = "other-user"


class Memory(Held):
    def _of(self, user: User) -> Sequence[Text]:
        others = [one for one in self._all() if user and one.user and one.user.startswith(user)]
        return others or super()._of(user)
