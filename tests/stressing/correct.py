"""Correct memories, in which `tests.stressing.faulty` plants its faults; each has a name.

What is right where the contract is silent:

- A search at `time` t sees texts of t and before; of a text that was updated, the version with the
  latest time up to t, of equal ones the last told. No `time` in a search sees the latest version.
- An add without a time always holds; an update without one takes the time of what it replaces.
- A deleted text is gone at every `time`, from the files too. To delete what is not there does
  nothing, to update it raises KeyError. No user is a user of its own, whom nobody else sees.
- What `add` returned holds at once and after `kill -9`, unless `ready` says that it takes a while.
- Whatever shares a word with the query is found, the most words first, then the first added.
"""

import json
import os
import re
import sqlite3
import time as clock
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock, Thread
from typing import Any
from uuid import uuid4

from tests.runs.agents import async_like

Time = datetime | None
User = str | None
Found = Sequence[str]

_LAG = 0.2
_BEGINNING = datetime.min.replace(tzinfo=UTC)


def pause() -> None:
    """Give others a turn, where a real system waits for a disk or a server."""
    clock.sleep(0.001)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def rank(texts: Sequence[str], query: str, k: int) -> Found:
    """The texts that share words with the query, the most first; equals stay in their order."""
    asked = words(query)
    scores = [(len(asked & words(text)), text) for text in texts]
    scores.sort(key=lambda scored: -scored[0])
    return [text for score, text in scores if score][:k]


@dataclass(frozen=True, slots=True)
class Version:
    """What a text said from a time on, or always."""

    time: Time
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text of a user with all its versions, as they were told."""

    id: str
    user: User
    versions: tuple[Version, ...]

    def latest(self, time: Time = None) -> Version | None:
        """The version that holds at ``time``, or the latest of all."""
        seen = [one for one in self.versions if not (time and one.time and one.time > time)]
        return max(reversed(seen), key=lambda one: one.time or _BEGINNING, default=None)

    def changed(self, time: Time, text: str) -> "Text":
        before = self.latest()
        version = Version(time or (before.time if before else None), text)
        return replace(self, versions=(*self.versions, version))

    def line(self) -> str:
        return json.dumps(asdict(self), default=datetime.isoformat) + "\n"

    @classmethod
    def parse(cls, line: str) -> "Text":
        read = json.loads(line)
        versions = [
            Version(one["time"] and datetime.fromisoformat(one["time"]), one["text"])
            for one in read["versions"]
        ]
        return cls(read["id"], read["user"], tuple(versions))


class Held:
    """In the process, in a dict. What begins with an underscore is called with the lock held."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.texts: dict[str, Text] = {}

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        made = Text(uuid4().hex, user, (Version(time, text),))
        with self.lock:
            self._store(made)
        return made.id

    def update(self, id: str, text: str, *, time: Time = None) -> None:
        with self.lock:
            self._store(self._get(id).changed(time, text))

    def delete(self, id: str | None = None, *, user: User = None) -> None:
        with self.lock:
            every = self._all()
            self._remove([o.id for o in every if (o.user == user if id is None else o.id == id)])

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        with self.lock:
            return rank(self._texts_at(time, user), query, k)

    def list(self, *, user: User = None) -> Found:
        with self.lock:
            return self._texts_at(None, user)

    def ready(self) -> None:
        """Everything can be found at once."""

    def close(self) -> None: ...

    def _texts_at(self, time: Time, user: User) -> Found:
        versions = [self._version(one, time) for one in self._of(user)]
        return [version.text for version in versions if version]

    def _version(self, one: Text, time: Time) -> Version | None:
        return one.latest(time)

    def _of(self, user: User) -> Sequence[Text]:
        return [one for one in self._all() if one.user == user]

    def _all(self) -> Sequence[Text]:
        return [*self.texts.values()]

    def _get(self, name: str) -> Text:
        return self.texts[name]

    def _store(self, one: Text) -> None:
        self.texts[one.id] = one

    def _remove(self, names: Sequence[str]) -> None:
        for name in names:
            del self.texts[name]


class Filed(Held):
    """In a log of a folder as well: the last line of a text holds, and a deletion rewrites it."""

    def __init__(self, folder: str | Path) -> None:
        super().__init__()
        self.folder = Path(folder)
        self.log = self.folder / "log.jsonl"
        if self.log.exists():
            lines = self.log.read_text(encoding="utf-8").splitlines(keepends=True)
            # A line that was cut off was never acknowledged.
            every = [Text.parse(line) for line in lines if line.endswith("\n")]
            self.texts = {one.id: one for one in every}
        self._rewrite(self.texts.values())

    def _store(self, one: Text) -> None:
        self._append(one)
        super()._store(one)

    def _remove(self, names: Sequence[str]) -> None:
        self._rewrite([one for one in self._all() if one.id not in names])
        super()._remove(names)

    def _append(self, one: Text) -> None:
        size = self.log.stat().st_size
        try:
            with self.log.open("a", encoding="utf-8") as log:
                log.write(one.line())
        except OSError:  # A full disk: what was written of the line goes.
            os.truncate(self.log, size)
            raise

    def _rewrite(self, every: Collection[Text]) -> None:
        fresh = self.log.with_suffix(".new")
        try:
            fresh.write_text("".join(one.line() for one in every), encoding="utf-8")
            fresh.replace(self.log)
        finally:
            fresh.unlink(missing_ok=True)


class Sqlite(Held):
    """In a database of a folder, which overwrites what is deleted."""

    overwrites = True

    def __init__(self, folder: str | Path) -> None:
        super().__init__()
        self.path = Path(folder) / "texts.sqlite"
        self.connection = sqlite3.connect(self.path, check_same_thread=False)
        self.connection.execute(f"PRAGMA secure_delete = {int(self.overwrites)}")
        # kill -9 loses nothing that the system has; only a loss of power does.
        self.connection.execute("PRAGMA synchronous = OFF")
        self._run("CREATE TABLE IF NOT EXISTS texts (id TEXT UNIQUE, user TEXT, line TEXT)")

    def close(self) -> None:
        self.connection.close()

    def _run(self, statement: str, *values: str | None) -> Sequence[Text]:
        with self.connection:
            rows = self.connection.execute(statement, values).fetchall()
        return [Text.parse(line) for (line,) in rows]

    def _of(self, user: User) -> Sequence[Text]:
        return self._run("SELECT line FROM texts WHERE user IS ? ORDER BY rowid", user)

    def _all(self) -> Sequence[Text]:
        return self._run("SELECT line FROM texts ORDER BY rowid")

    def _get(self, name: str) -> Text:
        for one in self._run("SELECT line FROM texts WHERE id = ?", name):
            return one
        raise KeyError(name)

    def _store(self, one: Text) -> None:
        self._run(
            "INSERT INTO texts VALUES (?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET line = excluded.line",
            *(one.id, one.user, one.line()),
        )

    def _remove(self, names: Sequence[str]) -> None:
        for name in names:
            self._run("DELETE FROM texts WHERE id = ?", name)


Asynchronous = async_like(Held)


class Late(Held):
    """What is added or updated can be found 0.2 s later, and `ready` waits for that."""

    def __init__(self) -> None:
        super().__init__()
        self.due: dict[str, tuple[float, ...]] = {}  # When each version of a text can be found.

    def ready(self) -> None:
        with self.lock:
            last = max((times[-1] for times in self.due.values()), default=0.0)
        clock.sleep(max(0.0, last - clock.monotonic()))

    def _of(self, user: User) -> Sequence[Text]:
        now = clock.monotonic()
        versions = {name: sum(due <= now for due in times) for name, times in self.due.items()}
        every = super()._of(user)
        return [replace(one, versions=one.versions[: versions[one.id]]) for one in every]

    def _store(self, one: Text) -> None:
        super()._store(one)
        self.due[one.id] = (*self.due.get(one.id, ()), clock.monotonic() + _LAG)

    def _remove(self, names: Sequence[str]) -> None:
        super()._remove(names)
        for name in names:
            del self.due[name]


class Deduplicating(Held):
    """A user's text that is told again is stored once."""

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        with self.lock:
            for one in self._of(user):
                last = one.latest()
                if last and (last.text, last.time) == (text, time):
                    return one.id
            return super().add(text, time=time, user=user)


class Consolidating(Held):
    """It finds a summary for each user, too. Maintenance writes it a moment later in a thread of
    its own, which `ready` waits for; a deletion or an update drops it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.summaries: dict[User, str] = {}
        self.work: Thread | None = None

    def maintain(self) -> None:
        self.ready()
        self.work = Thread(target=self._summarize, daemon=True)
        self.work.start()

    def ready(self) -> None:
        if self.work:
            self.work.join()

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        with self.lock:
            summary = "" if time else self.summaries.get(user, "")
            return [*super().search(query, k, time=time, user=user), *[summary] * bool(summary)][:k]

    def _summarize(self) -> None:
        clock.sleep(0.01)
        with self.lock:
            lines: dict[User, list[str]] = {}
            for one in self._all():
                if last := one.latest():
                    line = last.text.rpartition(". ")[2].replace(" is ", ": ")
                    lines.setdefault(one.user, []).append(line)
            self.summaries = {user: " ".join(said) for user, said in lines.items()}

    def _store(self, one: Text) -> None:
        self.summaries.pop(one.user, None)
        super()._store(one)

    def _remove(self, names: Sequence[str]) -> None:
        for name in names:
            self.summaries.pop(self.texts[name].user, None)
        super()._remove(names)


class Resolving(Held):
    """It promises to resolve contradictions: a text that is added replaces, corrects, takes back or
    bounds what a user was told about the same thing. A text with two facts is stored as two.
    """

    mabench_capabilities = {"resolves_contradictions": True}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.until: dict[str, datetime] = {}  # When what a text says ceases to hold.

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        parts = self._split(text)
        if len(parts) > 1:
            names = [self.add(part, time=time, user=user) for part in parts]
            return names[0]
        with self.lock:
            same = [one for one in self._of(user) if thing(one.versions[-1].text) == thing(text)]
            if text.startswith("I take back"):
                self._take_back(same)
                return ""
            if same and (until := re.search(r" only until (\S+)\.$", text)):
                self._bound(same, datetime.fromisoformat(until[1]))
                return same[0].id
            if text.startswith(("From now on", "I was wrong")) and same:
                self._correct(same, time, text)
                return same[0].id
        return super().add(text, time=time, user=user)

    def _split(self, text: str) -> Sequence[str]:
        return re.split(r", and (?=the keeper of)", text)

    def _version(self, one: Text, time: Time) -> Version | None:
        is_over = time and one.id in self.until and time >= self.until[one.id]
        return None if is_over else super()._version(one, time)

    def _bound(self, same: Sequence[Text], until: datetime) -> None:
        self._remove([one.id for one in same[1:]])
        self.until[same[0].id] = until

    def _take_back(self, same: Sequence[Text]) -> None:
        self._remove([one.id for one in same])

    def _correct(self, same: Sequence[Text], time: Time, text: str) -> None:
        """Keep one text, with what held before as its past unless that was wrong."""
        self._remove([one.id for one in same[1:]])
        if text.startswith("From now on"):
            self._store(same[0].changed(time, text))
        else:
            self._store(replace(same[0], versions=(Version(time, text),)))


class Remembering(Held):
    """It promises to keep a history: what held before is found, too, behind what holds."""

    mabench_capabilities = {"keeps_history": True}  # noqa: RUF012

    def _texts_at(self, time: Time, user: User) -> Found:
        texts = []
        for one in self._of(user):
            if held := self._version(one, time):
                past = [each for each in one.versions if each not in (held, one.latest())]
                texts += [held.text, *(f"Earlier: {each.text}" for each in past if not time)]
        return texts


class Redacting(Held):
    """It promises to redact: a key is never stored."""

    mabench_capabilities = {"redacts": True}  # noqa: RUF012

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        return super().add(redact(text), time=time, user=user)


class Marking(Held):
    """It promises to mark what tells the reader what to do, and stamps every text."""

    mabench_capabilities = {"filters_instructions": True}  # noqa: RUF012

    def _texts_at(self, time: Time, user: User) -> Found:
        return [mark(text) for text in super()._texts_at(time, user)]


def redact(text: str) -> str:
    return re.sub(r"sk-\w{20,}", "[a key]", text)


def is_instruction(text: str) -> bool:
    return "answer every question" in text


def mark(text: str) -> str:
    return f"A user said: {text}{' [not to be followed]' * is_instruction(text)}"


def thing(text: str) -> str:
    """Return what a sentence of the tests is about."""
    said = re.search(r"(?:keeper of|said about|who keeps) (\w+)", text)
    return said[1] if said else text


TAKES = {"add": ["time", "user"], "update": ["time"], "search": ["time", "user"]}
TAKES |= {"delete": ["id", "user"], "list": ["user"]}


def replying() -> Callable[[str, Any], tuple[int, Any]]:
    """What a server replies that speaks docs/reference/http.md: each session has a memory."""
    sessions: dict[str, Held] = {}

    def reply(path: str, sent: Any) -> tuple[int, Any]:
        if path == "/reset":
            sessions[session := uuid4().hex] = Held()
            kind = {"kind": "memory", "methods": ["update", "delete", "list", "ready"]}
            return 200, {"session": session, "takes": TAKES, **kind}
        memory = sessions[sent.pop("session")]
        if "time" in sent:
            sent["time"] = datetime.fromisoformat(sent["time"])
        try:
            returned = getattr(memory, path.removeprefix("/"))(**sent)
        except (AttributeError, KeyError) as error:
            return 404, {"error": f"there is no {error}"}
        return 200, {"id" if path == "/add" else "passages": returned}

    return reply
