"""How a memory is made of an MCP server's tools: a mapping, read from TOML, and results by it.

``docs/guides/remote-memories.md`` describes the format.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from mabench.contract.answers import AgentError
from mabench.contract.interfaces import Passage
from mabench.contract.methods import KEYWORDS, METHODS, Takes
from mabench.errors import UsageError, faults_of, reason, unknown
from mabench.redact import redact
from mabench.remote.channel import CONVERSATION
from mabench.text.stems import is_function_word, tokens
from mabench.userfile import read_toml_file

_MAPS = Path(__file__).parent / "mcp_maps"
_SLOTS = {name: name for name in (*KEYWORDS["add"], "id")} | {"session": CONVERSATION}  # By field.
# What a call is given, the number of a text, and the places of a session.
_NAMES = (*METHODS["add"], *METHODS["search"], *_SLOTS.values(), "n", "folder", "session")
_NEEDED = (
    *(("add", "{text}"), ("search", "{query}"), ("update", "{id}"), ("update", "{text}")),
    *(("delete", "{id}"), ("delete_user", "{user}")),
)
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(_NAMES)})\}}")
_SLOT = re.compile(r"\{(\w+)\}")
_STEP = re.compile(r"\[\]|[^.\[\]]+")
_LONGEST = 300
_DEEPEST = 20  # Levels of structured content in which texts are parsed.


class StrictModel(BaseModel):
    """A part of a mapping, which has no other fields than its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ServerCommand(StrictModel):
    """How a server that is started by a command is treated."""

    env: dict[str, str] = {}  # Added to those of this process.
    starts_empty: bool = False  # It remembers nothing from one session to the next.


class MappedTool(StrictModel):
    """A tool of the server, and the arguments it is called with."""

    tool: str
    arguments: dict[str, Any]


class AddTool(MappedTool):
    """The call that stores a text, and where its id stands in what it returns, if anywhere."""

    id: str | None = None

    def read(self, result: ToolResult) -> list[Any]:
        """Return the ids of an added text; none where the mapping leads to none."""
        for content in result.contents() if self.id else ():
            with suppress(_ShapeError):
                return _follow(content, str(self.id))
        return []


class SearchTool(MappedTool):
    """The call that finds texts, and where they stand in what it returns."""

    each: Literal["query", "words"] = "query"  # Called with it, or with each of its content words.
    results: str | None = None  # The path of the items; without it, each block of text is one.
    text: str | None = None  # Its path within an item; without one, the item is the text.
    score: str | None = None  # Its path within an item.
    split: str | None = None  # What stands between items in a block of text.
    # Marks before and after the text of an item; an item without them is left out.
    between: tuple[str, str] | None = None

    def read(self, result: ToolResult) -> list[Passage]:
        """Return the passages that were found, in order; ``AgentError`` shows another shape.

        With a path, each form of the result is tried; the first in which the path leads to texts
        counts.
        """
        problem: _ShapeError | None = None
        for items in self._ways(result):
            try:
                pairs = [(self._text(item), self._score(item)) for item in items()]
            except _ShapeError as error:
                problem = problem or error
                continue
            return [Passage(text, score) for text, score in pairs if text is not None]
        if problem is None:
            return []  # Nothing came back: nothing was found.
        excerpt = redact(json.dumps(result.shown(), ensure_ascii=False, default=str))[:_LONGEST]
        raise AgentError(
            f"{self.tool}: {problem} in the result; correct the mapping; got: {excerpt}"
        ) from problem

    def _ways(self, result: ToolResult) -> Iterator[Callable[[], list[Any]]]:
        """Yield what returns the items of a result, in each form in which it can be read."""
        if self.results is None:
            yield partial(self._blocks, result)
            return
        for content in result.contents():
            yield partial(_follow, content, self.results)
        if result.others and result.is_mute:
            yield partial(self._blocks, result)

    def _blocks(self, result: ToolResult) -> list[str]:
        """Return the blocks of text, or their parts; raise a ``_ShapeError`` without any."""
        if result.is_mute and result.others:
            raise _ShapeError(f"no text, only {', '.join(dict.fromkeys(result.others))},")
        if not result.texts and result.structured:
            raise _ShapeError("no text, only structured content (give its path as `results`),")
        blocks = [block.split(self.split) if self.split else [block] for block in result.texts]
        return [item for block in blocks for item in block if item.strip()]

    def _text(self, item: Any) -> str | None:
        parts = [item] if self.text is None else _follow(item, self.text)
        if not all(isinstance(part, str) for part in parts):
            raise _ShapeError(f"no text at {self.text or self.results!r}")
        text = "\n".join(parts)
        if self.between is None:
            return text
        before, after = self.between
        start, end = text.find(before), text.rfind(after)
        start += len(before) if start >= 0 else len(text)
        return text[start:end] if start <= end else None

    def _score(self, item: Any) -> float | None:
        with suppress(_ShapeError, ValueError):
            [score] = _follow(item, self.score) if self.score is not None else [None]
            return float(score) if isinstance(score, int | float) else None
        return None


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
        values: dict[str, Any] = dict.fromkeys(_SLOTS.values())
        values |= {_SLOTS.get(name, name): value for name, value in params.items()}
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
        """Return what a memory takes by these calls: the fields of which the slots are there."""
        declared: dict[str, dict[str, bool]] = {}
        for name, tool in self.tools().items():
            fields = declared.setdefault(name.removesuffix("_user"), {})
            slots = {*_SLOT.findall(str(tool.arguments))}
            fields |= {field: False for field, slot in _SLOTS.items() if slot in slots}
            fields |= dict.fromkeys(slots - {*_NAMES}, False)  # Near misses, or text of theirs.
        return Takes.of_methods(declared, {*declared})


def is_url(target: str) -> bool:
    """Return whether a server is reached over HTTP, not started by a command."""
    return target.startswith(("http://", "https://"))


class ToolResult(NamedTuple):
    """What a tool returned."""

    structured: Any = None  # Its structured content; None without any.
    texts: Sequence[str] = ()  # Of its blocks of text and of embedded resources.
    others: Sequence[str] = ()  # The types of blocks without a text, such as ``image``.

    @property
    def is_mute(self) -> bool:
        """Whether there is neither text nor structured content."""
        return self.structured is None and not self.texts

    def shown(self) -> Any:
        """Return what an error shows of it."""
        return list(self.texts) or list(self.others) if self.structured is None else self.structured

    def contents(self) -> Iterator[Any]:
        """Yield what a path may start at: the structured content, then the texts.

        Servers also send JSON as a text, within structured content as well, and wrap what a tool
        returns in ``result``: each form is yielded as it is, parsed, and unwrapped.
        """
        if self.structured is not None:
            parsed = _parse_texts(self.structured)
            yield from (self.structured, parsed)
            if isinstance(parsed, dict) and [*parsed] == ["result"]:
                yield parsed["result"]
        if self.texts:
            parsed = [_parse_texts(text) for text in self.texts]
            yield parsed[0] if len(parsed) == 1 else parsed


def _parse_texts(content: Any, depth: int = 0) -> Any:
    """Return content in which each text that is a JSON object or list is that object or list."""
    if depth > _DEEPEST:
        return content
    if isinstance(content, dict):
        return {name: _parse_texts(value, depth + 1) for name, value in content.items()}
    if isinstance(content, list):
        return [_parse_texts(value, depth + 1) for value in content]
    if isinstance(content, str) and content.lstrip().startswith(("{", "[")):
        with suppress(ValueError, RecursionError):  # Any other text stays as it is.
            return json.loads(content)
    return content


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


def fill_template(template: Any, values: Mapping[str, Any]) -> Any:
    """Return ``template`` with ``{names}`` replaced inside all of its strings, once.

    A string that is one placeholder becomes the value itself, so that a number stays one, and goes
    with its key where the value is None; within a longer string, None is nothing.
    """
    if isinstance(template, dict):
        filled = {key: fill_template(value, values) for key, value in template.items()}
        return {key: value for key, value in filled.items() if value is not None}
    if isinstance(template, list):
        return [one for one in (fill_template(v, values) for v in template) if one is not None]
    if not isinstance(template, str):
        return template
    whole = _PLACEHOLDER.fullmatch(template)
    if whole and whole[1] in values:
        return values[whole[1]]
    known = {name: "" if value is None else str(value) for name, value in values.items()}
    return _PLACEHOLDER.sub(lambda match: known.get(match[1], match[0]), template)


class _ShapeError(Exception):
    """A path leads nowhere."""


def _follow(value: Any, path: str) -> list[Any]:
    """Return what ``path`` leads to: ``a.b`` goes into objects, ``[]`` into each of a list."""
    values = [value]
    for step in _STEP.findall(path):
        if step == "[]":
            if not all(isinstance(value, list) for value in values):
                raise _ShapeError(f"no list for [] of {path!r}")
            values = [item for value in values for item in value]
        else:
            if not all(isinstance(value, dict) and step in value for value in values):
                raise _ShapeError(f"no {step!r} of {path!r}")
            values = [value[step] for value in values]
    return values
