"""Every rule that decides is said in words; tests/documentation holds that each has an example."""

from __future__ import annotations

import ast
from pathlib import Path

import mabench.scoring
from mabench.scoring import RULES

_DECIDE = ("right", "wrong", "unclear", "Corrected")


def test_every_rule_that_decides_is_said_in_words() -> None:
    decisions = set()
    for file in (Path(mabench.scoring.__file__).parent / "corrected").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _DECIDE:
                decisions |= {
                    part.value
                    for part in node.args
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                }
    assert decisions
    assert decisions <= set(RULES)
