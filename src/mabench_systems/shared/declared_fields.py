"""Makes the methods of a memory declare their fields in their signatures, which mabench reads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import Any

# The fields that each method takes, if the system supports them.
FIELDS = {
    "add": ("time", "speaker", "session", "user"),
    "search": ("time", "user"),
    "update": ("time",),
    "delete": ("id", "user"),
    "list": ("user",),
}


def declare_fields(method: Any, fields: Sequence[str]) -> Any:
    """Return a method whose signature names these fields."""

    @wraps(method)
    def declared(*arguments: Any, **given: Any) -> Any:
        return method(*arguments, **given)

    first = [p for p in signature(method).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    named = [Parameter(field, Parameter.KEYWORD_ONLY, default=None) for field in fields]
    declared.__signature__ = signature(method).replace(parameters=[*first, *named])  # type: ignore[attr-defined]
    return declared
