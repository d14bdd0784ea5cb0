"""What is shown is not what is to be shown."""

import asyncio
import time as clock
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any

from tests.stressing.correct import Asynchronous, Found, Held, Text, Time, User, Version


class DeletedFoundByText(Held):
    """A text that was updated cannot be deleted: nothing happens, and it is still found. The index
    has no ids, so deletion looks for what was added by its text.
    """

    def _remove(self, names: Sequence[str]) -> None:
        added = {self.texts[name].versions[0].text for name in names}
        latest = {name: self.texts[name].latest() for name in names}
        super()._remove([name for name, last in latest.items() if last and last.text in added])


class DeletedFoundEverySecond(Held):
    """To delete a user's texts leaves every second of them. A list is changed while it is gone
    through, which skips the element after each that is removed.
    """

    def _remove(self, names: Sequence[str]) -> None:
        left = [*names]
        for name in left:
            super()._remove([name])
            left.remove(name)


class DeletedFoundTombstone(Held):
    """A search finds what was deleted, though a list does not show it. Deletion puts a tombstone
    beside the row; the list looks at it, and the search's index does not.
    """

    tombstones: frozenset[str] = frozenset()

    def list(self, *, user: User = None) -> Found:
        with self.lock:
            left = [one.latest() for one in self._of(user) if one.id not in self.tombstones]
        return [version.text for version in left if version]

    def _get(self, name: str) -> Text:
        if name in self.tombstones:
            raise KeyError(name)
        return super()._get(name)

    def _remove(self, names: Sequence[str]) -> None:
        self.tombstones |= {*names}


class StaleAfterUpdateAppends(Held):
    """An update adds the new text, and the old one is still found beside it. Stores that only
    append have no update; without a mark on the old row both are alike.
    """

    def _of(self, user: User) -> Sequence[Text]:
        every = super()._of(user)
        return [replace(one, versions=(version,)) for one in every for version in one.versions]


class _Cached(Held):
    """It keeps what a search returned until something is written."""

    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[object, Found] = {}

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        key = self._key(query, k, time, user)
        with self.lock:
            if key not in self.cache:
                self.cache[key] = super().search(query, k, time=time, user=user)
            return self.cache[key]

    def _key(self, *asked: object) -> object:
        return asked

    def _store(self, one: Text) -> None:
        self.cache.clear()
        super()._store(one)

    def _remove(self, names: Sequence[str]) -> None:
        self.cache.clear()
        super()._remove(names)


class StaleAfterUpdateCache(_Cached):
    """A search that was made before an update returns the same after it. The cache of results is
    emptied by adds and deletions; updates came later and were forgotten.
    """

    def _store(self, one: Text) -> None:
        if one.id in self.texts:
            Held._store(self, one)
        else:
            super()._store(one)


class StaleAfterUpdatePosting(Held):
    """What only the old text said still finds that text. The index keeps a text with each of its
    words, and an update renews the words of the new text.
    """

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        words = {*query.lower().rstrip("?").split()}
        found = [*super().search(query, k, time=time, user=user)]
        for one in self._of(user):
            new = {word for version in one.versions[-1:] for word in _words(version.text)}
            old = [v.text for v in one.versions[:-1] if words & (_words(v.text) - new)]
            found += old if time is None else []
        return found[:k]


def _words(text: str) -> set[str]:
    return {*text.lower().rstrip(".").split()}


class StaleAfterUpdateSecond(Held):
    """For a second after an update, the value before it is found, and `ready` does not wait.
    Searches go to a replica that is refreshed each second, as search engines do by default.
    """

    def __init__(self) -> None:
        super().__init__()
        self.told: dict[str, tuple[float, ...]] = {}  # When each version of a text was told.

    def _store(self, one: Text) -> None:
        new = one.id not in self.told
        self.told[one.id] = (0.0,) if new else (*self.told[one.id], clock.monotonic())
        super()._store(one)

    def _of(self, user: User) -> Sequence[Text]:
        second = clock.monotonic() - 1
        old = {name: sum(time <= second for time in told) for name, told in self.told.items()}
        return [replace(one, versions=one.versions[: old[one.id]]) for one in super()._of(user)]


class NotAsOfEqual(Held):
    """A search as of the very time of a text does not see it. `<` stands where `<=` is meant; with
    times of the clock nobody notices.
    """

    def _version(self, one: Text, time: Time) -> Version | None:
        return super()._version(one, time and time - timedelta(microseconds=1))


class NotAsOfOverwritten(Held):
    """A search as of a time before an update finds the new text. The row is updated in place and
    keeps the time at which it was made.
    """

    def update(self, id: str, text: str, *, time: Time = None) -> None:
        super().update(id, text)


class NotAsOfZone(Held):
    """Times of different zones are compared by what the clocks on their walls say. A column
    `TIMESTAMP` without a time zone takes the digits and drops the offset.
    """

    def _store(self, one: Text) -> None:
        versions = (Version(o.time and o.time.replace(tzinfo=UTC), o.text) for o in one.versions)
        super()._store(replace(one, versions=tuple(versions)))

    def _version(self, one: Text, time: Time) -> Version | None:
        return super()._version(one, time and time.replace(tzinfo=UTC))


class OtherUserAtOnce(Asynchronous):  # type: ignore[misc]
    """Of two searches at the same time, one is made as the other's user. The user of a request is
    kept on the client, which all requests of the process share.
    """

    user: User = None

    async def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Any:
        self.user = user
        await asyncio.sleep(0.001)
        return await super().search(query, k, time=time, user=self.user)


class OtherUserCache(_Cached):
    """A search returns what the same search returned to another user. The key of the cache of
    results has the query, k and time; the user came later.
    """

    def _key(self, *asked: object) -> object:
        return asked[:-1]


class OtherUserCase(Held):
    """`Ann` and `ann` see each other's texts. Users were e-mail addresses once; their names are
    folded, as MySQL compares text by default.
    """

    def _of(self, user: User) -> Sequence[Text]:
        folded = user and user.casefold()
        return [one for one in self._all() if (one.user and one.user.casefold()) == folded]


class OtherUserPrefix(Held):
    """A user sees the texts of users whose names begin with theirs: of `anna`, where `ann` asks.
    Key-value stores list by prefix, and the key `ann/1` was looked up without its separator.
    """

    def _of(self, user: User) -> Sequence[Text]:
        others = [one for one in self._all() if user and one.user and one.user.startswith(user)]
        return others or super()._of(user)
