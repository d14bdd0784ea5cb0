"""Texts of the same score come in another order at each search.

Approximate indexes begin their walk at a random point, and equal scores keep the order of the walk.
"""

import random
from collections.abc import Sequence

from tests.stress.faulty._base import Held, Text, User

FAULT = "order-changes"


class Memory(Held):
    def _of(self, user: User) -> Sequence[Text]:
        every = super()._of(user)
        return random.sample(every, len(every))
