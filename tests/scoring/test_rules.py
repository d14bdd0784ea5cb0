"""The rules in words are those that the documentation has examples of, and those that decide."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import mabench.scoring
from mabench.scoring import RULES

_DOCS = Path(__file__).parents[2] / "docs" / "explanation" / "two-scores.md"
_NAME = re.compile(r"[a-z]+(?:-[a-z]+)+|rivals|refusal|acronym|surname")
_DECIDE = ("right", "wrong", "unclear", "Corrected")


def test_every_documented_rule_is_said_in_words() -> None:
    rows = [line for line in _DOCS.read_text("utf-8").splitlines() if line.startswith("| `")]
    named = {
        name
        for row in rows
        for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])
        if _NAME.fullmatch(name)
    }
    assert named | {"no-answer"} == set(RULES)


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
