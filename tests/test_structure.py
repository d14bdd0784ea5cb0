import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import mabench
from mabench.lookup import available

ROOT = Path(mabench.__file__).parent
_DESIGN = (ROOT.parents[1] / "docs" / "explanation" / "design.md").read_text(encoding="utf-8")
_PLACE = re.compile(r"`([\w/]+(?:\.py|/))`")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
_MOST_PARAMETERS = 7
# The façade: everything that a run can be given, as keyword arguments.
_FACADE = ("runs/execution.py", "run")


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(ROOT.rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def count_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    listed = function.args
    every = [*listed.posonlyargs, *listed.args, *listed.kwonlyargs]
    return sum(one.arg not in ("self", "cls") for one in every)


def test_only_the_facade_and_the_commands_take_more_than_seven_parameters() -> None:
    crowded = {
        (place, function.name): count_parameters(function)
        for place, tree in trees()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        if not place.startswith("cli/") and count_parameters(function) > _MOST_PARAMETERS
    }
    crowded.pop(_FACADE)
    assert crowded == {}


def test_only_the_command_line_names_its_options() -> None:
    named = [
        (place, node.lineno, node.value)
        for place, tree in trees()
        if not place.startswith("cli/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _OPTION.search(node.value)
    ]
    assert named == []


def test_reports_are_typed() -> None:
    loose = [
        (place, node.lineno)
        for place, tree in trees()
        if place.startswith("reports/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == "Any"
    ]
    assert loose == []


def test_no_agent_is_told_by_its_name() -> None:
    names = {agent.name for agent in available() if agent.origin == "built-in"}
    compared = [
        (place, node.lineno)
        for place, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
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
