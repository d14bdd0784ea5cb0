"""Makes the methods of a memory declare in their signatures which fields they take.

mabench passes a time, a speaker, a session or a user only to methods whose signatures name them.
"""

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
    """Return a method that does the same, but whose signature names these fields.

    They are keyword arguments that are None by default, in place of the method's own keyword
    arguments (such as ``**fields``).
    """

    @wraps(method)
    def declared(*arguments: Any, **given: Any) -> Any:
        return method(*arguments, **given)

    parameters = [
        parameter
        for parameter in signature(method).parameters.values()
        if parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
    ]
    parameters += [Parameter(field, Parameter.KEYWORD_ONLY, default=None) for field in fields]
    declared.__signature__ = signature(method).replace(parameters=parameters)  # type: ignore[attr-defined]
    return declared
