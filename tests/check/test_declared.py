"""What a memory declares is tried, and each fault of it is named."""

import asyncio
from datetime import datetime
from typing import Any

import pytest

from mabench.check import CheckReport, Finding, check_agent, checking
from mabench.specs import AgentSpec
from tests.check.agents import Memory, overlap


@pytest.fixture(autouse=True)
def _only_what_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [c for c in checking._CHECKS if c.name in ("found", "fields", "editing")]
    monkeypatch.setattr(checking, "_CHECKS", tuple(kept))


class Diary:
    """Heeds times and users, can be edited, and finds what was added once it was waited for."""

    def __init__(self) -> None:
        self.new: dict[int, Any] = {}
        self.notes: dict[int, Any] = {}

    def add(self, text: str, *, time: datetime | None, user: str | None) -> int:
        self.new[len(self.notes) + len(self.new)] = (text, time, user)
        return len(self.notes) + len(self.new) - 1

    async def ready(self) -> None:
        await asyncio.sleep(0)
        self.notes |= self.new
        self.new = {}

    def seen(self, note: Any, time: datetime | None, user: str | None) -> bool:
        _, said, owner = note
        return user in (None, owner) and not (time and said and said > time)

    def search(
        self, query: str, k: int, *, time: datetime | None = None, user: str | None = None
    ) -> list[str]:
        found = [note[0] for note in self.notes.values() if note and self.seen(note, time, user)]
        return sorted(found, key=lambda text: -overlap(query, text))[:k]

    def update(self, id: int, text: str) -> None:
        self.notes[id] = (text, *self.notes.get(id, self.new.pop(id, None))[1:])

    def delete(self, *, id: int | None = None, user: str | None = None) -> None:
        for number, note in {**self.notes, **self.new}.items():
            if number == id or (note and note[2] == user):
                self.notes[number] = self.new[number] = None

    def list(self) -> list[str]:
        return [note[0] for note in {**self.notes, **self.new}.values() if note]


class IsNeverReady(Diary):
    async def ready(self) -> None:
        await super().ready()
        if len(self.notes) > 30 or any(note and note[1] for note in self.notes.values()):
            await asyncio.sleep(60)


def but(**methods: Any) -> type[Diary]:
    """Return a diary of which some methods are others."""
    return type("Faulty", (Diary,), methods)


def refuse(self: Any, *, id: int | None = None) -> None:
    raise PermissionError("read only")


# Each has one fault.
FIELDS: dict[str, Any] = {
    "adds naively": but(
        search=lambda self, query, k, *, time=None, user=None: Diary.search(
            self, query, k, time=time and time.replace(tzinfo=None), user=user
        )
    ),
    "loses users": but(
        add=lambda self, text, *, time, user: Diary.add(self, text, time=time, user=None)
    ),
    "goes by prefix": but(
        seen=lambda self, note, time, user: Diary.seen(
            self, (*note[:2], user if (note[2] or "").startswith(user or "") else ""), time, user
        )
    ),
    "ignores times": but(seen=lambda self, note, time, user: Diary.seen(self, note, None, user)),
    "has another name": but(
        search=lambda self, query, k, timestamp=None, user=None: Diary.search(
            self, query, k, user=user
        )
    ),
}
EDITING: dict[str, Any] = {
    "keeps the old": but(
        update=lambda self, id, text: self.notes.update({1000 + id: (text, None, "ada")})
    ),
    "updates nothing": but(
        update=lambda self, id, text: self.notes.update({id: self.new.pop(id, None)})
    ),
    "deletes nothing": but(delete=lambda self, *, id=None: None),
    "keeps users": but(delete=lambda self, *, user=None: None),
    "deletes all": but(delete=lambda self, *, user=None: self.notes.clear()),
    "refuses to delete": but(delete=refuse),
    "lists half": but(list=lambda self: Diary.list(self)[::2]),
    "gives no ids": but(
        add=lambda self, text, *, time, user: [Diary.add(self, text, time=time, user=user)][1:]
    ),
}


def checked(factory: Any, timeout: float = 60) -> CheckReport:
    return check_agent(AgentSpec(agent=factory), timeout=timeout)


def finding(report: CheckReport, check: str) -> Finding:
    [found] = [one for one in report.findings if one.check == check]
    return found


def test_what_does_what_it_declares_passes_and_what_declares_nothing_is_skipped() -> None:
    report = checked(Diary)
    assert {one.status for one in report.findings} == {"passed"}
    assert "with time, user passed" in finding(report, "fields").message
    editing = finding(report, "editing").message
    assert editing == "no fault found in update, delete, list, ready"
    assert [one.status for one in checked(Memory).findings] == ["passed", "skipped", "skipped"]


@pytest.mark.parametrize(
    ("fault", "status", "said"),
    [
        ("adds naively", "failed", "search failed|answer failed: TypeError: can't compare"),
        ("loses users", "failed", "0 of 12 facts: texts with fields are lost"),
        ("goes by prefix", "failed", "one user finds texts of another"),
        ("ignores times", "warning", "leave out of a search what is later than the time that it"),
        ("has another name", "warning", "search takes `timestamp`: name it `time`"),
    ],
)
def test_a_fault_of_fields_is_named(fault: str, status: str, said: str) -> None:
    report = checked(FIELDS[fault])
    found = finding(report, "fields")
    assert found.status == status
    assert any(part in found.message for part in said.split("|"))
    assert report.valid == (status == "warning")


def test_a_memory_that_is_never_ready_hangs() -> None:
    checked(Diary)  # What reads is loaded with the first answer, which may take long.
    found = finding(checked(IsNeverReady, timeout=5), "fields")
    assert (found.status, "ready hangs" in found.message) == ("failed", True)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("keeps the old", "after update, the text is still found"),
        ("updates nothing", "updated text is not found"),
        ("deletes nothing", "after delete(id), the text is still found"),
        ("keeps users", "after delete(user), the text is still found"),
        ("deletes all", "delete(user) deletes texts of other users"),
        ("refuses to delete", "delete failed: PermissionError: read only"),
        ("lists half", "list leaves out 3 of 6 texts"),
        ("gives no ids", "add returns no id"),
    ],
)
def test_a_fault_of_editing_is_named_and_harms_no_score(fault: str, said: str) -> None:
    report = checked(EDITING[fault])
    found = finding(report, "editing")
    assert found.status == "failed"
    assert said in found.message
    assert report.valid
