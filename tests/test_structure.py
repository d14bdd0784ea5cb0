import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.lookup import available

ROOT = Path(mabench.__file__).parent
_DESIGN = (ROOT.parents[1] / "docs" / "explanation" / "design.md").read_text(encoding="utf-8")
_PLACE = re.compile(r"`([\w/]+(?:\.py|/))`")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
# The façade: everything that a run can be given, as keyword arguments.
_FACADE = ("runs/execution.py", "run")


def nodes(*kinds: type[ast.AST]) -> Iterator[tuple[str, Any]]:
    """Yield the nodes of some kinds in our modules, each with the place of its module."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, kinds):
                yield path.relative_to(ROOT).as_posix(), node


def test_only_the_facade_and_the_commands_take_more_than_seven_parameters() -> None:
    crowded = {}
    for place, function in nodes(ast.FunctionDef, ast.AsyncFunctionDef):
        listed = function.args
        every = [one.arg for one in (*listed.posonlyargs, *listed.args, *listed.kwonlyargs)]
        if len({*every} - {"self", "cls"}) > 7 and not place.startswith("cli/"):
            crowded[place, function.name] = every
    crowded.pop(_FACADE)
    assert crowded == {}


def test_only_the_command_line_names_its_options() -> None:
    named = [
        (place, node.lineno, node.value)
        for place, node in nodes(ast.Constant)
        if not place.startswith("cli/")
        and isinstance(node.value, str)
        and _OPTION.search(node.value)
    ]
    assert named == []


def test_reports_are_typed_and_no_agent_is_told_by_its_name() -> None:
    loose = [
        (place, node.lineno)
        for place, node in nodes(ast.Name)
        if place.startswith("reports/") and node.id == "Any"
    ]
    assert loose == []
    names = {agent.name for agent in available() if agent.origin == "built-in"}
    compared = [
        (place, node.lineno)
        for place, node in nodes(ast.Compare)
        for side in (node.left, *node.comparators)
        if isinstance(side, ast.Constant) and side.value in names
    ]
    assert compared == []


def test_no_folder_is_crowded() -> None:
    folders = {path for path in ROOT.rglob("*") if path.is_dir() and path.name != "cli"}
    counts = {path.relative_to(ROOT).as_posix(): len([*path.glob("*.py")]) for path in folders}
    assert {folder: count for folder, count in counts.items() if count > 16} == {}


# X stands for a file to be added.
@pytest.mark.parametrize("place", sorted(p for p in {*_PLACE.findall(_DESIGN)} if "X" not in p))
def test_a_place_exists(place: str) -> None:
    assert any((root / place).exists() for root in (ROOT, ROOT.parent, ROOT.parents[1]))
