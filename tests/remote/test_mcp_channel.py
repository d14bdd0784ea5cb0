import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.contract.answers import AgentError
from mabench.contract.interfaces import Passage
from mabench.errors import MissingPackageError, UsageError
from mabench.remote import mcp_channel
from mabench.remote.channel import RemoteError
from mabench.remote.mcp_channel import mcp_factory
from mabench.remote.mcp_mapping import ToolMap
from mabench.remote.mcp_results import ToolResult
from mabench.remote.mcp_templates import fill_template
from mabench.remote.mcp_tools import SearchTool
from tests.remote.mcp_serving import MAPS, SERVER, mcp_over_http, needs_mcp, write_map

NOTES = (MAPS / "notes.toml").read_text("utf-8")
SHARED = NOTES.replace(', name = "{session}"', "")
LISTED = """
[search]
tool = "find_listed"
arguments = { query = "{query}" }
split = "\\n---\\n"
[server]
env = { NOTES = "{folder}" }
"""


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.client.client", None)
    with pytest.raises(MissingPackageError, match=r"\[mcp\]"):
        mcp_factory("mcp:npx -y @modelcontextprotocol/server-memory", None)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary folders are made, empty at first."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


async def _store_and_find(memory: Any, other: Any) -> None:
    assert await memory.search("keeper of Orvale", 3) == []
    for i in range(12):
        await memory.add(f"the keeper of town {i} is {{query}} {i}")
    await memory.add("the keeper of Orvale is Ann \U0001f600 \0 {k}")
    await memory.add("")
    await memory.add("x" * 100_000)
    await other.add("of the other row: the keeper of Orvale is Bob")
    found = await memory.search("keeper of Orvale", 3)
    assert found[0] == mabench.Passage("the keeper of Orvale is Ann \U0001f600 \0 {k}", 3.0)
    assert len(found) == 3
    assert "other" not in str(await memory.search("keeper of Orvale", 20))
    assert (await other.search("keeper of Orvale", 9))[0].text.endswith("Bob")


@asynccontextmanager
async def opened(target: str, mapping: str, count: int = 1) -> AsyncIterator[Any]:
    """Yield memories on a server, or the only one, and close them."""
    factory = mcp_factory(f"mcp:{target}", mapping)
    memories: list[Any] = [factory() for _ in range(count)]
    try:
        yield memories if count > 1 else memories[0]
    finally:
        for memory in memories:
            await memory.close()


@needs_mcp
def test_a_server_over_stdio_keeps_rows_apart_and_ends(tmp_path: Path, temporary: Path) -> None:
    async def use() -> None:
        mapped = write_map(tmp_path, SHARED)
        async with opened(f"{SERVER} {{folder}}/notes", mapped, 2) as memories:
            await _store_and_find(*memories)
            files = list(temporary.glob("mabench-mcp-*/data/notes"))
            processes = {json.loads(file.read_text("utf-8"))[0] for file in files}
            assert len(processes) == 2
            assert all(map(is_running, processes))
        assert not any(map(is_running, processes))
        assert list(temporary.iterdir()) == []
        with pytest.raises(RemoteError, match="is closed"):
            await memories[0].search("x", 1)

    asyncio.run(use())


@needs_mcp
def test_a_server_over_http_keeps_rows_apart(tmp_path: Path) -> None:
    async def use(url: str) -> None:
        async with opened(url, write_map(tmp_path, NOTES), 2) as memories:
            await _store_and_find(*memories)

    with mcp_over_http() as url:
        asyncio.run(use(url))


@needs_mcp
def test_other_shapes_of_results_and_searches_by_word(tmp_path: Path) -> None:
    listed, split = SHARED[: SHARED.index("[search]")] + LISTED, 'split = "\\n---\\n"'
    by_word = listed.replace(split, 'each = "words"\nbetween = ["<", ">"]')
    by_word = by_word.replace("find_listed", "find_word")

    async def use(text: str) -> list[str]:
        async with opened(f"{SERVER} -", write_map(tmp_path, text)) as memory:
            for town in ("the keeper of Ulm", "the lighthouse of Orvale", "the keeper of Orvale"):
                await memory.add(town)
            return [passage.text for passage in await memory.search("Who is keeper of Orvale?", 2)]

    assert asyncio.run(use(listed)) == ["the keeper of Ulm", "the keeper of Orvale"]
    assert asyncio.run(use(by_word)) == ["the keeper of Orvale", "the keeper of Ulm"]


@needs_mcp
def test_failures_of_calls_say_what_the_server_said(tmp_path: Path) -> None:
    wrong = SHARED.replace("found.items", "found.things") + "\n[server]\nstarts_empty = true\n"

    async def use() -> None:
        async with opened(f"{SERVER} -", write_map(tmp_path, wrong)) as memory:
            with pytest.raises(RemoteError, match=r"store of .*this is refused"):
                await memory.add("refuse")
            await memory.add("still there")
            with pytest.raises(AgentError, match=r"no 'things'.*got: .*still there"):
                await memory.search("still", 1)
            async with asyncio.timeout(20):
                with pytest.raises(RemoteError, match=r"it said: .*I was told to die"):
                    await memory.add("die")
                with pytest.raises(RemoteError):
                    await memory.add("after death")

    asyncio.run(use())


@needs_mcp
def test_tools_are_listed_where_one_or_the_map_is_missing(tmp_path: Path, temporary: Path) -> None:
    other = write_map(tmp_path, SHARED.replace("find", "seek"))
    with pytest.raises(UsageError, match=r"has no tool 'seek'; it has: store, find, find_listed"):
        mcp_factory(f"mcp:{SERVER} {{folder}}/x", other)()
    other = write_map(tmp_path, SHARED.replace("limit =", "limt ="))
    with pytest.raises(UsageError, match=r"takes no 'limt' in its tool 'find'; it takes: query, "):
        mcp_factory(f"mcp:{SERVER} {{folder}}/x", other)()
    assert list(temporary.iterdir()) == []
    with pytest.raises(UsageError, match=r"`mcp_map` .*qdrant, server-memory; .*store\(text, name"):
        mcp_factory(f"mcp:{SERVER} -", None)


@needs_mcp
@pytest.mark.parametrize(
    ("target", "message"),
    [
        (f"{SERVER} fail", r"does not start .*it said: no configuration in \[secret\]"),
        ("no-such-command", "^no-such-command cannot be started: .*install the command"),
        ("http://127.0.0.1:9/mcp", "no MCP server answers at http://127.0.0.1:9/mcp"),
        ("", "names no server"),
        ("serve 'x", "is not a command line"),
    ],
)
def test_no_start_is_named(tmp_path: Path, temporary: Path, target: str, message: str) -> None:
    empty = write_map(tmp_path, SHARED + "\n[server]\nstarts_empty = true\n")
    with pytest.raises(UsageError, match=message):
        mcp_factory(f"mcp:{target}", empty)()
    assert list(temporary.iterdir()) == []


WHOLE = f"""{SHARED}
[server]
env = {{ NOTES = "{{folder}}/notes" }}
"""


def test_a_mapping_is_chosen_by_its_name_or_that_of_a_file(tmp_path: Path) -> None:
    known = [
        ToolMap.load(f"uvx {name}", None) for name in ("mcp-server-qdrant", "x/server-memory", "x")
    ]
    tools = [mapping and mapping.add.tool for mapping in known]
    assert tools == ["qdrant-store", "create_entities", None]
    assert set(ToolMap.shipped()) == {"qdrant", "server-memory"}
    assert all(ToolMap.load("a command", name) for name in ToolMap.shipped())
    with pytest.raises(UsageError, match=r"no mapping 'nosuch'.*qdrant, server-memory"):
        ToolMap.load("x", "nosuch")
    mapping = ToolMap.load("x", write_map(tmp_path, WHOLE))
    assert mapping
    assert mapping.server.env == {"NOTES": "{folder}/notes"}
    assert mapping.search.results == "found.items[]"
    path = write_map(tmp_path, WHOLE.replace("[add]", "[add"))
    with pytest.raises(UsageError, match=f"{path} cannot be read as TOML"):
        ToolMap.load("x", path)


def test_every_fault_of_a_file_is_named_in_our_words() -> None:
    path = MAPS / "faults.toml"
    with pytest.raises(UsageError) as caught:
        ToolMap.load("x", str(path))
    told = str(caught.value).removesuffix(" (see docs/guides/remote-memories.md)").splitlines()
    expected = path.with_suffix(".txt").read_text("utf-8").splitlines()
    assert [line.removeprefix(f"{path}: ") for line in told] == expected


def test_a_mapping_that_would_mix_rows_is_refused(tmp_path: Path) -> None:
    shared = write_map(tmp_path, WHOLE.replace("{folder}", "/home/me"))
    with pytest.raises(UsageError, match="rows would share what serve remembers"):
        ToolMap.load("serve", shared)
    assert ToolMap.load("serve --file {folder}/x", shared)
    assert ToolMap.load("serve --name {session}", shared)
    url = "http://127.0.0.1:8000/mcp"
    for text in (WHOLE, WHOLE.replace("{text}", "{text} {session}")):
        with pytest.raises(UsageError, match="rows would share"):
            ToolMap.load(url, write_map(tmp_path, text))
    both = WHOLE.replace("{text}", "{text} {session}").replace("{k}", "{session}")
    assert ToolMap.load(url, write_map(tmp_path, both))
    assert ToolMap.load(url, write_map(tmp_path, WHOLE.replace("env", "starts_empty = true\nenv")))


def test_templates_are_filled_once_and_numbers_stay_numbers() -> None:
    template = {
        "a": ["{text}!", "{user}", {"b": "{k}", "c": "{k} of {n}"}],
        "{text}": 3,
        "of": "{user}",
        "tag": "by {user}",
    }
    values: dict[str, str | int | None] = {"k": 5, "n": 2, "user": None}
    values["text"] = "{k} {query} {0} %s"
    assert fill_template(template, values) == {
        "a": ["{k} {query} {0} %s!", {"b": 5, "c": "5 of 2"}],
        "{text}": 3,
        "tag": "by ",
    }
    assert fill_template("{query}", values) == "{query}"


def passages(result: ToolResult, **settings: Any) -> list[Passage]:
    return SearchTool(tool="find", arguments={}, **settings).read(result)


def texts(result: ToolResult, **settings: Any) -> list[str]:
    return [passage.text for passage in passages(result, **settings)]


def test_structured_content_and_json_are_followed_to_texts_and_scores() -> None:
    items = [{"t": ["a", "b"], "s": {"v": 2}}, {"t": [], "s": {}}, {"t": ["c"], "s": {"v": "x"}}]
    result = ToolResult({"found": items}, ["ignored"])
    found = passages(result, results="found[]", text="t[]", score="s.v")
    assert found == [Passage("a\nb", 2.0), Passage(""), Passage("c")]
    assert texts(ToolResult(None, [json.dumps({"r": ["a", "b"]})]), results="r[]") == ["a", "b"]
    blocks = [json.dumps({"m": "a"}), json.dumps({"m": "b"})]
    assert texts(ToolResult(None, blocks), results="[]", text="m") == ["a", "b"]
    assert texts(ToolResult(None, ["12", "true"]), results="[]") == ["12", "true"]


def test_plain_text_is_an_item_a_block_or_split() -> None:
    plain = ToolResult({"result": "not asked for"}, ["one\n\ntwo", " ", "three"])
    assert texts(plain) == ["one\n\ntwo", "three"]
    assert texts(plain, split="\n\n") == ["one", "two", "three"]
    marked = ToolResult(None, ["2 found", "x <c>a </c> b</c> y", "<c></c>", "</c><c>"])
    assert texts(marked, between=["<c>", "</c>"]) == ["a </c> b", ""]
    assert texts(ToolResult(None, []), results="found[]") == []
    assert texts(ToolResult(None, [])) == []


@pytest.mark.parametrize(
    ("content", "settings", "message"),
    [
        ({"found": []}, {"results": "results[]"}, "no 'results' of 'results\\[\\]'"),
        ({"found": {}}, {"results": "found[]"}, "no list for \\[\\]"),
        ({"found": [{"a": 1}]}, {"results": "found[]"}, "no text at 'found\\[\\]'"),
        ({"found": [{"a": 1}]}, {"results": "found[]", "text": "b"}, "no 'b'"),
        ({"found": [{"a": 1}]}, {"results": "found[]", "text": "a"}, "no text at 'a'"),
    ],
)
def test_another_shape_is_shown(content: object, settings: dict[str, str], message: str) -> None:
    with pytest.raises(AgentError, match=message) as caught:
        texts(ToolResult(content, []), **settings)
    assert f"got: {json.dumps(content)}" in str(caught.value)


HIT = {"text": "Mira moved.", "score": 0.5}
PATHS = {"results": "items[]", "text": "text", "score": "score"}


@pytest.mark.parametrize(
    ("result", "settings"),
    [
        (ToolResult({"items": [HIT]}), PATHS),
        (ToolResult({"result": json.dumps({"items": [HIT]})}), PATHS),
        (ToolResult({"result": {"items": [HIT]}}), PATHS),
        (ToolResult({"items": json.dumps([HIT])}), PATHS),
        (ToolResult({"result": [json.dumps(HIT)]}), {**PATHS, "results": "result[]"}),
        (ToolResult({"result": [json.dumps(HIT)]}), {**PATHS, "results": "[]"}),
        (
            ToolResult({"result": json.dumps({"items": [HIT]})}),
            {**PATHS, "results": "result.items[]"},
        ),
        (ToolResult({"other": 1}, [json.dumps({"items": [HIT]})]), PATHS),
        (ToolResult(None, [json.dumps({"items": [json.dumps(HIT)]})]), {"results": "items[]"}),
    ],
)
def test_json_in_texts_and_in_result_is_followed(
    result: ToolResult, settings: dict[str, str]
) -> None:
    if "text" in settings:
        assert passages(result, **settings) == [Passage("Mira moved.", 0.5)]
    else:  # An item that is a text stays one, though it is JSON.
        assert texts(result, **settings) == [json.dumps(HIT)]


@pytest.mark.parametrize(
    ("result", "settings", "said"),
    [
        (ToolResult(None, [], ["image", "image"]), {}, "find: no text, only image, in the result"),
        (ToolResult(None, [], ["resource_link"]), PATHS, "no text, only resource_link"),
        (ToolResult({"items": [HIT]}), {}, "only structured content .give its path as `results`"),
    ],
)
def test_what_holds_no_text_is_an_error_and_not_an_empty_search(
    result: ToolResult, settings: dict[str, str], said: str
) -> None:
    with pytest.raises(AgentError, match=said):
        passages(result, **settings)


def test_reported_results_come_out_as_expected() -> None:
    types = pytest.importorskip("mcp_types")
    cases = Path(__file__).resolve().parents[3] / "shared" / "cases" / "mcp_results.jsonl"
    if not cases.is_file():
        pytest.skip(f"no {cases}")
    for line in cases.read_text("utf-8").splitlines():
        case = json.loads(line)
        result = types.CallToolResult.model_validate(case["result"])
        said = [mcp_channel._block_text(block) for block in result.content]
        if case["name"] == "error":
            continue
        read = ToolResult(result.structured_content, [text for text in said if text is not None])
        [passage] = passages(read, **case["search"])
        assert "Mira moved to Arden in May." in passage.text, case["name"]
