"""How a memory is made of an MCP server's tools: a mapping, read from TOML.

``docs/remote.md`` describes the format.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from mabench.errors import UsageError

_SHIPPED = Path(__file__).parent / "mcp_maps"
_PLACEHOLDER = re.compile(r"\{(text|query|k|n|folder|session)\}")


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


class Add(_Table):
    """The call that stores a text."""

    tool: str
    arguments: dict[str, Any]


class Search(_Table):
    """The call that finds texts, and where they stand in what it returns.

    Attributes:
        each: call once with the query, or once for each of its content words.
        results: the path of the items found; without one, each block of text is an item.
        text: the path of the text within an item; without one, the item is the text.
        score: the path of the score within an item.
        split: what stands between items in a block of text.
        between: marks before and after the text of an item; an item without them is left out.
    """

    tool: str
    arguments: dict[str, Any]
    each: Literal["query", "words"] = "query"
    results: str | None = None
    text: str | None = None
    score: str | None = None
    split: str | None = None
    between: tuple[str, str] | None = None


class ToolMap(_Table):
    """Which tools of a server add and search, and how."""

    server: Server = Server()
    add: Add
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
    if name is None:
        name = next((one for one in known if one in target), None)
        if name is None:
            return None
    mapping = _read(known.get(name, Path(name)))
    if not mapping.server.starts_empty and not _stays_apart(target, mapping):
        raise UsageError(
            f"with {name}, rows would share what {target} remembers: put {{folder}} or {{session}} "
            "into the command, into env or, for a server over HTTP, into the arguments of add and "
            "search; or say starts_empty = true under [server] (see docs/remote.md)",
            parameter="mcp_map",
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
    try:
        mapping = ToolMap.model_validate(tomllib.loads(path.read_text("utf-8")))
    except FileNotFoundError as error:
        names = ", ".join(shipped())
        raise UsageError(
            f"no mapping {path}; give a TOML file or one of: {names}", parameter="mcp_map"
        ) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}", parameter="mcp_map") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(
            f"{path}: {where}: {first['msg']} (see docs/remote.md)", parameter="mcp_map"
        ) from error
    for table, wanted, arguments in (
        ("add", "{text}", mapping.add.arguments),
        ("search", "{query}", mapping.search.arguments),
    ):
        if wanted not in str(arguments):
            raise UsageError(
                f"{path}: no {wanted} in the arguments of {table}", parameter="mcp_map"
            )
    return mapping


def _stays_apart(target: str, mapping: ToolMap) -> bool:
    calls = _names_the_row(mapping.add.arguments) and _names_the_row(mapping.search.arguments)
    if is_url(target):
        return calls
    return calls or _names_the_row(target) or _names_the_row(mapping.server.env)


def _names_the_row(template: object) -> bool:
    return "{folder}" in str(template) or "{session}" in str(template)


def is_url(target: str) -> bool:
    """Say whether a server is reached over HTTP, not started by a command."""
    return target.startswith(("http://", "https://"))
