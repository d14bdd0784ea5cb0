"""An update adds the new text, and the old one is still found beside it.

Stores that only append have no update; without a mark on the old row both are alike.
"""

from collections.abc import Sequence
from dataclasses import replace

from tests.stress.faulty._base import Held, Text, User

FAULT = "stale-after-update"


class Memory(Held):
    def _of(self, user: User) -> Sequence[Text]:
        every = super()._of(user)
        return [replace(one, versions=(version,)) for one in every for version in one.versions]
