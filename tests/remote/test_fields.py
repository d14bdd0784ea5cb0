"""What crosses to an agent elsewhere: calls by name, and of fields what it declares alone."""

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.contract.methods import Takes
from mabench.remote.channel import RemoteError
from mabench.runs.conversation import Conversation
from tests.remote import worker_agents
from tests.remote.http_serving import serving
from tests.remote.mcp_serving import MAPS, SERVER, needs_mcp, write_map
from tests.remote.test_http_channel import problems
from tests.remote.worker_agents import DIARY, Diary, Words, ask_diary
from tests.runs.agents import converse

PROGRAM = shlex.join([sys.executable, worker_agents.__file__, "diary"])
MAY = datetime.fromisoformat("2024-05-01T09:30:00+02:00")
FIELDS = {"time": MAY, "speaker": "Bo", "role": "user", "session": "s1", "user": "Ada"}
KEY = {"gold": "Oslo", "evidence": "t1", "question_type": "as-of"}
MAP = (MAPS / "diary.toml").read_text("utf-8")
CALLS = [
    "add a 2024-05-01T09:30:00+02:00 Ada s1",
    "add b None nobody None",
    "search where 2024-05-01T09:30:00+02:00",
    "update 1 c 2024-05-01T09:30:00+02:00 None",
    "delete id-2 None",
    "delete None Ada",
    "list Ada",
]


@contextmanager
def made(transport: str, folder: Path) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield how a diary is named that is reached so."""
    diaries: dict[str, Diary] = {}

    def respond(path: str, body: Any) -> tuple[int, Any]:
        if path == "/reset":
            diaries["1"] = Diary()
            said = json.loads(json.dumps(DIARY).replace('"session"]', '"conversation"]'))
            said["takes"]["add"] = ["time", "user", "conversation"]
            return 200, {**said, "session": "1"}
        method, session = path[1:], body["session"]
        if path in ("/close", "/stats"):
            return 200, {}
        try:
            given = {name: body[name] for name in body if name != "session"}
            given |= {"session": given.pop("conversation")} if "conversation" in given else {}
            result = ask_diary(diaries[session], method, given)
        except LookupError as error:
            return 404, {"error": str(error)}
        body["session"] = session
        names = {"add": "id", "search": "passages", "list": "passages"}
        return 200, {names[method]: result} if method in names else {}

    with serving(respond) as served:
        yield {
            "local": (Diary, {}),
            "worker": ("tests.remote.worker_agents:Diary", {"python": sys.executable}),
            "stdio": (f"stdio:{PROGRAM}", {}),
            "http": (served.url, {}),
            "mcp": (f"mcp:{SERVER} -", {"mcp_map": write_map(folder, MAP)}),
        }[transport]
        assert [problem for one in served.exchanges for problem in problems(one)] == []


@pytest.mark.parametrize(
    "transport", ["local", "worker", "stdio", "http", pytest.param("mcp", marks=needs_mcp)]
)
def test_the_same_crosses_by_every_transport(transport: str, tmp_path: Path) -> None:
    async def use(door: Conversation) -> list[str]:
        takes = door.takes
        assert takes.told == {"time", "user", "session"}
        assert takes.fields["update"] == {"time", "session"}
        assert takes.fields["delete"] == {"id", "user"}
        assert {"update", "delete", "list"} <= takes.methods
        assert takes.unit == ("turn" if transport == "mcp" else "session")
        [first] = await door.tell("a", FIELDS | KEY)
        second = [*await door.tell("b", KEY), "id-2"]
        [passage] = await door.search("where", 3, FIELDS | KEY)
        assert passage.text == "found"
        assert passage.time == (None if transport == "mcp" else MAY)
        await door.update(first, "c", {"time": MAY})
        with pytest.raises((LookupError, RemoteError), match="no such text"):
            await door.delete(id="id-0")
        await door.delete(id="id-2" if transport == "mcp" else second[0])
        await door.delete(user="Ada")
        held = await door.list_texts("Ada")
        if transport in ("local", "worker", "stdio"):
            assert (door.folder / "calls").read_text("utf-8").splitlines() == held  # type: ignore[operator]
        await door.ready()
        return held

    with made(transport, tmp_path) as (agent, settings):
        assert converse(agent, use, **settings) == CALLS


@needs_mcp
def test_near_misses_of_a_server_are_known_here(tmp_path: Path) -> None:
    async def use(door: Conversation) -> list[str]:
        return [*Takes.of(door.agent).misses]

    mapping = write_map(tmp_path, MAP.replace("{time}", "{timestamp}", 1))
    expected = ["add takes `timestamp`: name it `time` to be passed the time"]
    assert converse(f"mcp:{SERVER} -", use, mcp_map=mapping) == expected


def test_what_knows_nothing_of_fields_goes_on_working() -> None:
    async def use(door: Conversation) -> Any:
        assert await door.tell("the gate is green", FIELDS) == []
        assert not door.takes.fields
        await door.ready()
        return (await door.search("gate", 1, FIELDS))[0].text

    assert converse(Words, use) == "the gate is green"
    there = converse("tests.remote.worker_agents:Words", use, python=sys.executable)
    assert there == "the gate is green"


strange = st.one_of(st.none(), st.integers(), st.lists(st.text(max_size=3)), st.text(max_size=5))


@given(takes=strange | st.dictionaries(st.text(max_size=9), strange), methods=strange, unit=strange)
@settings(max_examples=40, deadline=None)
def test_what_a_server_says_wrongly_says_nothing(takes: Any, methods: Any, unit: Any) -> None:
    def respond(path: str, body: Any) -> tuple[int, Any]:
        said = {"takes": takes, "methods": methods, "unit": unit}
        return 200, {"session": "1", "kind": "memory", "passages": ["a"], **said}

    async def use(door: Conversation) -> str:
        await door.tell("a", FIELDS)
        return (await door.search("b"))[0].text

    with serving(respond) as served:
        assert converse(served.url, use) == "a"
