"""A search as of the very time of a text does not see it.

`<` stands where `<=` is meant; with times of the clock nobody notices.
"""

from datetime import timedelta

from tests.stress.faulty._base import Held, Text, Time, Version

FAULT = "not-as-of"


class Memory(Held):
    def _version(self, one: Text, time: Time) -> Version | None:
        return super()._version(one, time and time - timedelta(microseconds=1))
