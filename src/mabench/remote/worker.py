"""Runs an agent or a memory in this interpreter and serves it over standard input and output.

This file needs nothing but Python 3.9: mabench starts it in environments in which it is not
installed itself. The protocol is JSON-RPC 2.0 in JSON text sequences (RFC 7464): every message is
the character RS (0x1E), one JSON object, and a line feed. See docs/reference/line-protocol.md.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import json
import os
import sys
import traceback
from collections.abc import Iterable
from functools import reduce
from pathlib import Path
from types import ModuleType
from typing import IO, Any

_RS = b"\x1e"
_KINDS = {"agent": ("memorize", "answer"), "memory": ("add", "search")}
_OPTIONAL = ("stats", "save", "load")
# The parameters of each method, in the order in which it takes them.
_METHODS = {
    "memorize": ("chunk",),
    "answer": ("prompt", "question", "search_query", "max_tokens"),
    "add": ("text",),
    "search": ("query", "k"),
    "stats": (),
    "save": ("folder",),
    "load": ("folder",),
}
_GROUPS = ("mabench.agents", "mabench.memories")
_ANSWER = (
    "text", "retrieved", "input_tokens", "output_tokens", "cost", "tokens_estimated",
    "dropped_tokens", "prompt",
)  # fmt: skip
_PASSAGE = ("text", "score")
_FRAMES = 4


class Query(str):
    """The prompt as a string, with ``question``, ``search_query`` and ``max_tokens``."""

    question: str
    search_query: str
    max_tokens: int


def main() -> None:
    """Serve requests until standard input ends."""
    requests, replies = _private_streams()
    server = _Server()
    for line in requests:
        try:
            request = json.loads(line.lstrip(_RS))
        except ValueError:
            continue
        reply = {"jsonrpc": "2.0", "id": request.get("id"), **_outcome(server, request)}
        replies.write(_RS + json.dumps(reply, default=_plain).encode("ascii") + b"\n")
        replies.flush()


def _private_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Keep the two streams to ourselves: what a library prints goes to standard error."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, replies


def _outcome(server: _Server, request: dict[str, Any]) -> dict[str, Any]:
    try:
        result = server.serve(request["method"], request.get("params") or {})
        json.dumps(result, default=_plain)
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
        return {
            "error": {
                "code": -32000,
                "message": f"{type(error).__name__}: {_text(error)}",
                "data": {"traceback": "".join(traceback.format_list(frames))},
            }
        }
    return {"result": result}


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException as second:
        return f"(its text raises {type(second).__name__})"


class _Server:
    """Holds the one agent or memory of this process and calls its methods."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        self._served: Any = None

    def serve(self, method: str, params: dict[str, Any]) -> Any:
        if method == "make":
            return self._make(**params)
        if self._served is None:
            raise RuntimeError("nothing is made yet")
        if method == "close":
            return self._call("close") if callable(getattr(self._served, "close", None)) else None
        if method not in _METHODS:
            raise ValueError(f"no method {method}")
        arguments = [params[name] for name in _METHODS[method]]
        if method == "answer":
            query = Query(params["prompt"])
            vars(query).update(params)
            return _answer(self._call("answer", query))
        if method == "search":
            return _passages(self._call("search", *arguments))
        if method == "stats":
            return dict(self._call("stats"))
        self._call(method, *(map(Path, arguments) if method in _OPTIONAL else arguments))
        return None

    def _make(
        self,
        factory: str,
        settings: dict[str, Any] | None = None,
        model: dict[str, str] | None = None,
        folder: str | None = None,
    ) -> dict[str, Any]:
        sys.path[0] = folder or str(Path.cwd())  # In place of the folder of this file.
        make = _factory(factory)
        arguments = dict(settings or {})
        takes_model = "model" in _parameters(make) and "model" not in arguments
        if model is not None and takes_model:
            arguments["model"] = model
        self._served = served = make(**arguments)
        for kind, methods in _KINDS.items():
            if all(callable(getattr(served, name, None)) for name in methods):
                optional = [name for name in _OPTIONAL if callable(getattr(served, name, None))]
                return {"kind": kind, "methods": optional, "takes_model": takes_model}
        raise TypeError(
            f"{type(served).__name__} is neither an agent (memorize, answer) nor a memory "
            "(add, search)"
        )

    def _call(self, method: str, *arguments: object) -> Any:
        result = getattr(self._served, method)(*arguments)
        return self._loop.run_until_complete(result) if inspect.isawaitable(result) else result


def _answer(answer: Any) -> Any:
    if isinstance(answer, str):
        return str(answer)
    fields = {name: _field(answer, name) for name in _ANSWER}
    fields["retrieved"] = _passages(fields["retrieved"] or ())
    return {name: value for name, value in fields.items() if value is not None}


def _factory(name: str) -> Any:
    """Return what FILE.py:ATTRIBUTE, module:attribute or the name of a plugin means."""
    place, colon, attribute = name.rpartition(":")
    if not colon:
        return _plugin(name)
    module = _of_file(place) if place.endswith(".py") else importlib.import_module(place)
    return reduce(getattr, attribute.split("."), module)


def _of_file(path: str) -> Any:
    # In a package of its own: a file that is called like the package it adapts must not hide it,
    # and can import what lies beside it, as mabench's adapters do: ``from ._shared import ...``.
    package = ModuleType("mabench_adapter")
    package.__path__ = [str(Path(path).absolute().parent)]
    sys.modules[package.__name__] = package
    name = f"{package.__name__}.{Path(path).stem.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _plugin(name: str) -> Any:
    from importlib.metadata import entry_points

    points: Any = entry_points()
    for group in _GROUPS:
        listed = points.select(group=group) if hasattr(points, "select") else points.get(group, ())
        for plugin in listed:
            if plugin.name == name:
                return plugin.load()
    raise LookupError(f"no plugin named {name} in {sys.prefix}; write it as module:factory")


def _parameters(make: Any) -> Iterable[str]:
    try:
        return inspect.signature(make).parameters
    except ValueError:  # Compiled code does not always say what it takes.
        return {}


def _passages(items: Iterable[Any]) -> list[Any]:
    return [
        str(item) if isinstance(item, str) else {name: _field(item, name) for name in _PASSAGE}
        for item in items
    ]


def _field(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)


def _plain(value: Any) -> Any:
    """Turn the numbers of numpy and its kind into Python's."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be sent")


if __name__ == "__main__":
    main()
