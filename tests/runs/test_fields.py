"""A conversation passes on what is declared, keeps ids, edits, and gives a folder that goes."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mabench.contract import AgentError, Query
from mabench.errors import UsageError
from mabench.runs.conversation import Conversation
from tests.runs.agents import converse

MAY = datetime(2024, 5, 1, 9, 30, tzinfo=UTC)
ASKED = Query("Where?", question="Where?", search_query="where", max_tokens=5, time=MAY, user="Ada")
FIELDS = {"time": MAY, "speaker": "Bo", "session": None, "user": "Ada", "answers": "gold"}


class Keeper:
    """Keeps everything, and where it does, and calls texts by numbers."""

    def __init__(self, folder: Path) -> None:
        assert not [*folder.iterdir()]
        self.folder = folder
        self.texts: dict[int, str] = {}

    def add(self, text: str) -> list[int]:
        self.texts[id := len(self.texts)] = text
        (self.folder / str(id)).write_text(text)
        return [id]

    def search(self, query: str, k: int) -> list[Any]:
        return [*self.texts.values()]

    async def delete(self, id: int) -> None:
        del self.texts[id]

    async def list(self) -> list[str]:
        return [*self.texts.values()]


class Scribe:
    """An agent that declares fields of its own methods."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    async def memorize(self, chunk: str, *, speaker: str = "?") -> int:
        self.calls.append((chunk, speaker))
        return len(self.calls)

    def answer(self, query: Query, user: Any = None) -> str:
        return f"{user} {query.user} {query.time == MAY}"


def test_an_agent_is_passed_what_it_declares_and_its_query_says_the_rest() -> None:
    async def work(door: Conversation) -> None:
        assert await door.tell("a", FIELDS) == ["1"]
        assert (await door.ask(ASKED)).text == "Ada Ada True"
        assert door.agent.calls == [("a", "Bo")]  # type: ignore[attr-defined]
        assert not door.has("delete")
        await door.ready()

    converse(Scribe, work)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (lambda door: door.delete(id="7"), "^'7'$"),
        (lambda door: door.delete(user="Ada"), "delete of .*Keeper does not take user"),
        (lambda door: door.list_texts("Ada"), "list of .*Keeper does not take user"),
    ],
)
def test_what_it_cannot_do_fails_the_call_and_loses_nothing(wrong: Any, problem: str) -> None:
    async def work(door: Conversation) -> None:
        await door.tell("a")
        [own] = await door.tell("b")
        await door.delete(id=own)  # As the number that it is.
        with pytest.raises((KeyError, AgentError), match=problem):
            await wrong(door)
        assert await door.list_texts() == ["a"]

    converse(Keeper, work)


def test_an_agent_without_a_method_says_so() -> None:
    with pytest.raises(AgentError, match="Scribe has no update"):
        converse(Scribe, lambda door: door.update("1", "text"))


def test_each_memory_gets_a_folder_that_goes_with_it(tmp_path: Path) -> None:
    async def work(door: Conversation) -> Path:
        await door.tell("a")
        assert door.folder is not None
        assert len([*door.folder.iterdir()]) == 1
        return door.folder

    first, second = (converse(Keeper, work) for _ in range(2))
    assert first != second
    assert not first.exists()
    assert not second.exists()
    assert converse(Keeper, work, {"folder": tmp_path}) == tmp_path
    assert len([*tmp_path.iterdir()]) == 1


def test_the_folder_of_what_cannot_be_made_goes_too() -> None:
    seen: list[Path] = []

    def refuse(folder: Path) -> object:
        seen.append(folder)
        (folder / "half").write_text("half")
        raise OSError("no disk")

    async def nothing(door: Conversation) -> None: ...

    with pytest.raises(UsageError, match="no disk"):
        converse(refuse, nothing)
    assert not seen[0].exists()


def test_a_memory_of_another_signature_is_refused_with_what_is_meant() -> None:
    class Near:
        def add(self, text: str, timestamp: Any) -> None: ...

        def search(self, query: str, k: int) -> list[str]:
            return []

    async def nothing(door: Conversation) -> None: ...

    with pytest.raises(UsageError, match=r"must be callable as add\(text\) \(is timestamp .* time"):
        converse(Near, nothing)
