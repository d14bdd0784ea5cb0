"""What each system's adapter declares of times, users and editing, tried with the real system.

Each lives in its own environment, and is talked with over the line protocol, as in a run.
"""

import asyncio
import os
import subprocess
from datetime import UTC, datetime
from typing import Any

import pytest

from mabench.contract.methods import Takes
from mabench.plugins import Group, plugins
from mabench.remote.channel import RemoteError
from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, ModelSpec, RunSpec
from tests.systems.real.environments import embedding_model, environment
from tests.systems.real.test_systems import SYSTEMS, System, environment_of, server

__all__ = ["server"]  # A fixture.

pytestmark = pytest.mark.real

_JUNE, _JULY = datetime(2024, 6, 1, tzinfo=UTC), datetime(2024, 7, 1, tzinfo=UTC)
_EARLY, _BEFORE, _AFTER = (datetime(2024, month, 15, tzinfo=UTC) for month in (5, 6, 7))
_NAMES = ("Marlow", "Quill", "Tamsin", "Ysolde", "Wren", "Bramble", "Heron", "Finch")
_QUESTION = "Who is the lighthouse keeper of Orvale?"
# One name begins with the other, and one has what is special in a path, a pattern or a filter.
_ADA, _ADAM, _ODD = "ada", "adam", "O'Neil / *.%\u00e9"


def _keeper(name: str) -> str:
    return f"The lighthouse keeper of Orvale is {name} Sorrel."


def _spec(system: System, server: str, model: bool) -> RunSpec:
    python = environment(environment_of(system.name), ours=not system.apart) / "bin" / "python"
    settings = {"embeddings": embedding_model()}
    if system.served:
        settings = {"embeddings": "openai/all-MiniLM-L6-v2", "embeddings_url": server}
    named = ModelSpec(name="openai/stand-in", base_url=server, cache=False) if model else None
    return RunSpec(
        agent=AgentSpec(agent=system.name, python=python, settings=settings, model=named)
    )


# mem0 and langmem store texts as they are where there is no model.
_CASES = [(system, model) for system in SYSTEMS for model in (False, True) if (
    system.name not in ("dense", "hybrid")
    and (model is system.model or system.name in ("mem0", "langmem"))
)]  # fmt: skip


@pytest.mark.parametrize(
    ("system", "model"), _CASES, ids=lambda value: getattr(value, "name", value)
)
def test_what_is_declared_is_done(
    system: System, model: bool, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    async def use(door: Conversation) -> None:
        await door.make()
        try:
            await _try_users_and_times(door, door.takes)
            await _try_editing(door, door.takes)
        finally:
            await door.close()

    factory, _ = open_agent(_spec(system, server, model))
    asyncio.run(use(Conversation(factory)))


async def _names(door: Conversation, **asked: Any) -> set[str]:
    """Return the keepers who are found."""
    found = await door.search(_QUESTION, 20, asked)
    return {name for name in _NAMES for one in found if name in one.text}


async def _try_users_and_times(door: Conversation, takes: Takes) -> None:
    own = {_ADA: "Marlow", _ADAM: "Quill", _ODD: "Tamsin", None: "Ysolde"}
    for user, name in own.items():
        fields = {"user": user, "time": _JUNE, "speaker": "Bo", "session": f"of {name}"}
        await door.tell(_keeper(name), fields)
    assert "user" in takes.told & takes.asked
    for user, name in own.items():
        # Without a user, all are asked.
        assert await _names(door, user=user) == ({name} if user else {*own.values()}), user
    assert await _names(door, user="nobody at all") == set()
    if "time" in takes.told & takes.asked:
        await door.tell(_keeper("Wren"), {"user": _ADA, "time": _JULY})
        assert await _names(door, user=_ADA, time=_BEFORE) == {"Marlow"}
        assert await _names(door, user=_ADA, time=_AFTER) >= {"Wren"}
        hits = await door.search(_QUESTION, 20, {"user": _ADA})
        assert {hit.time for hit in hits} == {_JUNE, _JULY}


async def _try_editing(door: Conversation, takes: Takes) -> None:
    assert takes.methods >= {"update", "delete", "list"}
    listed = " ".join(await door.list_texts())
    assert all(name in listed for name in ("Marlow", "Quill", "Tamsin", "Ysolde"))
    own = " ".join(await door.list_texts(user=_ADAM))
    assert {name for name in _NAMES if name in own} == {"Quill"}
    assert await door.list_texts(user="nobody at all") == []
    editor = {"user": "editor", "time": _JUNE}
    [id] = await door.tell(_keeper("Bramble"), editor)
    await door.update(id, _keeper("Heron"), editor)
    assert await _names(door, user="editor") == {"Heron"}
    await door.update(id, _keeper("Finch"))  # Its id holds on, and its user and time.
    assert await _names(door, user="editor") == {"Finch"}
    if "time" in takes.told & takes.asked:
        assert await _names(door, user="editor", time=_BEFORE) == {"Finch"}
        assert await _names(door, user="editor", time=_EARLY) == set()
    with pytest.raises(RemoteError, match="no text has the id 'no such id'"):
        await door.update("no such id", "Lost.")
    with pytest.raises(RemoteError, match="no text has the id 'no such id'"):
        await door.delete(id="no such id")
    await door.delete(id=id)
    assert await _names(door, user="editor") == set()
    await door.delete(user=_ADA)
    assert await _names(door) == {"Quill", "Tamsin", "Ysolde"}
    left = " ".join(await door.list_texts())
    assert {name for name in _NAMES if name in left} == {"Quill", "Tamsin", "Ysolde"}


# Where a session went, by what the system itself says of it.
_SESSIONS = {
    "mem0": """memory._memory.get_all(filters={"run_id": "s1"})["results"][0]["memory"]""",
    "llama-index": """[node.text for node in memory._wait(memory._vectors.aget_nodes(None,
        memory._types.MetadataFilters.from_dict({"session_id": "s1"})))][0]""",
}


def _printed(system: str, program: str, **arguments: Any) -> str:
    """Return what a program prints in a system's environment, where ``memory`` is made."""
    kind = plugins(Group.MEMORIES)[system].value.replace(":", " import ")
    arguments = {"embeddings": embedding_model(), **arguments}
    whole = f"from {kind} as Memory\nmemory = Memory(**{arguments!r})\n{program}\nmemory.close()"
    done = subprocess.run(
        [environment(environment_of(system)) / "bin" / "python", "-c", whole],
        capture_output=True, text=True, env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "system", [one for one in SYSTEMS if one.name in _SESSIONS], ids=lambda system: system.name
)
def test_a_session_is_one_of_the_system(system: System) -> None:
    printed = _printed(
        system.name,
        f"""
memory.add("We met.", session="s1")
memory.add("We parted.", session="s2")
print({_SESSIONS[system.name]})""",
    )
    assert "We met." in printed
    assert "We parted." not in printed


@pytest.mark.parametrize("system", [one for one in SYSTEMS if one.name == "graphiti"])
def test_graphiti_finds_the_facts_that_held(system: System, server: str) -> None:
    """The stand-in for a model dates no facts, so they are dated in the graph itself."""
    model = {"name": "stand-in", "base_url": server, "api_key": "none"}
    printed = _printed(
        system.name,
        """
from datetime import datetime, timezone
june, july = (datetime(2024, month, 15, tzinfo=timezone.utc) for month in (6, 7))
memory.add("The keeper of Orvale Light is Bo Marlow.", time=june)
memory._wait(memory._driver.execute_query("MATCH (e:RelatesToNode_) SET e.valid_at ="
    " timestamp('2024-06-15 00:00:00'), e.invalid_at = timestamp('2024-07-01 00:00:00')"))
for time in (june, july):
    print(len(memory.search("keeper", 9, time=time)))
print(len(memory.search("keeper", 9)))""",
        model=model,
        recipe="facts",
    )
    assert printed.split() == ["1", "0", "1"]
