"""The source of a class or function that is in no module, and what it uses of what is beside it."""

from __future__ import annotations

import ast
import dis
import inspect
from collections.abc import Iterator
from textwrap import dedent
from types import CodeType, FunctionType
from typing import Any


def source_of(thing: Any) -> str | None:
    """Return the source of a class or function; a class of a notebook has that of its methods."""
    try:
        source = inspect.getsource(thing)
    except (OSError, TypeError):
        sources = [source_of(method) for method in _functions(thing) if method is not thing]
        return "\n".join(filter(None, sources)) or None
    return _lambda_in(source) if thing.__name__ == "<lambda>" else source


def _lambda_in(lines: str) -> str:
    """Return the lambda of some lines; the lines where there are several, or it is cut."""
    try:
        tree = ast.parse(dedent(lines))
    except SyntaxError:
        return lines
    lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    return ast.unparse(lambdas[0]) if len(lambdas) == 1 else lines


def _functions(thing: Any) -> list[FunctionType]:
    members = vars(thing).values() if isinstance(thing, type) else [thing]
    plain = (getattr(one, "fget", None) or getattr(one, "__func__", one) for one in members)
    return [one for one in plain if isinstance(one, FunctionType)]


def values_used(thing: Any) -> Iterator[tuple[str, object]]:
    """Yield the names that a class or function uses, with their values; its bases, too."""
    yield from ((base.__qualname__, base) for base in getattr(thing, "__mro__", ())[1:-1])
    for function in _functions(thing):
        names = {*_names_in(function.__code__)}
        yield from ((name, function.__globals__[name]) for name in names & {*function.__globals__})
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        for name, cell in cells:
            try:
                yield name, cell.cell_contents
            except ValueError:  # Empty until it is assigned.
                continue


def names_assigned(thing: Any) -> Iterator[str]:
    """Yield the names outside a function that it assigns to, such as a counter."""
    for function in _functions(thing):
        for step in dis.get_instructions(function):
            if step.opname in ("STORE_GLOBAL", "STORE_DEREF"):
                yield step.argval


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _names_in(part)
