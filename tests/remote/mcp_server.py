"""A memory as an MCP server, to be started by tests: ``mcp_server.py FILE [PORT]``.

Finds texts by the words that they share with the query. Keeps them apart by the name that a call
gives, in FILE with its process id, or only while it runs when FILE is ``-``.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

HELD: dict[str, list[str]] = {}


def best(query: str, name: str) -> list[tuple[str, int]]:
    words = set(query.lower().split())
    scored = [(text, len(words & set(text.lower().split()))) for text in HELD.get(name, [])]
    return sorted(scored, key=lambda one: -one[1])


def store(text: str, name: str = "") -> str:
    """Store a text."""
    if text == "die":
        print("I was told to die", file=sys.stderr, flush=True)
        os._exit(3)
    if text == "refuse":
        raise ToolError("this is refused")
    HELD.setdefault(name, []).append(text)
    if sys.argv[1] != "-":
        Path(sys.argv[1]).write_text(json.dumps([os.getpid(), HELD]), "utf-8")
    return "stored"


def find(query: str, limit: int, name: str = "") -> dict[str, Any]:
    """Find texts, as structured content."""
    found = best(query, name)[:limit]
    return {"found": {"items": [{"note": {"text": text}, "points": n} for text, n in found]}}


def find_listed(query: str, name: str = "") -> str:
    """Find texts, as one text."""
    return "\n---\n".join(text for text, _ in best(query, name))


def find_word(query: str) -> list[str]:
    """Find the texts that contain the query, as blocks of text."""
    return [f"<{text}>" for text in HELD.get("", []) if query.lower() in text.lower()]


def environment(query: str) -> str:
    """Tell what is seen of the environment, a reply of 300 MB, or floods."""
    if "flood" in sys.argv:
        for _ in range(300):
            sys.stderr.write("x" * (1 << 20))
    if "large" in sys.argv:
        return "x" * (300 << 20)
    return json.dumps(dict(os.environ))


CALLS: list[str] = []


def noted(*values: object) -> dict[str, Any]:
    CALLS.append(" ".join(str(value) for value in values))
    return {"item": {"number": len(CALLS)}, "items": [{"line": line} for line in CALLS]}


def write(
    text: str, when: str | None = None, owner: str = "nobody", tags: list[str] | None = None
) -> dict[str, Any]:
    """Note a text."""
    [chat] = [*(tags or []), None][:1]
    return noted("add", text, when, owner, chat)


def look(query: str, when: str | None = None) -> dict[str, Any]:
    """Find the text "found"."""
    noted("search", query, when)
    return {"items": [{"line": "found"}]}


def change(id: int, text: str, when: str | None = None, chat: str | None = None) -> dict[str, Any]:
    """Change a text."""
    return noted("update", id, text, when, chat)


def drop(id: int | str | None = None, owner: str | None = None) -> dict[str, Any]:
    """Forget a text, or an owner."""
    if id == "id-0":
        raise ToolError("no such text")
    return noted("delete", id, owner)


def show(owner: str | None = None) -> dict[str, Any]:
    """List all."""
    return noted("list", owner)


if __name__ == "__main__":
    if sys.argv[1] == "fail":
        sys.exit("no configuration in sk-0123456789abcdef0123")
    server = MCPServer("notes", log_level="ERROR")
    for tool, structured in ((store, True), (find, True), (find_listed, False), (find_word, False)):
        server.add_tool(tool, structured_output=structured)
    server.add_tool(environment, structured_output=False)
    for diary_tool in (write, look, change, drop, show):
        server.add_tool(diary_tool, structured_output=True)
    if sys.argv[-1].isdecimal():
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[-1]))
    else:
        server.run("stdio")
