import json
from pathlib import Path
from typing import Any

import pytest

from mabench.contract.answers import AgentError
from mabench.contract.interfaces import Passage
from mabench.errors import UsageError
from mabench.remote.mcp_mapping import ToolMap, _Search, _ToolResult, fill_template
from tests.remote.mcp_serving import write_map

WHOLE = """
[server]
env = { NOTES = "{folder}/notes" }
[add]
tool = "store"
arguments = { text = "{text}" }
[search]
tool = "find"
arguments = { query = "{query}", limit = "{k}" }
results = "found.items[]"
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


def test_every_fault_of_a_file_is_named_in_our_words(tmp_path: Path) -> None:
    text = """
[server]
start_empty = true
env = 3
[add]
arguments = { text = "{txt}" }
[search]
tool = "find"
arguments = { q = "{text}" }
each = "word"
between = ["a"]
texxt = "a"
[serch]
"""
    path = write_map(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        ToolMap.load("x", path)
    told = str(caught.value).removesuffix(" (see docs/guides/remote-memories.md)")
    assert [line.removeprefix(f"{path}: ") for line in told.splitlines()] == [
        "server.env: found 3; expected a table",
        "server.start_empty: no field named 'start_empty': did you mean starts_empty? "
        "known: env, starts_empty",
        "add.tool: is missing",
        "search.each: found 'word'; expected 'query' or 'words' (did you mean words?)",
        "search.between.1: is missing",
        "search.texxt: no field named 'texxt': did you mean text? known: tool, arguments, each, "
        "results, text, score, split, between",
        "serch: no field named 'serch': did you mean search? known: server, add, search, "
        "update, delete, delete_user, list",
        "no {text} in the arguments of add",
        "no {query} in the arguments of search",
    ]


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


def passages(result: _ToolResult, **settings: Any) -> list[Passage]:
    return _Search(tool="find", arguments={}, **settings).read(result)


def texts(result: _ToolResult, **settings: Any) -> list[str]:
    return [passage.text for passage in passages(result, **settings)]


def test_structured_content_and_json_are_followed_to_texts_and_scores() -> None:
    items = [{"t": ["a", "b"], "s": {"v": 2}}, {"t": [], "s": {}}, {"t": ["c"], "s": {"v": "x"}}]
    result = _ToolResult({"found": items}, ["ignored"])
    found = passages(result, results="found[]", text="t[]", score="s.v")
    assert found == [Passage("a\nb", 2.0), Passage(""), Passage("c")]
    assert texts(_ToolResult(None, [json.dumps({"r": ["a", "b"]})]), results="r[]") == ["a", "b"]
    blocks = [json.dumps({"m": "a"}), json.dumps({"m": "b"})]
    assert texts(_ToolResult(None, blocks), results="[]", text="m") == ["a", "b"]
    assert texts(_ToolResult(None, ["12", "true"]), results="[]") == ["12", "true"]


def test_plain_text_is_an_item_a_block_or_split() -> None:
    plain = _ToolResult({"result": "not asked for"}, ["one\n\ntwo", " ", "three"])
    assert texts(plain) == ["one\n\ntwo", "three"]
    assert texts(plain, split="\n\n") == ["one", "two", "three"]
    marked = _ToolResult(None, ["2 found", "x <c>a </c> b</c> y", "<c></c>", "</c><c>"])
    assert texts(marked, between=["<c>", "</c>"]) == ["a </c> b", ""]
    assert texts(_ToolResult(None, []), results="found[]") == []
    assert texts(_ToolResult(None, [])) == []


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
        texts(_ToolResult(content, []), **settings)
    assert f"got: {json.dumps(content)}" in str(caught.value)
