"""`Ann` and `ann` see each other's texts.

Users were e-mail addresses once; their names are folded, as MySQL compares text by default.
"""

from collections.abc import Sequence

from tests.stress.faulty._base import Held, Text, User

FAULT = "other-user"


class Memory(Held):
    def _of(self, user: User) -> Sequence[Text]:
        folded = user and user.casefold()
        return [one for one in self._all() if (one.user and one.user.casefold()) == folded]
