"""Mappings, which make a memory out of the tools of an MCP server. They are TOML files.

``docs/guides/remote-memories.md`` describes the format.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mabench.contract.interfaces import Passage
from mabench.contract.methods import Takes
from mabench.errors import UsageError, faults_of, reason, unknown
from mabench.remote.mcp_results import ToolResult
from mabench.remote.mcp_templates import NAMES, SLOTS
from mabench.remote.mcp_tools import AddTool, MappedTool, SearchTool, ServerCommand, StrictModel
from mabench.text.stems import is_function_word, tokens
from mabench.userfile import read_toml_file

_SHIPPED_MAPS = Path(__file__).parent / "mcp_maps"
# The placeholders that the arguments of each tool must contain.
_REQUIRED_PLACEHOLDERS = (
    ("add", "{text}"),
    ("search", "{query}"),
    ("update", "{id}"),
    ("update", "{text}"),
    ("delete", "{id}"),
    ("delete_user", "{user}"),
)
_SLOT = re.compile(r"\{(\w+)\}")


class ToolMap(StrictModel):
    """A mapping: the tools of a server that add and search, and those for other methods."""

    server: ServerCommand = ServerCommand()
    add: AddTool
    search: SearchTool
    update: MappedTool | None = None
    delete: MappedTool | None = None
    delete_user: MappedTool | None = None
    list: SearchTool | None = None

    @staticmethod
    def shipped() -> dict[str, Path]:
        """Return the mappings that come with mabench, by name."""
        return {path.stem: path for path in sorted(_SHIPPED_MAPS.glob("*.toml"))}

    @classmethod
    def load(cls, target: str, name: str | None) -> ToolMap | None:
        """Return the mapping of that name, which is shipped or a file.

        Without a name, return the shipped one whose name occurs in ``target``; None if none does.

        Raises:
            UsageError: when it cannot be read, or rows would see each other's texts.
        """
        maps = cls.shipped()
        if not name:
            matching = [shipped for shipped in maps if shipped in target]
            if not matching:
                return None
            name = matching[0]
        mapping = _read_file(maps.get(name, Path(name)))
        if not mapping._separates_rows(target):
            raise _map_error(
                f"with {name}, rows would share what {target} remembers: put {{folder}} or "
                "{session} into the command, into env or, for a server over HTTP, into the "
                "arguments of add, search, list and delete_user; or say starts_empty = true under "
                "[server] (see docs/guides/remote-memories.md)"
            )
        return mapping

    def _separates_rows(self, target: str) -> bool:
        """Return whether each row has a memory of its own on this server."""
        if self.server.starts_empty:
            return True
        if not is_url(target) and (_names_row(target) or _names_row(self.server.env)):
            return True
        # Update and delete go by the id of a text, which belongs to a row.
        tools = [tool for name, tool in self.tools().items() if name not in ("update", "delete")]
        return all(_names_row(tool.arguments) for tool in tools)

    async def call(
        self,
        method: str,
        params: Mapping[str, Any],
        use: Callable[..., Awaitable[ToolResult]],
    ) -> Any:
        """Call a method of a memory by its tool, and return the result.

        ``use`` calls a tool: it takes the name, the template of the arguments and values for it.

        Raises:
            AgentError: when the result does not have the shape that the mapping describes.
        """
        # By slot; None for fields that were not given.
        values: dict[str, Any] = dict.fromkeys(SLOTS.values())
        values |= {SLOTS.get(name, name): value for name, value in params.items()}
        if method == "search" and self.search.each == "words":
            return await self._search_by_words(values, use)
        if method == "delete" and values["id"] is None:
            method = "delete_user"
        tool = self.tools()[method]
        result = await use(tool.tool, tool.arguments, values)
        if not isinstance(tool, AddTool | SearchTool):
            return None
        items = tool.read(result)
        return items[: values["k"]] if method == "search" else items

    async def _search_by_words(
        self, values: Mapping[str, Any], use: Callable[..., Awaitable[ToolResult]]
    ) -> Sequence[Passage]:
        """Search for each content word of the query; rank passages by how many words found them."""
        query, search = values["query"], self.search
        words = dict.fromkeys(word for word in tokens(query) if not is_function_word(word))
        hits: Counter[str] = Counter()
        for word in words or [query]:
            result = await use(search.tool, search.arguments, {**values, "query": word})
            hits.update(passage.text for passage in search.read(result))
        return [Passage(text, float(count)) for text, count in hits.most_common()[: values["k"]]]

    def tools(self) -> dict[str, MappedTool]:
        """Return the tools of the mapping, by the method of a memory that they carry out."""
        return {name: tool for name, tool in self if isinstance(tool, MappedTool)}

    def takes(self) -> Takes:
        """Return the methods of the memory, and the fields whose slots occur in their arguments.

        None of the fields is required.
        """
        # By method and field: whether it is required.
        declared: dict[str, dict[str, bool]] = {}
        for name, tool in self.tools().items():
            fields = declared.setdefault(name.removesuffix("_user"), {})
            slots = {*_SLOT.findall(str(tool.arguments))}
            fields |= {field: False for field, slot in SLOTS.items() if slot in slots}
            # Unknown slots may be misspelled fields: they are reported as near misses.
            fields |= dict.fromkeys(slots - set(NAMES), False)
        return Takes.of_methods(declared, set(declared))


def is_url(target: str) -> bool:
    """Return whether a server is reached over HTTP, and not started by a command."""
    return target.startswith(("http://", "https://"))


def _names_row(template: object) -> bool:
    """Return whether a template contains something that differs between rows."""
    return "{folder}" in str(template) or "{session}" in str(template)


def _read_file(path: Path) -> ToolMap:
    """Return the mapping in a file; raise a ``UsageError`` that lists everything wrong in it."""
    mapping, faults = None, []
    try:
        tables = read_toml_file(path)
        mapping = ToolMap.model_validate(tables)
    except FileNotFoundError as error:
        maps = ToolMap.shipped()
        rest = f"give a TOML file or one of: {', '.join(maps)}"
        raise _map_error(unknown("no mapping", str(path), maps, rest)) from error
    except ValidationError as error:
        faults = faults_of(error, ToolMap)
    except (OSError, ValueError) as error:
        raise _map_error(
            f"{path} cannot be read as TOML: {reason(error)}; give a file as "
            "docs/guides/remote-memories.md shows, or the name of one that is shipped"
        ) from error
    for name, placeholder in _REQUIRED_PLACEHOLDERS:
        table = tables.get(name)
        arguments = table.get("arguments") if isinstance(table, dict) else None
        if arguments is not None and placeholder not in str(arguments):
            faults.append(f"no {placeholder} in the arguments of {name}")
    if mapping is None or faults:
        lines = "\n".join(f"{path}: {fault}" for fault in faults)
        raise _map_error(f"{lines} (see docs/guides/remote-memories.md)")
    return mapping


def _map_error(message: str) -> UsageError:
    return UsageError(message, parameter="mcp_map")
