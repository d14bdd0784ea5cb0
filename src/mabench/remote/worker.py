"""Runs an agent or a memory in this interpreter, and serves it over standard input and output.

It must need nothing but Python 3.9: mabench runs this file in environments in which mabench is not
installed. The protocol is JSON-RPC 2.0 in JSON text sequences (RFC 7464): every message is
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
from datetime import datetime
from functools import reduce
from pathlib import Path
from runpy import run_path
from types import ModuleType
from typing import Any

_RS = b"\x1e"
# The groups of entry points in which plugins are looked up.
_GROUPS = ("mabench.agents", "mabench.memories")
# How many frames of a traceback are sent.
_FRAMES = 4
_MOST_LISTED = 1_000_000  # Records that are sent of those that a memory lists.
# The methods and fields of agents and memories, which mabench has in a file.
_CONTRACT = run_path(str(Path(__file__).absolute().parents[1] / "contract" / "methods.py"))


class _Prompt(str):
    """The prompt as a string, with the fields of a query."""


def _main() -> None:
    """Answer requests until standard input ends."""
    # Keep both streams for the protocol: what a library prints goes to standard error.
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    host = _Host()
    for line in requests:
        try:
            request = json.loads(line.lstrip(_RS))
        except ValueError:
            continue
        head = {"jsonrpc": "2.0", "id": request.get("id")}
        try:
            result = host.serve(request["method"], request.get("params") or {})
            message = json.dumps({**head, "result": result}, default=_to_json_value)
        except BaseException as error:
            message = json.dumps({**head, "error": _describe(error)})
        replies.write(_RS + message.encode("ascii") + b"\n")
        replies.flush()


def _describe(error: BaseException) -> dict[str, Any]:
    """Return an exception as an error of JSON-RPC."""
    try:
        text = str(error)
    except BaseException as second:
        text = f"(its text raises {type(second).__name__})"
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    data = {"traceback": "".join(traceback.format_list(frames))}
    return {"code": -32000, "message": f"{type(error).__name__}: {text}", "data": data}


class _Host:
    """Holds the agent or memory, and calls its methods."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        self._served: Any = None

    def serve(self, method: str, params: dict[str, Any]) -> Any:
        """Carry out a request, and return its result."""
        if method == "make":
            return self._make(**params)
        if self._served is None:
            raise RuntimeError("no instance has been created yet")
        if method not in _CONTRACT["METHODS"]:
            raise ValueError(f"no method {method}")
        fields = dict(params)
        time = params.get("time")
        fields["time"] = datetime.fromisoformat(time) if time else None
        chosen = self._takes.chosen(method, fields)
        if method == "close" and not self._has("close"):
            return None
        arguments = _positional_arguments(method, params, fields)
        result = getattr(self._served, method)(*arguments, **chosen)
        if method == "list" and hasattr(result, "__aiter__"):
            result = _CONTRACT["gather"](result, _MOST_LISTED)
        if inspect.isawaitable(result):
            result = self._loop.run_until_complete(result)
        return _result_to_send(method, result)

    def _make(
        self,
        factory: str,
        settings: dict[str, Any] | None = None,
        model: dict[str, str] | None = None,
        directory: str | None = None,
        folder: str | None = None,
    ) -> dict[str, Any]:
        """Make the agent or memory, and return what it is and takes."""
        sys.path[0] = directory or str(Path.cwd())  # It was the folder of this file.
        make = _find_factory(factory)
        arguments = dict(settings or {})
        try:
            not_set = {*inspect.signature(make).parameters} - {*arguments}
        except ValueError:  # Compiled code may have no signature.
            not_set = set()
        takes_model = "model" in not_set
        if model is not None and takes_model:
            arguments["model"] = model
        if folder is not None and "folder" in not_set:
            arguments["folder"] = Path(folder)
        self._served = make(**arguments)
        self._takes = _CONTRACT["Takes"].of(self._served)
        unit = getattr(self._served, "unit", None)
        return {
            "kind": self._kind(),
            "takes_model": takes_model,
            "methods": [*self._takes.methods],
            "takes": self._list_parameters(),
            "unit": unit if isinstance(unit, str) else None,
            "promises": [*self._takes.promises],
            "calls_at_once": self._takes.calls_at_once,
        }

    def _list_parameters(self) -> dict[str, list[str]]:
        """Return the parameters that each method declares, where that can be told."""
        listed = {}
        for method in _CONTRACT["METHODS"]:
            parameters = _CONTRACT["parameters_of"](self._served, method)
            if parameters is not None:
                listed[method] = [*parameters]
        return listed

    def _kind(self) -> str:
        """Return whether it is an ``agent`` or a ``memory``, by its methods."""
        for kind, methods in _CONTRACT["KINDS"].items():
            if all(self._has(method) for method in methods):
                return str(kind)
        raise TypeError(
            f"{type(self._served).__name__} is neither an agent (memorize, answer) nor a memory "
            "(add, search)"
        )

    def _has(self, method: str) -> bool:
        return callable(getattr(self._served, method, None))


def _positional_arguments(method: str, params: dict[str, Any], fields: dict[str, Any]) -> list[Any]:
    """Return the positional arguments of a method, from the parameters of a request.

    ``fields`` are the parameters, with a time as such.
    """
    if method == "answer":
        query = _Prompt(params["prompt"])
        vars(query).update({"user": None, **fields})
        return [query]
    if method in ("save", "load"):
        return [Path(params["folder"])]
    return [params.get(name) for name in _CONTRACT["METHODS"][method]]


def _result_to_send(method: str, result: Any) -> Any:
    """Return the result of a method in the form that the protocol gives it."""
    if method in ("add", "memorize"):
        ids = result if isinstance(result, (list, tuple)) else [result]
        return [item for item in ids if isinstance(item, (str, int))]
    if method == "answer":
        return _answer(result)
    if method == "search":
        return _passages(result)
    if method == "list":
        records, is_cut = _CONTRACT["flatten_pages"](result, _MOST_LISTED)
        passages = _passages(records)
        return {"passages": passages, "has_more": True} if is_cut else passages
    if method == "stats":
        return dict(result)
    return None


def _answer(answer: Any) -> Any:
    """Return an answer as a text or as a dictionary of its fields."""
    if isinstance(answer, str):
        return str(answer)
    fields = {name: _field(answer, name) for name in _CONTRACT["FIELDS"]["answer"]}
    fields["retrieved"] = _passages(fields["retrieved"] or ())
    return {name: value for name, value in fields.items() if value is not None}


def _passages(items: Iterable[Any]) -> list[Any]:
    """Return each passage as a text or as a dictionary of its fields."""
    passages: list[Any] = []
    for item in items:
        if isinstance(item, str):
            passages.append(str(item))
        else:
            names = _CONTRACT["FIELDS"]["passage"]
            passages.append({name: _field(item, name) for name in names})
    return passages


def _field(thing: Any, name: str) -> Any:
    """Return a field of an answer or a passage; None if it has none."""
    value = thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)
    if name == "time" and not isinstance(value, (str, datetime)):
        return None
    return value


def _to_json_value(value: Any) -> Any:
    """Return a time or a number of numpy as a value that JSON can hold."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be sent")


def _find_factory(name: str) -> Any:
    """Return the factory at ``module:factory`` or ``FILE.py:factory``, or that of a plugin."""
    place, colon, attribute = name.rpartition(":")
    if colon:
        module = _load_file(place) if place.endswith(".py") else importlib.import_module(place)
        return reduce(getattr, attribute.split("."), module)
    from importlib.metadata import entry_points

    points: Any = entry_points()
    for group in _GROUPS:
        # In Python 3.9 they are a dictionary.
        plugins = points.select(group=group) if hasattr(points, "select") else points.get(group, ())
        for plugin in plugins:
            if plugin.name == name:
                return plugin.load()
    raise LookupError(f"no plugin named {name} in {sys.prefix}; write it as module:factory")


def _load_file(path: str) -> Any:
    """Import a file, as a module of a package of its own.

    A file may have the name of the package that it adapts, and must not hide it. And it can import
    its neighbours, as mabench's adapters do: ``from .shared import ...``.
    """
    package = ModuleType("mabench_adapter")
    package.__path__ = [str(Path(path).absolute().parent)]
    sys.modules[package.__name__] = package
    name = f"{package.__name__}.{Path(path).stem.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    _main()
