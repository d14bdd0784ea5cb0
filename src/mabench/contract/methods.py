"""What mabench calls on an agent or a memory, and what goes to and fro: the one list of it.

Agents of this process, the worker, the line protocol, HTTP and MCP go by it. The worker reads this
file by its path where mabench is not installed: it imports nothing of ours, and runs with Python
3.9.
"""

from __future__ import annotations

import inspect
from typing import Any

# What makes an agent, and what makes a memory.
KINDS = {"agent": ("memorize", "answer"), "memory": ("add", "search")}
# What else they may have, beside close(); one that lives elsewhere says which of these it has.
OPTIONAL = ("stats", "save", "load")
# These, too; as they are common words, they are never called where they take something else.
EDITING = ("update", "delete", "list", "ready")
# The parameters of each method, in order.
METHODS = {
    "memorize": ("chunk",),
    "answer": ("query",),
    "add": ("text",),
    "search": ("query", "k"),
    "update": ("id", "text"),
    "delete": (),
    "list": (),
    "ready": (),
    "stats": (),
    "save": ("folder",),
    "load": ("folder",),
    "close": (),
}
_OF_A_TEXT = ("time", "speaker", "role", "session", "user")
_OF_A_QUESTION = ("time", "user")
# What a method is passed by name beside them: what it declares of these, and nothing else.
KEYWORDS = {
    "memorize": _OF_A_TEXT,
    "add": _OF_A_TEXT,
    "update": _OF_A_TEXT,
    "answer": _OF_A_QUESTION,
    "search": _OF_A_QUESTION,
    "delete": ("id", "user"),
    "list": ("user",),
}
UNITS = ("turn", "session")  # What one is told of a conversation at a time, by its ``unit``.
# Carrying these out twice does no harm, so they may be sent again.
REPEATABLE = ("answer", "search", "list", "ready", "stats", "close")
# What crosses of a query beside the prompt, of an answer and of a passage.
FIELDS = {
    "query": ("question", "search_query", "max_tokens"),
    "answer": (
        "text", "retrieved", "input_tokens", "output_tokens", "cost", "tokens_estimated",
        "dropped_tokens", "prompt",
    ),
    "passage": ("text", "score", "time"),
}  # fmt: skip


def parameters_of(thing: Any, name: str) -> dict[str, bool] | None:
    """Return the names that a method declares beside ``METHODS``, and whether each is required.

    ``**`` declares nothing; None where nobody can tell.
    """
    method: Any = getattr(thing, name, None)
    try:
        listed = [*inspect.signature(method).parameters.values()]
    except (TypeError, ValueError):
        return None
    own = len(METHODS[name])  # Which come first, whatever they are called.
    rest = [p for i, p in enumerate(listed) if i >= own or p.kind is p.KEYWORD_ONLY]
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {p.name: p.default is p.empty for p in rest if p.kind in by_name}


def fits(thing: Any, name: str) -> bool | None:
    """Return whether a method can be called as it will be; None where nobody can tell."""
    if (named := parameters_of(thing, name)) is None:
        return None
    keywords = {key: None for key in named if key in KEYWORDS.get(name, ())}
    try:
        inspect.signature(getattr(thing, name)).bind(*METHODS[name], **keywords)
    except TypeError:
        return False
    return name != "delete" or bool(keywords)  # Else it would not know what to delete.
