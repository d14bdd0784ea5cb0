"""Every entry of the word lists of names and forms earns its place: an answer changes without it.

``earned.jsonl`` has one answer for each entry; that answer alone is scored, with the entry and
without. Closed classes, such as months, numerals and negations, stay whole and are not listed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabench.scoring import correct_answer
from mabench.scoring.lexicon import sections

_LINES = Path(__file__).with_name("earned.jsonl").read_text(encoding="utf-8").splitlines()
_CASES: list[dict[str, Any]] = [json.loads(line) for line in _LINES]
_LISTS = (("names", "alike"), ("forms", "also"))


def _entries(section: str, key: str) -> list[str]:
    listed = sections()[section][key]
    return listed.split() if isinstance(listed, str) else list(listed)


def _forget() -> None:
    """Clear what the rules remember of word lists."""
    for name, module in [*sys.modules.items()]:
        for found in vars(module).values() if name.startswith("mabench.scoring") else ():
            if hasattr(found, "cache_clear") and found is not sections:
                found.cache_clear()


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    kept = {(section, key): sections()[section][key] for section, key in _LISTS}
    yield
    for (section, key), listed in kept.items():
        sections()[section][key] = listed  # type: ignore[index]
    _forget()


def test_every_entry_has_an_answer() -> None:
    earned = {(case["section"], case["key"], case["entry"]) for case in _CASES}
    listed = {(s, k, entry) for s, k in _LISTS for entry in _entries(s, k)}
    assert earned == listed


@pytest.mark.parametrize("case", _CASES, ids=lambda case: str(case["entry"])[:30])
def test_an_answer_changes_without_the_entry(case: dict[str, Any]) -> None:
    asked = case["prediction"], case["answers"], case["question"]
    before = correct_answer(*asked)
    rest = [e for e in _entries(case["section"], case["key"]) if e != case["entry"]]
    sections()[case["section"]][case["key"]] = rest  # type: ignore[index]
    _forget()
    assert correct_answer(*asked) != before
