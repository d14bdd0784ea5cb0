"""Whether an object can be examined as an agent, and if not, why."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from types import MappingProxyType

_REQUIRED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"memorize": ("chunk",), "answer": ("query",)}
)
_OPTIONAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"close": (), "stats": (), "save": ("folder",), "load": ("folder",)}
)


def conformance_problems(agent: object) -> list[str]:
    """Return why ``agent`` cannot be examined, one sentence a problem; empty when it can.

    The methods ``memorize(chunk)`` and ``answer(query)`` are required; ``close()``,
    ``stats()``, ``save(folder)`` and ``load(folder)`` are checked when they are there.
    """
    if isinstance(agent, type):
        return [f"{agent.__name__} is a class where an instance is needed: call it"]
    problems = [_method_problem(agent, name, takes) for name, takes in _REQUIRED.items()]
    problems += [
        _method_problem(agent, name, takes)
        for name, takes in _OPTIONAL.items()
        if getattr(agent, name, None) is not None
    ]
    return [problem for problem in problems if problem]


def _method_problem(agent: object, name: str, takes: tuple[str, ...]) -> str | None:
    method = getattr(agent, name, None)
    owner = type(agent).__name__
    if method is None:
        return f"{owner} has no method {name}({', '.join(takes)}){_near_miss(agent, name)}"
    if not callable(method):
        return f"{owner}.{name} is {type(method).__name__}, not a method"
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):  # Compiled code does not always say what it takes.
        return None
    try:
        signature.bind(*takes)
    except TypeError:
        return f"{owner}.{name}{signature} must be callable as {name}({', '.join(takes)})"
    return None


def _near_miss(agent: object, name: str) -> str:
    public = [attribute for attribute in dir(agent) if not attribute.startswith("_")]
    near = difflib.get_close_matches(name, public, n=1, cutoff=0.75)
    return f" (is {near[0]} meant to be it?)" if near else ""
