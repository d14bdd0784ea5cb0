import ast
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench import plugins
from mabench.lookup import available

ROOT = Path(mabench.__file__).parent
_DESIGN = (ROOT.parents[1] / "docs" / "explanation" / "design.md").read_text(encoding="utf-8")
_PLACE = re.compile(r"`([\w/]+(?:\.py|/))`")
_USUAL_VARIABLE = re.compile("_[A-Z](_co|_contra)?")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
# The façade: everything that a run can be given, as keyword arguments.
_FACADES = (("runs/execution.py", "run"), ("gating/running.py", "gate"))
# Packages that are more than the names of their modules.
_NO_FACADES = ("cli/__init__.py", "families/benchmark/__init__.py")


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
    for facade in _FACADES:
        crowded.pop(facade)
    assert crowded == {}


def test_only_the_command_line_names_its_options() -> None:
    named = [
        (place, node.lineno, node.value)
        for place, node in nodes(ast.Constant)
        if not place.startswith(("cli/", "pytest_plugin.py"))  # Whose options are pytest's.
        and isinstance(node.value, str)
        and _OPTION.search(node.value)
        and not node.value.startswith("pip install ")  # Whose options are pip's.
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


def test_what_comes_with_mabench_is_listed_by_part() -> None:
    """So that a part that is not installed can be named."""
    declared = tomllib.loads((ROOT.parents[1] / "pyproject.toml").read_text("utf-8"))
    points = declared["project"]["entry-points"]
    by_part: dict[str, set[str]] = {}
    for group in points.values():
        for name, value in group.items():
            by_part.setdefault(value.partition(".")[0].partition(":")[0], set()).add(name)
    listed = {part: {*names} for part, names in plugins._SHIPPED.items()}
    assert listed == {part: by_part[part] for part in listed}
    assert {*by_part} - {*listed} <= {"mabench"}


def _private_names(annotation: ast.AST | None) -> Iterator[str]:
    for node in ast.walk(annotation) if annotation is not None else ():
        name = node.id if isinstance(node, ast.Name) else ""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value
        yield from re.findall(r"(?<![\w.'\"])_[A-Za-z]\w*", name)


def _public_signatures(body: Sequence[ast.stmt], of: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Yield the annotations and bases of what is public in a module or a class."""
    for node in body:
        name = getattr(node, "name", "")
        if name.startswith("_") and not name.startswith("__"):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            listed = node.args
            every = [*listed.posonlyargs, *listed.args, *listed.kwonlyargs]
            every += [one for one in (listed.vararg, listed.kwarg) if one]
            for annotation in (*(one.annotation for one in every), node.returns):
                if annotation is not None:
                    yield f"{of}{name}", annotation
        elif isinstance(node, ast.ClassDef):
            yield from ((name, base) for base in node.bases)
            yield from _public_signatures(node.body, f"{name}.")
        elif isinstance(node, ast.AnnAssign) and of and isinstance(node.target, ast.Name):
            field = node.target.id
            yield from [(f"{of}{field}", node.annotation)] * (not field.startswith("_"))


def test_no_public_signature_names_a_private_type() -> None:
    """A type variable is private only where its name is the usual one: ``_T``, ``_T_contra``."""
    found = [
        (path.relative_to(ROOT.parent).as_posix(), place, name)
        for path in sorted(ROOT.parent.rglob("*.py"))
        for place, annotation in _public_signatures(
            ast.parse(path.read_text(encoding="utf-8")).body
        )
        for name in _private_names(annotation)
        if not _USUAL_VARIABLE.fullmatch(name)
    ]
    assert found == []


def test_a_name_of_a_type_has_one_meaning() -> None:
    places: dict[str, list[str]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                name = node.name.lstrip("_")
                places.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    assert {name: listed for name, listed in places.items() if len(listed) > 1} == {}


def test_no_module_takes_a_private_name_of_another() -> None:
    taken = [
        (place, node.module, alias.name)
        for place, node in nodes(ast.ImportFrom)
        for alias in node.names
        if re.match("_[^_]", alias.name) and (node.module or "").startswith("mabench.")
    ]
    assert taken == []


def _names_offered(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a facade offers."""
    for line in statement.body if isinstance(statement, ast.If) else ():
        if isinstance(line, ast.ImportFrom):
            yield from (alias.name for alias in line.names)


def test_a_package_loads_its_modules_when_they_are_used() -> None:
    """And offers no name of its own modules: Python would put the module in its place."""
    eager, hidden = [], []
    for path in sorted({*ROOT.rglob("__init__.py")} - {ROOT / place for place in _NO_FACADES}):
        package, beside = path.parent.name, {one.stem for one in path.parent.iterdir()}
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            module = statement.module if isinstance(statement, ast.ImportFrom) else None
            eager += [(package, module)] * (module not in (None, "typing", "mabench.facades"))
            hidden += [(package, name) for name in _names_offered(statement) if name in beside]
    assert (eager, hidden) == ([], [])


# X stands for a file to be added.
@pytest.mark.parametrize("place", sorted(p for p in {*_PLACE.findall(_DESIGN)} if "X" not in p))
def test_a_place_exists(place: str) -> None:
    assert any((root / place).exists() for root in (ROOT, ROOT.parent, ROOT.parents[1]))
