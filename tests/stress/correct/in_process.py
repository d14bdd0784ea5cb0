"""A dict with a lock."""

from tests.stress.faulty._base import Held


class Memory(Held): ...
