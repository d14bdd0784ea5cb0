"""What `docs/explanation/design.md` says of the code is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import mabench

ROOT = Path(mabench.__file__).parent
TEXT = (ROOT.parents[1] / "docs" / "explanation" / "design.md").read_text(encoding="utf-8")
_FUNCTION = re.compile(r"`([\w/]+\.py):(\w+)`")
_FILE = re.compile(r"`([\w/]+(?:\.py|/))`")


@pytest.mark.parametrize(("file", "function"), sorted({*_FUNCTION.findall(TEXT)}))
def test_a_stop_of_a_walk_is_a_function(file: str, function: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    names = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert function in names


# X stands for a file to be added.
@pytest.mark.parametrize("place", sorted(p for p in {*_FILE.findall(TEXT)} if "X" not in p))
def test_a_place_exists(place: str) -> None:
    assert any((root / place).exists() for root in (ROOT, ROOT.parent, ROOT.parents[1]))
