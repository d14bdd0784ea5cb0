"""How a memory is made of an MCP server's tools: a mapping, read from TOML.

``docs/guides/remote-memories.md`` describes the format.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
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

_MAPS = Path(__file__).parent / "mcp_maps"
# Each tool of a mapping, with a placeholder that its arguments must have.
_NEEDED = (
    *(("add", "{text}"), ("search", "{query}"), ("update", "{id}"), ("update", "{text}")),
    *(("delete", "{id}"), ("delete_user", "{user}")),
)
_SLOT = re.compile(r"\{(\w+)\}")


class ToolMap(StrictModel):
    """Which tools of a server add and search, and which do what else a memory may do."""

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
        return {path.stem: path for path in sorted(_MAPS.glob("*.toml"))}

    @classmethod
    def load(cls, target: str, name: str | None) -> ToolMap | None:
        """Return the mapping called ``name``, shipped or a file; without one, what fits ``target``.

        Raises:
            UsageError: when it cannot be read, or would let one row see what another was told.
        """
        maps = cls.shipped()
        name = name or next((shipped for shipped in maps if shipped in target), None)
        if name is None:
            return None
        mapping = _read(maps.get(name, Path(name)))
        tools = mapping.tools().items()
        by_row = [tool for name, tool in tools if name not in ("update", "delete")]
        apart = mapping.server.starts_empty or all(_names_row(tool.arguments) for tool in by_row)
        if not is_url(target):
            apart = apart or _names_row(target) or _names_row(mapping.server.env)
        if not apart:
            raise _map_error(
                f"with {name}, rows would share what {target} remembers: put {{folder}} or "
                "{session} into the command, into env or, for a server over HTTP, into the "
                "arguments of add, search, list and delete_user; or say starts_empty = true under "
                "[server] (see docs/guides/remote-memories.md)"
            )
        return mapping

    async def call(
        self,
        method: str,
        params: Mapping[str, Any],
        use: Callable[..., Awaitable[ToolResult]],
    ) -> Any:
        """Return what a method of a memory comes to.

        ``use`` returns what a tool returns, by its name, for arguments that are filled with values;
        an ``AgentError`` shows content of another shape.
        """
        # By slot: None for fields that nobody knows.
        values: dict[str, Any] = dict.fromkeys(SLOTS.values())
        values |= {SLOTS.get(name, name): value for name, value in params.items()}
        by_user = method == "delete" and values["id"] is None
        tool, search = self.tools()["delete_user" if by_user else method], self.search
        if tool is not search or search.each == "query":
            result = await use(tool.tool, tool.arguments, values)
            items = tool.read(result) if isinstance(tool, AddTool | SearchTool) else None
            return items[: values["k"]] if items and tool is search else items
        query = values["query"]
        words = dict.fromkeys(word for word in tokens(query) if not is_function_word(word))
        hits: Counter[str] = Counter()
        for word in words or [query]:
            found = await use(search.tool, search.arguments, {**values, "query": word})
            hits.update(passage.text for passage in search.read(found))
        # The passages that the searches for most words found come first.
        return [Passage(text, float(count)) for text, count in hits.most_common()[: values["k"]]]

    def tools(self) -> dict[str, MappedTool]:
        """Return the tools that it calls, by what they do for a memory."""
        return {name: tool for name, tool in self if isinstance(tool, MappedTool)}

    def takes(self) -> Takes:
        """Return what a memory takes by these calls: the fields whose slots are there."""
        declared: dict[str, dict[str, bool]] = {}
        for name, tool in self.tools().items():
            fields = declared.setdefault(name.removesuffix("_user"), {})
            slots = {*_SLOT.findall(str(tool.arguments))}
            fields |= {field: False for field, slot in SLOTS.items() if slot in slots}
            fields |= dict.fromkeys(slots - {*NAMES}, False)  # Near misses, or text of theirs.
        return Takes.of_methods(declared, {*declared})


def is_url(target: str) -> bool:
    """Return whether a server is reached over HTTP, not started by a command."""
    return target.startswith(("http://", "https://"))


def _names_row(template: object) -> bool:
    return "{folder}" in str(template) or "{session}" in str(template)


def _read(path: Path) -> ToolMap:
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
    for name, placeholder in _NEEDED:
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
