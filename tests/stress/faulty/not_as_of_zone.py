"""Times of different zones are compared by what the clocks on their walls say.

A column `TIMESTAMP` without a time zone takes the digits and drops the offset.
"""

from dataclasses import replace
from datetime import UTC

from tests.stress.faulty._base import Held, Text, Time, Version

FAULT = "not-as-of"


class Memory(Held):
    def _store(self, one: Text) -> None:
        versions = (Version(o.time and o.time.replace(tzinfo=UTC), o.text) for o in one.versions)
        super()._store(replace(one, versions=tuple(versions)))

    def _version(self, one: Text, time: Time) -> Version | None:
        return super()._version(one, time and time.replace(tzinfo=UTC))
