from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mabench.reports

_MODULES = sorted(Path(mabench.reports.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("module", _MODULES, ids=lambda module: module.stem)
def test_reports_are_built_from_typed_results(module: Path) -> None:
    names = {
        node.id if isinstance(node, ast.Name) else node.name
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name | ast.alias)
    }
    assert "Any" not in names
