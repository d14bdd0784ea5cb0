"""Finds how two recordings differ, and prints it by kind."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

KINDS = ("exit code", "JSON", "text", "error text", "files", "command")
_INDEX = re.compile(r"\[\d+\]")
_LONGEST = 160  # Characters of a line that are printed.


@dataclass(frozen=True)
class Difference:
    """How a command differs in one kind of output, in lines that can be read."""

    kind: str
    command: str
    lines: tuple[str, ...]


def differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    """Yield the differences of two recordings, in the order of their commands.

    A recording has, by command, its "exit code", its "JSON" or "text", its "error text", and its
    "files" by name.
    """
    for command in {**old, **new}:
        if command not in old or command not in new:
            side = "old" if command in old else "new"
            yield Difference("command", command, (f"only in the {side} recording",))
            continue
        before, after = old[command], new[command]
        if before["exit code"] != after["exit code"]:
            codes = (f"{before['exit code']} -> {after['exit code']}",)
            yield Difference("exit code", command, codes)
        for kind in ("JSON", "text", "error text"):
            lines = tuple(_changes(before.get(kind), after.get(kind)))
            if lines:
                yield Difference(kind, command, lines)
        lines = tuple(
            f"{name}{line}"
            for name in sorted({**before["files"], **after["files"]})
            for line in _changes(before["files"].get(name), after["files"].get(name))
        )
        if lines:
            yield Difference("files", command, lines)


def render(found: Sequence[Difference], longest: int) -> str:
    """Return the differences by kind, each with at most ``longest`` lines."""
    lines = []
    for kind in KINDS:
        of_kind = [difference for difference in found if difference.kind == kind]
        lines.append(f"{kind}: {len(of_kind)} commands differ")
        for difference in of_kind:
            lines.append(f"  mabench {difference.command}")
            lines += [f"    {line[:_LONGEST]}" for line in difference.lines[:longest]]
            more = len(difference.lines) - longest
            if more > 0:
                lines.append(f"    ... {more} more lines (--lines)")
    return "\n".join(lines)


def _changes(old: Any, new: Any) -> Iterator[str]:
    """Yield lines on what changed in a text, which is a list of lines, or in JSON.

    In JSON, the same place in several items of a list gives one line, with the first change there.
    """
    if old == new:
        return
    if _is_text(old) and _is_text(new):
        for line in difflib.unified_diff(old, new, lineterm="", n=0):
            if not line.startswith(("---", "+++", "@@")):  # Headings.
                yield f" {line}"
        return
    changes_by_place: dict[str, list[str]] = defaultdict(list)
    for place, change in _json_changes(old, new, place=""):
        place_in_any_item = _INDEX.sub("[]", place)
        changes_by_place[place_in_any_item].append(change)
    for place, changes in changes_by_place.items():
        times = f" ({len(changes)} times)" if len(changes) > 1 else ""
        yield f"{place}: {changes[0]}{times}"


def _is_text(value: Any) -> bool:
    """Return whether a value is a list of lines."""
    return isinstance(value, list) and all(isinstance(line, str) for line in value)


def _json_changes(old: Any, new: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield each place within a value that differs, such as ".a[0].b", and how it changed.

    ``place`` is that of the value itself.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {**old, **new}:
            if name not in new:
                yield f"{place}.{name}", f"gone, was {old[name]!r}"
            elif name not in old:
                yield f"{place}.{name}", f"added, is {new[name]!r}"
            else:
                yield from _json_changes(old[name], new[name], f"{place}.{name}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _json_changes(before, after, f"{place}[{index}]")
    elif isinstance(old, list) and isinstance(new, list):
        yield place, f"{len(old)} items -> {len(new)} items"
    elif old != new:
        yield place, f"{old!r} -> {new!r}"
