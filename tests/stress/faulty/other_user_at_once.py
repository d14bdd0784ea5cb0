"""Of two searches at the same time, one is made as the other's user.

The user of a request is kept on the client, which all requests of the process share.
"""

import asyncio

from tests.stress.correct import asynchronous
from tests.stress.faulty._base import Found, Time, User

FAULT = "other-user"


class Memory(asynchronous.Memory):
    user: User = None

    async def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        self.user = user
        await asyncio.sleep(0.001)
        return await super().search(query, k, time=time, user=self.user)
