"""A database in a file; deleted texts are overwritten there."""

from tests.stress.faulty._base import Sqlite


class Memory(Sqlite): ...
