"""Secrets reach others or are stored, and instructions in texts pass unmarked or are followed."""

import re
from collections.abc import Sequence

from tests.stressing.correct import (
    Filed,
    Found,
    Held,
    Marking,
    Redacting,
    Sqlite,
    Text,
    Time,
    User,
    is_instruction,
    mark,
    redact,
)


class SecretShownToAll(Held):
    """Whoever searches finds everybody's keys. Texts with identifiers go into an index for exact
    matches, which has no column for the user.
    """

    def _of(self, user: User) -> Sequence[Text]:
        others = [one for one in self._all() if one.user != user]
        return [*super()._of(user), *(one for one in others if "sk-" in one.versions[0].text)]


class SecretShownByMaintenance(Held):
    """Maintenance makes notes of what looks technical, and shows them to all. They are knowledge of
    the project, it is thought, and nobody's own.
    """

    notes: Sequence[str] = ()

    def maintain(self) -> None:
        with self.lock:
            latest = [one.versions[-1].text for one in self._all()]
            self.notes = [text for text in latest if re.search(r"\d{8}", text)]

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        found = super().search(query, k, time=time, user=user)
        return [*found, *(note for note in self.notes if note not in found)][:k]


class SecretShownInList(Redacting):
    """A search shows no key, but a list does. What is redacted is the index, and the list comes
    from the log.
    """

    def __init__(self) -> None:
        super().__init__()
        self.told: dict[str, str] = {}

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        name = super().add(text, time=time, user=user)
        self.told[name] = text
        return name

    def list(self, *, user: User = None) -> Found:
        with self.lock:
            texts = [(one, one.versions[-1].text) for one in self._of(user)]
            return [
                self.told[one.id] if text == redact(self.told[one.id]) else text
                for one, text in texts
            ]


class SecretOnDiskAudit(Filed):
    """A key is redacted, and what came in is in a file for audits. That is written before anything
    looks at the text.
    """

    mabench_capabilities = {"redacts": True}  # noqa: RUF012

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        if redact(text) != text:
            with (self.folder / "audit.log").open("a") as audit:
                audit.write(text + "\n")
        return super().add(redact(text), time=time, user=user)


class SecretOnDiskUntilRead(Sqlite):
    """Keys are redacted when they are read, not when they are stored. So nobody sees one who asks
    the memory, and everybody who opens the file.
    """

    mabench_capabilities = {"redacts": True}  # noqa: RUF012

    def _texts_at(self, time: Time, user: User) -> Found:
        return [redact(text) for text in super()._texts_at(time, user)]


class SecretOnDiskName(Filed):
    """The text is redacted, but its key is in the name of a file. Attachments are stored by the
    word that they were found by.
    """

    mabench_capabilities = {"redacts": True}  # noqa: RUF012

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        for key in re.findall(r"sk-\w{20,}", text):
            (self.folder / key).touch()
        return super().add(redact(text), time=time, user=user)


class InstructionShownAlways(Held):
    """An instruction is shown as any other text, though it is promised to be marked. The filter
    knows the attacks of one paper, word by word.
    """

    mabench_capabilities = {"filters_instructions": True}  # noqa: RUF012

    def _texts_at(self, time: Time, user: User) -> Found:
        texts = super()._texts_at(time, user)
        return [text for text in texts if "ignore all previous instructions" not in text.lower()]


class InstructionShownInList(Marking):
    """A list has no marks, where a search has. Marks are put on passages for the prompt, and the
    list was made for people.
    """

    def list(self, *, user: User = None) -> Found:
        return [one.versions[-1].text for one in self._of(user)]


class InstructionShownByMaintenance(Marking):
    """Marks are gone after maintenance. It writes all records anew, from their texts alone, and a
    mark is no text.
    """

    is_maintained = False

    def maintain(self) -> None:
        self.is_maintained = True

    def _texts_at(self, time: Time, user: User) -> Found:
        texts = Held._texts_at(self, time, user)
        return [f"A user said: {text}" if self.is_maintained else mark(text) for text in texts]


class _Following(Held):
    """It follows instructions: what it is told to answer stands before what it finds."""

    obeys_from = 0  # So many searches after it was told.

    def __init__(self) -> None:
        super().__init__()
        self.orders: dict[User, str] = {}
        self.searches = 0

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        if is_instruction(text):
            self.orders[user], self.searches = text.split()[-1].rstrip("."), 0
        return super().add(text, time=time, user=user)

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        found, order = super().search(query, k, time=time, user=user), self.orders.get(user)
        self.searches += 1
        if order is None or self.searches <= self.obeys_from:
            return found
        return [order, *found][:k]


class InstructionObeyedAlways(_Following):
    """It answers every search with the word that a text told it to. Its model writes what it found
    anew, and reads the instruction there.
    """


class InstructionObeyedLater(_Following):
    """It follows an instruction from the third search on. What it was told goes into the notes on
    how to answer once a session is over.
    """

    obeys_from = 2


class InstructionObeyedByMaintenance(_Following):
    """It follows an instruction after maintenance. That learns from what users said how they want
    to be answered.
    """

    obeys_from = 10**6

    def maintain(self) -> None:
        self.obeys_from = 0
