"""What a memory declares is tried, and each fault of it is named."""

import asyncio
from datetime import datetime
from typing import Any

import pytest

from mabench.check import CheckReport, Finding, check_agent, checking
from mabench.specs import AgentSpec
from tests.check.sound import overlap


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


class AddsNaively(Diary):
    def search(self, query: str, k: int, *, time: Any = None, user: Any = None) -> list[str]:
        return super().search(query, k, time=time and time.replace(tzinfo=None), user=user)


class LosesUsers(Diary):
    def add(self, text: str, *, time: Any, user: Any) -> int:
        return super().add(text, time=time, user=None)


class IgnoresTime(Diary):
    def seen(self, note: Any, time: Any, user: Any) -> bool:
        return super().seen(note, None, user)


class GoesByPrefix(Diary):
    def seen(self, note: Any, time: Any, user: Any) -> bool:
        return super().seen(
            (*note[:2], user if (note[2] or "").startswith(user or "") else ""), time, user
        )


class KeepsTheOld(Diary):
    def update(self, id: int, text: str) -> None:
        self.notes[1000 + id] = (text, None, "ada")


class UpdatesNothing(Diary):
    def update(self, id: int, text: str) -> None:
        self.notes[id] = self.new.pop(id, None)


class DeletesNothing(Diary):
    def delete(self, *, id: int | None = None) -> None:  # type: ignore[override]
        pass


class DeletesAll(Diary):
    def delete(self, *, user: str | None = None) -> None:  # type: ignore[override]
        self.notes = {}


class KeepsUsers(Diary):
    def delete(self, *, user: str | None = None) -> None:  # type: ignore[override]
        pass


class RefusesToDelete(Diary):
    def delete(self, *, id: int | None = None) -> None:  # type: ignore[override]
        raise PermissionError("read only")


class ListsHalf(Diary):
    def list(self) -> list[str]:
        return super().list()[::2]


class GivesNoIds(Diary):
    def add(self, text: str, *, time: Any, user: Any) -> None:  # type: ignore[override]
        super().add(text, time=time, user=user)


class IsNeverReady(Diary):
    async def ready(self) -> None:
        await super().ready()
        if len(self.notes) > 30 or any(note and note[1] for note in self.notes.values()):
            await asyncio.sleep(60)


class Near(Diary):
    def search(self, query: str, k: int, timestamp: Any = None, user: Any = None) -> list[str]:  # type: ignore[override]
        return super().search(query, k, user=user)


def checked(factory: Any, timeout: float = 60) -> CheckReport:
    return check_agent(AgentSpec(agent=factory), timeout=timeout)


def finding(report: CheckReport, check: str) -> Finding:
    [found] = [one for one in report.findings if one.check == check]
    return found


def test_what_does_what_it_declares_passes() -> None:
    report = checked(Diary)
    assert {one.status for one in report.findings} == {"passed"}
    assert "told and asked with time, user" in finding(report, "fields").message
    editing = finding(report, "editing").message
    assert editing == "no fault is found in update, delete, list, ready"


def test_what_declares_nothing_is_skipped() -> None:
    class Plain:
        def __init__(self) -> None:
            self.texts: list[str] = []

        def add(self, text: str) -> None:
            self.texts.append(text)

        def search(self, query: str, k: int) -> list[str]:
            return sorted(self.texts, key=lambda text: -overlap(query, text))[:k]

    report = checked(Plain)
    assert [finding(report, name).status for name in ("fields", "editing")] == ["skipped"] * 2


@pytest.mark.parametrize(
    ("factory", "status", "fault"),
    [
        (AddsNaively, "failed", "search failed|answer failed: TypeError: can't compare"),
        (LosesUsers, "failed", "0 of 12 facts: what has fields is lost"),
        (GoesByPrefix, "failed", "one user finds what only another said"),
        (IgnoresTime, "warning", "as of May it finds what was said in July"),
        (Near, "warning", "search takes `timestamp`: name it `time`"),
    ],
)
def test_a_fault_of_fields_is_named(factory: Any, status: str, fault: str) -> None:
    report = checked(factory)
    found = finding(report, "fields")
    assert found.status == status
    assert any(part in found.message for part in fault.split("|"))
    assert report.valid == (status == "warning")


def test_a_memory_that_is_never_ready_hangs() -> None:
    checked(Diary)  # What reads is loaded with the first answer, which may take long.
    found = finding(checked(IsNeverReady, timeout=5), "fields")
    assert (found.status, "ready hangs" in found.message) == ("failed", True)


@pytest.mark.parametrize(
    ("factory", "fault"),
    [
        (KeepsTheOld, "after update, the text is still found"),
        (UpdatesNothing, "what update stored is not found"),
        (DeletesNothing, "after delete(id), the text is still found"),
        (KeepsUsers, "after delete(user), the text is still found"),
        (DeletesAll, "delete(user) forgets what others said"),
        (RefusesToDelete, "delete failed: PermissionError: read only"),
        (ListsHalf, "list leaves out 3 of 6 texts"),
        (GivesNoIds, "add returns no id"),
    ],
)
def test_a_fault_of_editing_is_named_and_harms_no_score(factory: Any, fault: str) -> None:
    report = checked(factory)
    found = finding(report, "editing")
    assert found.status == "failed"
    assert fault in found.message
    assert report.valid
