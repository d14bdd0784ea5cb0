"""What each system's adapter declares of times, users and editing, tried with the real system.

Each lives in its own environment, and is talked with over the line protocol, as in a run.
"""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from mabench.contract.takes import Takes
from mabench.errors import UsageError
from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, ModelSpec, RunSpec
from tests.systems.real.environments import embedding_model, environment
from tests.systems.real.test_systems import SYSTEMS, System, environment_of, servers

__all__ = ["servers"]  # A fixture.

pytestmark = pytest.mark.real

_JUNE, _JULY = datetime(2024, 6, 1, tzinfo=UTC), datetime(2024, 7, 1, tzinfo=UTC)
_QUESTION = "Who is the lighthouse keeper of Orvale?"
# One name begins with the other, and one has what is special in a path, a pattern or a filter.
_ADA, _ADAM, _ODD = "ada", "adam", "O'Neil / *.%\u00e9"


def _keeper(name: str) -> str:
    return f"The lighthouse keeper of Orvale is {name} Sorrel."


def _spec(system: System, servers: Mapping[str, str], model: bool) -> RunSpec:
    python = environment(environment_of(system.name), ours=not system.apart) / "bin" / "python"
    url = servers[system.model or "sentence_extractor"]
    settings = {"embeddings": embedding_model()}
    if system.served:
        settings = {"embeddings": "openai/all-MiniLM-L6-v2", "embeddings_url": url}
    named = ModelSpec(name="openai/stand-in", base_url=url, cache=False) if model else None
    return RunSpec(
        agent=AgentSpec(agent=system.name, python=python, settings=settings, model=named)
    )


# mem0 and langmem store texts as they are where there is no model.
_CASES = [(system, model) for system in SYSTEMS for model in (False, True) if (
    system.name not in ("dense", "hybrid")
    and (model is bool(system.model) or system.name in ("mem0", "langmem"))
)]  # fmt: skip


@pytest.mark.parametrize(
    ("system", "model"), _CASES, ids=lambda value: getattr(value, "name", value)
)
def test_what_is_declared_is_done(
    system: System, model: bool, servers: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
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

    try:
        factory, _ = open_agent(_spec(system, servers, model))
        asyncio.run(use(Conversation(factory)))
    except UsageError as error:  # pragma: no cover
        pytest.fail(str(error))


async def _found(door: Conversation, **asked: Any) -> str:
    return " ".join(one.text for one in await door.search(_QUESTION, 20, asked))


async def _try_users_and_times(door: Conversation, takes: Takes) -> None:
    for user, name in ((_ADA, "Marlow"), (_ADAM, "Quill"), (_ODD, "Tamsin"), (None, "Ysolde")):
        await door.tell(_keeper(name), {"user": user, "time": _JUNE, "session": f"of {name}"})
    if "user" in takes.told & takes.asked:
        for user, name in ((_ADA, "Marlow"), (_ADAM, "Quill"), (_ODD, "Tamsin")):
            found = await _found(door, user=user)
            others = {"Marlow", "Quill", "Tamsin", "Ysolde"} - {name}
            assert name in found, (user, found)
            assert not any(other in found for other in others), (user, found)
        assert "Quill" in await _found(door)  # Without a user, all are asked.
        assert "Marlow" not in await _found(door, user="nobody at all")
    if "time" in takes.told & takes.asked:
        await door.tell(_keeper("Wren"), {"user": _ADA, "time": _JULY})
        before = await _found(door, user=_ADA, time=datetime(2024, 6, 15, tzinfo=UTC))
        after = await _found(door, user=_ADA, time=datetime(2024, 7, 15, tzinfo=UTC))
        assert "Marlow" in before and "Wren" not in before, before
        assert "Wren" in after, after
        hits = await door.search(_QUESTION, 20, {"user": _ADA})
        assert {hit.time for hit in hits} <= {_JUNE, _JULY}, hits


async def _try_editing(door: Conversation, takes: Takes) -> None:
    user = {"user": "editor", "time": _JUNE}
    if "list" in takes.methods:
        held = " ".join(await door.list_texts())
        assert all(name in held for name in ("Marlow", "Quill", "Tamsin", "Ysolde")), held
        if "user" in takes.fields["list"]:
            own = " ".join(await door.list_texts(user=_ADA))
            assert "Marlow" in own and "Quill" not in own, own
            assert await door.list_texts(user="nobody at all") == []
    [first, *_] = await door.tell(_keeper("Bramble"), user) or [""]
    if "update" in takes.methods:
        await door.update(first, _keeper("Heron"), user)
        found = await _found(door, user="editor")
        assert "Heron" in found and "Bramble" not in found, found
        with pytest.raises(Exception, match="id"):
            await door.update("00000000-0000-4000-8000-000000000000", "It is not there.")
    deletes = takes.fields.get("delete", frozenset())
    if "id" in deletes:
        await door.delete(id=first)
        found = await _found(door, user="editor")
        assert "Heron" not in found and "Bramble" not in found, found
    if "user" in deletes:
        await door.delete(user=_ADA)
        assert "Marlow" not in await _found(door)
        assert "Quill" in await _found(door)
