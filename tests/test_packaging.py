import ast
import re
import sys
import tomllib
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from tools import dist, meanings
from tools import names as names_tool
from tools.dist import POSIX_TESTS, SMALL_TESTS, SUPPORTED
from tools.interpreters import Version, interpreters, version_of

from mabench._version import __version__

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = [*ROOT.glob(".github/workflows/*.yml")]

_NAME = re.compile(r"[a-z0-9-]+")
# Modules that are not called as their package is.
_PACKAGES = {"sklearn": "scikit-learn", "pydantic_core": "pydantic"}
# What packages of extras bring, and what the server of Letta has where it runs.
_BROUGHT = {"aiohttp", "kuzu", "letta", "litellm", "mcp-types", "sqlalchemy", "uvicorn"}


def names(requirements: list[Any]) -> set[str]:
    return {_NAME.match(one)[0] for one in requirements if isinstance(one, str)}  # type: ignore[index]


@cache
def imported() -> dict[str, set[str]]:
    """Return the packages that modules of ours import, each with those modules."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for top in (module.partition(".")[0] for module in _modules(node)):
                if not top.startswith("mabench") and top not in sys.stdlib_module_names:
                    package = _PACKAGES.get(top, top.replace("_", "-"))
                    found[package].add(path.relative_to(ROOT / "src").as_posix())
    return found


def _modules(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module


def test_every_core_dependency_has_a_reason_and_all_that_is_imported_comes_with_one() -> None:
    core = names(PROJECT["project"]["dependencies"])
    assert core - imported().keys() == set()
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    lines = text.partition("\ndependencies = [\n")[2].partition("\n]\n")[0].splitlines()
    assert [line for line in lines if "  # " not in line] == []
    known = names(PROJECT["project"]["dependencies"]) | _BROUGHT
    for extra in PROJECT["project"]["optional-dependencies"].values():
        known |= names(extra)
    assert {name: where for name, where in imported().items() if name not in known} == {}
    groups = PROJECT["dependency-groups"]
    assert {"build", "twine", "uv"} <= names(groups["dist"])
    assert names(groups["dist"]).isdisjoint(names(groups["dev"]) | names(groups["small"]))


def test_changelog_and_citation_name_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", changelog, re.MULTILINE)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert released[0] == (citation["version"], str(citation["date-released"]))
    assert citation["version"] == __version__
    # The citation is of our own work; the wheel also holds data of others.
    assert citation["license"] == PROJECT["project"]["license"].partition(" AND ")[0]
    assert changelog.index("\n## [Unreleased]\n") < changelog.index("\n## [0.")


def test_the_sdist_has_what_tests_and_docs_take() -> None:
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    packed = {one.strip("/") for one in included}
    for test in SMALL_TESTS + POSIX_TESTS:
        assert (ROOT / test).exists(), test
    kinds = {".md", ".cff", ".yml", ".yaml", ".ini", ".cfg"}
    documents = {one.name for one in ROOT.iterdir() if one.suffix in kinds and one.name[0] != "."}
    folders = {"src", "tests", "tools", "docs", "examples", "benchmarks", "data"}
    assert documents | folders | {"LICENSE", "Makefile"} <= packed


def test_data_of_others_ship_with_their_licences_and_a_notice() -> None:
    annotations = tomllib.loads((ROOT / "REUSE.toml").read_text("utf-8"))["annotations"]
    identifiers = {
        one["path"]: one["SPDX-License-Identifier"].split(" AND ") for one in annotations
    }
    texts = {path.stem for path in (ROOT / "LICENSES").iterdir()}
    assert texts == {name for names in identifiers.values() for name in names}
    assert texts == set(PROJECT["project"]["license"].split(" AND "))
    assert {"LICENSE", "NOTICE", "LICENSES/*"} <= set(PROJECT["project"]["license-files"])
    notice = (ROOT / "NOTICE").read_text("utf-8")
    for annotation in annotations[1:]:
        assert (ROOT / annotation["path"]).is_file()
        assert annotation["path"] in notice
        for holder in annotation["SPDX-FileCopyrightText"]:
            assert all(name in notice for name in re.sub(r"^\d+ ", "", holder).split(", ")), holder


def test_tables_made_from_packages_of_others_are_annotated() -> None:
    annotations = tomllib.loads((ROOT / "REUSE.toml").read_text("utf-8"))["annotations"]
    made = {table.relative_to(ROOT).as_posix() for table in (names_tool.TABLE, meanings.TABLE)}
    assert made == {annotation["path"] for annotation in annotations[1:]}


def test_the_same_pythons_are_named_everywhere() -> None:
    pythons = [str(version) for version in SUPPORTED]
    classified = [
        one.rpartition(" ")[2]
        for one in PROJECT["project"]["classifiers"]
        if one.startswith("Programming Language :: Python :: 3.")
    ]
    assert classified == pythons
    assert PROJECT["project"]["requires-python"] == f">={pythons[0]}"
    if not WORKFLOWS:
        pytest.skip("no workflows here: an sdist has none")
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]
    for name in ("tests", "wheel"):
        assert jobs[name]["strategy"]["matrix"]["python"] == pythons


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_have_few_rights_and_call_rules_that_are_there(workflow: Path) -> None:
    content = yaml.safe_load(workflow.read_text("utf-8"))
    assert content["permissions"] == {"contents": "read"}
    assert "concurrency" in content
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for job in content["jobs"].values():
        assert "uses" in job or job["timeout-minutes"] <= 90
        for step in job.get("steps", []):
            for rule in re.findall(r"^make ([a-z-]+)", step.get("run", ""), re.MULTILINE):
                assert f"\n{rule}: " in makefile


def test_a_wheel_requires_its_core_and_a_step_that_fails_shows_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = tmp_path / "made-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        required = ("numpy>=2.0", "tomli>=2; python_version < '3.12'", "x>=3; extra == 'openai'")
        lines = ["Name: made", *(f"Requires-Dist: {one}" for one in required)]
        lines += ["", "Requires-Dist: is the text here"]
        packed.writestr("made-1.dist-info/METADATA", "\n".join(lines))
    assert dist.requirements(wheel) == ["numpy>=2.0", "tomli>=2; python_version < '3.12'"]
    wheel = tmp_path / "none.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("none-1.dist-info/METADATA", "Name: none\n")
    assert not dist.try_wheel(dist.Built(wheel, tmp_path), Path("no-python"), "highest", tmp_path)
    assert " environment failed" in capsys.readouterr().out


def test_the_commands_of_the_home_page_are_those_that_are_pasted() -> None:
    commands = dist.pasted_commands((ROOT / "docs/index.md").read_text("utf-8"))
    assert commands.splitlines()[0].startswith("mabench run ")
    assert "pip install" not in commands
    assert "mabench compare " in commands
    assert dist.pasted_commands("```sh\npip install x\na \\\n  b\n```\n```text\nc\n```\n") == (
        "a \\\n  b\n"
    )


def test_interpreters_that_do_not_run_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = tmp_path / "python3.11"
    shim.write_text("#!/bin/sh\nexit 127\n", "utf-8")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "nowhere"))
    assert version_of(Path(sys.executable)) == Version(*sys.version_info[:2])
    assert version_of(tmp_path / "python3.99") is None
    assert interpreters(SUPPORTED) == {}


@pytest.mark.parametrize("passes", [True, False])
def test_missing_interpreters_and_failures_are_named(
    passes: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {Version(3, 12): Path("python3.12")}
    monkeypatch.setattr(dist, "interpreters", lambda supported: found)
    monkeypatch.setattr(dist, "build", lambda work: dist.Built(work, work))
    monkeypatch.setattr(dist, "try_wheel", lambda *arguments: passes)
    assert dist.main() == (0 if passes else 1)
    printed = capsys.readouterr().out
    assert "Python 3.11: skipped" in printed
    assert "Python 3.12: skipped" not in printed
    assert ("failed: Python 3.12, highest; Python 3.12, lowest-direct" in printed) is not passes
