import asyncio
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from mabench.contract import Query, Stats, stats_of
from mabench.contract.methods import takes_said
from mabench.remote.channel import RemoteAgent, RemoteError, RemoteMemory, wrap_channel


class Notes:
    """A channel that notes each call."""

    def __init__(self, optional: Collection[str] = (), result: object = None) -> None:
        self.takes = takes_said({"methods": [*optional]})
        self.result = result
        self.calls: list[tuple[str, Mapping[str, object]]] = []

    async def call(self, method: str, params: Mapping[str, object]) -> Any:
        self.calls.append((method, params))
        return self.result

    async def close(self) -> None:
        self.calls.append(("close", {}))


def test_each_call_crosses_with_its_arguments_by_name() -> None:
    notes = Notes()

    async def use() -> None:
        agent, memory = RemoteAgent(notes), RemoteMemory(notes)
        await agent.memorize("a chunk")
        await agent.answer(Query("p", question="q", search_query="s", max_tokens=7))
        await memory.add("a text")
        await memory.search("Who?", 3)
        await agent.close()

    asyncio.run(use())
    query = {"prompt": "p", "question": "q", "search_query": "s", "max_tokens": 7}
    agent = [("memorize", {"chunk": "a chunk"}), ("answer", query)]
    memory = [("add", {"text": "a text"}), ("search", {"query": "Who?", "k": 3})]
    assert notes.calls == [*agent, *memory, ("close", {})]


@pytest.mark.parametrize("optional", [(), ("stats",), ("save", "load"), ("other",)])
def test_only_the_optional_methods_of_the_other_side_are_there(optional: Collection[str]) -> None:
    agent = wrap_channel("agent", Notes(optional))
    present = {name for name in ("stats", "save", "load", "other") if hasattr(agent, name)}
    assert present == set(optional) - {"other"}


class Saves(Notes):
    """Saves a file, and notes what it finds when it loads."""

    async def call(self, method: str, params: Mapping[str, object]) -> Any:
        self.folder = Path(str(params.get("folder")))
        if method == "save":
            (self.folder / "a").write_text("saved", "utf-8")
        if method == "load":
            self.found = (self.folder / "a").read_text("utf-8")


def test_the_other_side_is_not_told_where_the_run_is(tmp_path: Path) -> None:
    saves = Saves(("save", "load"))
    memory: Any = wrap_channel("memory", saves)

    async def use() -> None:
        await memory.save(tmp_path)
        assert (tmp_path / "a").read_text("utf-8") == "saved"
        assert not saves.folder.exists()
        await memory.load(tmp_path)
        assert (saves.found, saves.folder.exists()) == ("saved", True)
        assert tmp_path not in (saves.folder, *saves.folder.parents)
        await memory.close()

    asyncio.run(use())
    assert not saves.folder.exists()


@pytest.mark.parametrize(
    ("result", "stats"),
    [({"memories": 2, "bytes": "x", "more": 1}, {"memories": 2}), (None, {}), ([1], {})],
)
def test_of_stats_only_counts_are_taken(result: object, stats: Mapping[str, int]) -> None:
    agent: Any = wrap_channel("agent", Notes(("stats",), result))
    assert stats_of(asyncio.run(agent.stats())) == Stats(**stats)


@pytest.mark.parametrize("kind", ["other", None, [], {}])
def test_an_unknown_kind_is_named(kind: object) -> None:
    with pytest.raises(RemoteError, match="unknown kind"):
        wrap_channel(kind, Notes())
