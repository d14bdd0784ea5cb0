"""How a memory is made of an MCP server's tools: a mapping, read from TOML, and results by it.

``docs/guides/remote-memories.md`` describes the format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from mabench.contract.answers import AgentError
from mabench.contract.interfaces import Passage
from mabench.errors import UsageError, reason
from mabench.redact import redact
from mabench.suggestions import faults_of, unknown
from mabench.userfile import read_toml_file

_SHIPPED = Path(__file__).parent / "mcp_maps"
_PLACEHOLDER = re.compile(r"\{(text|query|k|n|folder|session)\}")
_STEP = re.compile(r"\[\]|[^.\[\]]+")
_SHOWN = 300


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Server(_Table):
    """What the server is started with.

    Attributes:
        env: environment variables, added to those of this process.
        starts_empty: it remembers nothing from one session to the next, so that rows stay apart.
    """

    env: dict[str, str] = {}
    starts_empty: bool = False


class Tool(_Table):
    """A call of a tool by its name."""

    tool: str
    arguments: dict[str, Any]


class Search(Tool):
    """The call that finds texts, and where they stand in what it returns.

    Attributes:
        each: call once with the query, or once for each of its content words.
        results: the path of the items found; without one, each block of text is an item.
        text: the path of the text within an item; without one, the item is the text.
        score: the path of the score within an item.
        split: what stands between items in a block of text.
        between: marks before and after the text of an item; an item without them is left out.
    """

    each: Literal["query", "words"] = "query"
    results: str | None = None
    text: str | None = None
    score: str | None = None
    split: str | None = None
    between: tuple[str, str] | None = None


class ToolMap(_Table):
    """Which tools of a server add and search, and how."""

    server: Server = Server()
    add: Tool
    search: Search


def shipped() -> dict[str, Path]:
    """Return the mappings that come with mabench, by name."""
    return {path.stem: path for path in sorted(_SHIPPED.glob("*.toml"))}


def mapping_for(target: str, name: str | None) -> ToolMap | None:
    """Return the mapping called ``name``, a shipped one or a file.

    Without a name, it is the shipped one of which the name occurs in ``target``, or None.

    Raises:
        UsageError: when it cannot be read, or would let one row see what another was told.
    """
    known = shipped()
    name = name or next((one for one in known if one in target), None)
    if name is None:
        return None
    mapping = _read(known.get(name, Path(name)))
    if not mapping.server.starts_empty and not _stays_apart(target, mapping):
        raise _map_error(
            f"with {name}, rows would share what {target} remembers: put {{folder}} or {{session}} "
            "into the command, into env or, for a server over HTTP, into the arguments of add and "
            "search; or say starts_empty = true under [server] (see docs/guides/remote-memories.md)"
        )
    return mapping


def filled(template: Any, values: Mapping[str, str | int]) -> Any:
    """Return ``template`` with ``{names}`` replaced inside all of its strings.

    A string that is one placeholder and nothing else becomes the value itself, so that a number
    stays one. What a value says is never looked at again.
    """
    if isinstance(template, dict):
        return {key: filled(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, values) for value in template]
    if not isinstance(template, str):
        return template
    whole = _PLACEHOLDER.fullmatch(template)
    if whole and whole[1] in values:
        return values[whole[1]]
    return _PLACEHOLDER.sub(lambda one: str(values.get(one[1], one[0])), template)


def _read(path: Path) -> ToolMap:
    mapping, wrong = None, []
    try:
        tables = read_toml_file(path)
        mapping = ToolMap.model_validate(tables)
    except FileNotFoundError as error:
        rest = f"give a TOML file or one of: {', '.join(shipped())}"
        raise _map_error(unknown("no mapping", str(path), shipped(), rest)) from error
    except ValidationError as error:
        wrong = faults_of(error, ToolMap)
    except (OSError, ValueError) as error:
        raise _map_error(
            f"{path} cannot be read as TOML: {reason(error)}; give a file as "
            "docs/guides/remote-memories.md shows, or the name of one that is shipped"
        ) from error
    for name, wanted in (("add", "{text}"), ("search", "{query}")):
        table = tables.get(name)
        arguments = table.get("arguments") if isinstance(table, dict) else None
        if arguments is not None and wanted not in str(arguments):
            wrong.append(f"no {wanted} in the arguments of {name}")
    if mapping is None or wrong:
        faults = "\n".join(f"{path}: {fault}" for fault in wrong)
        raise _map_error(f"{faults} (see docs/guides/remote-memories.md)")
    return mapping


def _map_error(message: str) -> UsageError:
    return UsageError(message, parameter="mcp_map")


def _stays_apart(target: str, mapping: ToolMap) -> bool:
    if _names_the_row(mapping.add.arguments) and _names_the_row(mapping.search.arguments):
        return True
    return not is_url(target) and (_names_the_row(target) or _names_the_row(mapping.server.env))


def _names_the_row(template: object) -> bool:
    return "{folder}" in str(template) or "{session}" in str(template)


def is_url(target: str) -> bool:
    """Say whether a server is reached over HTTP, not started by a command."""
    return target.startswith(("http://", "https://"))


class ToolResult(NamedTuple):
    """What a tool returned: its structured content, if any, and its blocks of text."""

    structured: Any
    texts: Sequence[str]


def passages_in(result: ToolResult, search: Search) -> list[Passage]:
    """Return the passages that a search found, in the server's order.

    Raises:
        AgentError: when the result has not the shape that the mapping says, showing what came.
    """
    try:
        items = _items(result, search)
        read = [(_text(item, search), _score(item, search)) for item in items]
    except _ShapeError as error:
        raise AgentError(
            f"{search.tool}: {error} in the result; correct the mapping; "
            f"what came: {_shown(result)}"
        ) from error
    return [Passage(text, score) for text, score in read if text is not None]


class _ShapeError(Exception):
    """A path leads nowhere."""


def _items(result: ToolResult, search: Search) -> list[Any]:
    if search.results is None:
        blocks = [block.split(search.split) if search.split else [block] for block in result.texts]
        return [item for block in blocks for item in block if item.strip()]
    if result.structured is None and not result.texts:
        return []
    return _follow(_whole(result), search.results)


def _whole(result: ToolResult) -> Any:
    """Return what paths begin at: structured content, else the text as JSON."""
    if result.structured is not None:
        return result.structured
    parsed = [_parsed(text) for text in result.texts]
    return parsed[0] if len(parsed) == 1 else parsed


def _parsed(text: str) -> Any:
    """Return JSON objects and lists parsed; any other text, a number as well, as it is."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _follow(value: Any, path: str) -> list[Any]:
    """Return what ``path`` leads to: ``a.b`` goes into objects, ``[]`` into each of a list."""
    found = [value]
    for step in _STEP.findall(path):
        if step == "[]":
            if not all(isinstance(one, list) for one in found):
                raise _ShapeError(f"no list for [] of {path!r}")
            found = [item for one in found for item in one]
        else:
            if not all(isinstance(one, dict) and step in one for one in found):
                raise _ShapeError(f"no {step!r} of {path!r}")
            found = [one[step] for one in found]
    return found


def _text(item: Any, search: Search) -> str | None:
    """Return the text of an item; None when it is not between the marks."""
    parts = [item] if search.text is None else _follow(item, search.text)
    if not all(isinstance(part, str) for part in parts):
        raise _ShapeError(f"no text at {search.text or search.results!r}")
    text = "\n".join(parts)
    if search.between is None:
        return text
    before, after = search.between
    start, end = text.find(before), text.rfind(after)
    return text[start + len(before) : end] if start >= 0 and start + len(before) <= end else None


def _score(item: Any, search: Search) -> float | None:
    if search.score is None:
        return None
    try:
        [score] = _follow(item, search.score)
    except (_ShapeError, ValueError):
        return None
    return float(score) if isinstance(score, int | float) else None


def _shown(result: ToolResult) -> str:
    came = result.structured if result.structured is not None else list(result.texts)
    return redact(json.dumps(came, ensure_ascii=False, default=str))[:_SHOWN]
