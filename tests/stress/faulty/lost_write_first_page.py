"""A list of a user's texts ends after five.

Servers list page by page, and a client that never asks for the second has the first alone.
"""

from tests.stress.faulty._base import Found, Held, User

FAULT = "lost-write"


class Memory(Held):
    def list(self, *, user: User = None) -> Found:
        return super().list(user=user)[:5]
